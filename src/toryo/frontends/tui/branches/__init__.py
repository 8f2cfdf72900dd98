"""Branch mode: every branch with what becomes of it, and what can be done about it."""
