"""Following a run: what it prints enters; at the moment it stops or fails, a report leaves."""
