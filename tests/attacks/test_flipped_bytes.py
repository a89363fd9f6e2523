"""A flipped byte anywhere in ``outputs/``: never another number without a notice."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ncbench.errors import already_said
from ncbench.files import read_json
from ncbench.results.read import collect
from ncbench.results.value import Value
from ncbench.run import CellFolder, cache as cpe_cache

SWEEP = (
    "-m", "dataset=iris", "cpe=logistic", "cpe.C=1.0", "trials=2",
    "algo=cpe_argmax,nclr_plugin,ncfw", "sigma=0.1",
)  # fmt: skip


NUMBERS = ("trial", "losses", "confusion", "noise_matrix_estimate")


def shown(configs: list[dict[str, Any]]) -> Any:
    """Return the numbers that a table shows, and those that a sweep would take without a run."""
    table = collect(["outputs"], Value()).frame()
    numbers = table[["measure", "dataset", "algo", "sigma", "n", "mean", "sem", "status"]]
    taken = []
    for config in configs:
        folder = CellFolder(config)
        record = folder.finished(say=True)
        kept = [*folder.trials().values(), *(record["trials"] if record else [])]
        # A flip in the name of the key "checksum" leaves a key of another name, and no number.
        taken.append([{key: trial[key] for key in NUMBERS} for trial in kept])
    entries = sorted(Path("outputs/cache/cpe").glob("*.npy"))
    cached = [cpe_cache._read(entry) for entry in entries]
    return numbers.to_csv(), taken, [array is not None and array.tobytes() for array in cached]


@pytest.mark.slow(reason="reads every folder 600 times")
@pytest.mark.parametrize("flips", [600])
def test_no_flipped_byte_changes_a_number_quietly(
    flips: int, ncbench: Callable, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert ncbench(*SWEEP).code == 0
    (sweep,) = Path("outputs/sweeps").iterdir()
    configs = read_json(sweep / "configs.json")
    # A cell that was interrupted after its first trial.
    (open_cell,) = [config for config in configs if config["algo"]["name"] == "ncfw"]
    folder = CellFolder(open_cell)
    trial = read_json(folder.record)["trials"][0]
    folder.record.unlink()
    folder.keep_trial(trial)
    whole = shown(configs)
    files = [path for path in Path("outputs").rglob("*") if path.is_file()]
    read = [path for path in files if not path.name.startswith("table.")]  # what commands read
    rng = random.Random(0)
    changed = 0
    for _ in range(flips):
        path = rng.choice(read)
        content = path.read_bytes()
        place = rng.randrange(len(content))
        flipped = bytearray(content)
        flipped[place] ^= rng.randrange(1, 256)
        path.write_bytes(flipped)
        already_said.clear()
        now = shown(configs)
        said = capsys.readouterr().err.splitlines()
        path.write_bytes(content)
        if now != whole:
            changed += 1
            assert any(path.name in line for line in said), (path, place, said)
    assert changed > flips / 4  # most flips are in files with numbers
