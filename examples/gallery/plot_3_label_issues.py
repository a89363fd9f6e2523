"""
Which labels are wrong?
=======================

``find_label_issues`` gives each label the probability that it is wrong, and the likeliest true
one. It also says how many wrong labels to expect among the first, so that you know where to stop.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from ncbench import find_label_issues

X, truth = load_digits(n_class=4, return_X_y=True)
X, truth = X[:400], truth[:400]
rng = np.random.default_rng(0)
y = np.where(rng.random(400) < 0.2, rng.integers(0, 4, 400), truth)

issues = find_label_issues(X, y, random_state=0).sort_values("rank")
print(issues.head().round(3).to_string())

# %%
# The most doubtful ones, as they were scanned:

figure, panels = plt.subplots(2, 6, figsize=(8, 3.4), layout="constrained")
for panel, issue in zip(panels.flat, issues.head(12).itertuples(), strict=True):
    panel.imshow(X[issue.Index].reshape(8, 8), cmap="gray_r")
    panel.set_title(f"labeled {issue.label}, {issue.likeliest}?", fontsize=9)
    panel.axis("off")
plt.show()

# %%
# Is it true? Here the truth is known. Down to each rank, the share of labels that really are wrong
# is beside the share that was promised:

wrong = (y != truth)[issues.index]
depth = np.arange(1, len(wrong) + 1)
figure, axes = plt.subplots(layout="constrained")
axes.plot(depth, np.cumsum(wrong) / depth, label="really wrong")
axes.plot(depth, issues["expected_precision"], "--", label="expected, from noisy labels alone")
axes.axvline(wrong.sum(), color="gray", lw=1)
axes.text(wrong.sum() + 5, 0.1, f"{wrong.sum()} labels are wrong")
axes.set(xlabel="labels looked at, the most doubtful first", ylabel="share of wrong labels")
axes.set_ylim(0, 1.05)
axes.legend()
plt.show()
