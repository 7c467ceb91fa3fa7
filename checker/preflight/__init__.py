"""A look before a run: what is planned and the machine enter; what the run would meet leaves."""
