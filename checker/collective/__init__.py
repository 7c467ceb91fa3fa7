"""Which collectives the ranks were in: what lines and dumps tell, and who lags behind."""
