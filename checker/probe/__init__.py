"""Looking at the machine: children that may hang, the probes, and what they found."""
