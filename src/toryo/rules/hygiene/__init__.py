"""What does not belong in the lines that a run added."""
