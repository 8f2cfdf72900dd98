"""Places where a run's process can live."""
