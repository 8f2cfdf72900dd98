"""The front door: composes the parts and offers what the faces need."""
