"""Met signatures enter; diagnoses with confidence, cause and role leave."""
