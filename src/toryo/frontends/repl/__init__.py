"""A dialogue with Toryo, for people at a terminal and for scripts."""
