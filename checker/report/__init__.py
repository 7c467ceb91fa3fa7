"""A report enters; text or JSON for a person or a program leaves."""
