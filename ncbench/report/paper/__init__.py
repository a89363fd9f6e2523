"""Our results compared with the numbers of the paper.

M. Zhang and S. Agarwal, Multiclass Learning from Noisy Labels for Non-decomposable Performance
Measures, AISTATS 2024. ``tables.csv`` holds the 400 cells of its Tables 2, 3, 5 and 6 (mean, and
standard error with ddof 0, over five splits), ``figure1.csv`` the means of its Figure 1.
"""
