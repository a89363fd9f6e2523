"""
How good is it, really?
=======================

Held-out labels are wrong, too. ``estimate_performance`` corrects for that: it estimates the loss on
true labels from noisy ones, with an interval. Counting disagreements with noisy labels does not.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer

from ncbench import NoiseCorrectedClassifier, estimate_performance, zero_one

X, truth = load_breast_cancer(return_X_y=True)
rng = np.random.default_rng(0)
y = np.where(rng.random(len(X)) < 0.2, 1 - truth, truth)  # a fifth of the labels is wrong
order = rng.permutation(len(X))
train, test = order[:300], order[300:]

model = NoiseCorrectedClassifier("zero_one", noise_matrix="forward_map", cpe="logistic")
model.fit(X[train], y[train])
estimate = estimate_performance(model, X[test], y[test], model.noise_matrix_)
print(estimate)

# %%
# The three numbers side by side:

predicted = model.predict(X[test])
losses = {
    "counted on noisy labels": zero_one(y[test], predicted),
    "estimated from noisy labels": estimate.loss,
    "on true labels,\nwhich nobody has": zero_one(truth[test], predicted),
}
figure, axes = plt.subplots(figsize=(6.4, 2.4), layout="constrained")
axes.plot(losses.values(), losses.keys(), "o")
axes.plot([estimate.low, estimate.high], [1, 1], color="C0", lw=3, alpha=0.5)
axes.set(xlabel="share of wrong predictions", xlim=(-0.01, None), ylim=(2.5, -0.5))
plt.show()
