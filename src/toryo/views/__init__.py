"""State turned into rows and words for people; pure."""
