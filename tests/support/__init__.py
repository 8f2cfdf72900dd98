"""Builders the tests share."""
