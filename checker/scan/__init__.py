"""Logs enter, observations leave: nothing here knows an entry."""
