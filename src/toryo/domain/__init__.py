"""Nouns: frozen, standard library only."""
