"""Observers: modules that follow a sweep, each asked for by name."""
