"""
Your own method in the table
============================

:ref:`A file with a measure and an algorithm <sphx_glr_docs_gallery_plugins_in_one_file.py>` takes
part in a sweep as soon as the command line names it. All algorithms get the same splits and the
same noisy labels.
"""

import subprocess
import sys
from tempfile import TemporaryDirectory

import matplotlib.pyplot as plt

from ncbench.results import each_record, tidy

folder = TemporaryDirectory()
sweep = "plugins_from=plugins_in_one_file.py measure=squared_misses algo=ncfw,fw,balanced_rule"
data = "dataset=wine sigma=0.1,0.25,0.4 trials=3 cpe.C=1.0"
command = [sys.executable, "-m", "ncbench", "-m", *sweep.split(), *data.split()]
done = subprocess.run([*command, f"output_dir={folder.name}"], check=True, capture_output=True)
print(done.stdout.decode().partition("\nTable:")[0])

# %%
# The records of the sweep are the table above as a frame, one row for each cell:

frame = tidy(each_record([folder.name]))
print(frame[["algo", "sigma", "n", "mean", "sem"]].head().to_string(index=False))

# %%
# And as a figure:

figure, axes = plt.subplots(layout="constrained")
for algo, cells in frame.groupby("algo"):
    axes.errorbar(cells["sigma"], cells["mean"], cells["sem"], capsize=3, marker="o", label=algo)
axes.set(xlabel="sigma, the level of noise", ylabel="squared_misses (lower is better)")
axes.legend()
plt.show()
