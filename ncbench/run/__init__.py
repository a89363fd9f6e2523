"""Run cells: one trial, one cell, a sweep of them, and their records."""
