"""Snapshots: the facts and the log evidence of machines, in one file."""
