"""Toryo turns an instruction into proven, merged code."""

__version__ = "0.1.0"
