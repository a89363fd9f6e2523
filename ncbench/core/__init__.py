"""The paper's objects: T, C, psi, argmin classifiers, their mixtures, and random streams."""
