"""Git, through its own command line."""
