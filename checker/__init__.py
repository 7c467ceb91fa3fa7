"""The checker: the modules that are assembled into the one file `trainwreck.py`."""
