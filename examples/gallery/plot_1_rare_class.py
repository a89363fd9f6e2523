"""
A rare class and wrong labels
=============================

Nines are rare among these digits, and three labels of ten are wrong. A plain classifier gives the
nines up. ``NoiseCorrectedClassifier`` estimates the noise from the same labels and minimizes the
loss that counts every class alike, the G-mean.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from ncbench import NoiseCorrectedClassifier, g_mean

# %%
# The truth is used for two things only: to draw the noisy labels, and to judge at the end.

pixels, digit = load_digits(return_X_y=True)
counts = {3: 180, 5: 150, 8: 100, 9: 45}
rng = np.random.default_rng(0)
rows = rng.permutation(np.concatenate([np.flatnonzero(digit == k)[:m] for k, m in counts.items()]))
X, truth = pixels[rows], digit[rows]
others = np.array([rng.choice([k for k in counts if k != true]) for true in truth])
y = np.where(rng.random(len(truth)) < 0.3, others, truth)
train, test = slice(0, 330), slice(330, None)

# %%
# Three classifiers learn from the same noisy labels.

models = {
    "plain": make_pipeline(StandardScaler(), LogisticRegression()),
    "balanced": make_pipeline(StandardScaler(), LogisticRegression(class_weight="balanced")),
    "ncbench": NoiseCorrectedClassifier(measure="g_mean", random_state=0),
}
recalls, losses = {}, {}
for name, model in models.items():
    predicted = model.fit(X[train], y[train]).predict(X[test])
    recalls[name] = [np.mean(predicted[truth[test] == k] == k) for k in counts]
    losses[name] = g_mean(truth[test], predicted)
print({name: round(loss, 3) for name, loss in losses.items()})

# %%
# The recall of each class, on true labels of digits that no classifier has seen:

figure, axes = plt.subplots(layout="constrained")
places = np.arange(len(counts))
for k, (name, recall) in enumerate(recalls.items()):
    axes.bar(places + 0.27 * (k - 1), recall, 0.25, label=f"{name}: loss {losses[name]:.2f}")
axes.set_xticks(places, [f"{k} ({m} of them)" for k, m in counts.items()])
axes.set(ylabel="recall", ylim=(0, 1), title="G-mean, learned from labels of which 30% are wrong")
axes.legend(loc="lower left")
plt.show()
