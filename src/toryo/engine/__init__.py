"""The loop and the performers it directs."""
