"""
How wrong are the labels?
=========================

``estimate_noise`` estimates the noise matrix from the labels alone: ``T[i, j]`` is how often an
example of class j is labeled i. It says with it how sure it is, and what is known.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from ncbench import estimate_noise

X, truth = load_digits(n_class=4, return_X_y=True)
T = np.array(
    [[0.9, 0.0, 0.1, 0.0], [0.0, 0.7, 0.0, 0.0], [0.1, 0.3, 0.9, 0.2], [0.0, 0.0, 0.0, 0.8]]
)
rng = np.random.default_rng(0)
y = np.array([rng.choice(4, p=T[:, true]) for true in truth])

# %%
# The labels are all it gets:

noise = estimate_noise(X, y, random_state=0)
print(noise.to_frame().round(2))
print("Wrong labels:", noise.share, "- really", f"{np.mean(y != truth):.1%}")
print("Verdict:", noise.verdict)

# %%
# The true matrix beside its estimate:

figure, (left, right) = plt.subplots(1, 2, figsize=(7.5, 3.8), sharey=True, layout="constrained")
for axes, matrix, title in ((left, T, "the truth"), (right, noise.matrix, "the estimate")):
    axes.imshow(matrix, cmap="Blues", vmin=0, vmax=1)
    axes.set(title=title, xlabel="digit", xticks=range(4), yticks=range(4))
    for (i, j), share in np.ndenumerate(matrix):
        axes.text(j, i, f"{share:.2f}", ha="center", color="white" if share > 0.5 else "black")
left.set_ylabel("its label")
plt.show()
