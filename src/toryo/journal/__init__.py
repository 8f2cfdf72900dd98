"""The append-only record of everything that happened: the only truth."""
