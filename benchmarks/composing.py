"""Time to compose the cells of a sweep over many plug-ins, together and one by one.

    python benchmarks/composing.py

Hydra composes a configuration in a tenth of a second. A sweep composes each plug-in once for each
experiment file, and puts cells together from them.
"""

import time

from ncbench.config.compose import compose_sweep
from ncbench.config.hydra_session import open_session
from ncbench.config.schema import register

SWEEP = ["+experiment=suite/own", "dataset=wine,car,vowel", "noise=random,symmetric,pair_flip"]


def main() -> None:
    register()
    with open_session() as session:
        start = time.process_time()
        cells = compose_sweep(session, SWEEP).cells
        together = time.process_time() - start
    with open_session() as session:
        start = time.process_time()
        for cell in cells[::10]:
            names = ("measure", "dataset", "noise", "t_estimator")
            chosen = [f"{name}={cell[name]['name']}" for name in names]
            session.compose(["+experiment=suite/own", *chosen, f"sigma={cell['sigma']}"])
        alone = (time.process_time() - start) / len(cells[::10]) * len(cells)
    print(f"{len(cells)} cells: together {together:.1f} s, one by one {alone:.0f} s, "
          f"ratio {alone / together:.0f}")  # fmt: skip


if __name__ == "__main__":
    main()
