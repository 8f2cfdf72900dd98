"""Looking closely: a task at work, and what waits for a person."""
