"""The name and the version of the checker: the one place that states them."""

NAME = "trainwreck"
VERSION = "0.1.0"
SCHEMA_VERSION = 1
