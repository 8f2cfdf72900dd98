"""Pure functions over the domain: what follows from what."""
