"""Observations and the rules of entries enter; which signs and signatures hold leaves."""
