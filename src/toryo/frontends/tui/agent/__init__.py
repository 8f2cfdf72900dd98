"""Agent mode: one conversation, from what is wanted to what was merged."""
