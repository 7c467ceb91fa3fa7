"""The generator: reads the entries, checks them, and builds the site, the checker and the data."""
