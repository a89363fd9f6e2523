"""Observers: modules that follow a sweep, selected by name."""
