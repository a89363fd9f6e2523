"""Classifiers, class probabilities, and linear models fitted under noise."""
