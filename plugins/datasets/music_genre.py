"""Songs whose genres were labeled by people."""

from pathlib import Path
from typing import Any

import numpy as np

from ncbench import Dataset, NcbenchError, identified_by
from ncbench.data import Annotations, content_of_path, examples, read_npz


def _content(data_dir: str) -> str:
    return content_of_path(str(Path(data_dir).expanduser() / "music_genre.npz"))


def _annotated(**_: Any) -> bool:
    return True


@identified_by(_content, annotated=_annotated)
def music_genre(data_dir: str) -> Dataset:
    """Music genres: 1,000 songs, 124 audio features, 10 genres, labels by 44 people.

    700 songs are for training, with 2,945 labels by people on the Internet, of which 44% are
    wrong. 300 are for testing. From Rodrigues, Pereira and Ribeiro, "Learning from multiple
    annotators: distinguishing good from random labelers", Pattern Recognition Letters, 2013.

    Parameters
    ----------
    data_dir : str
        The folder with ``music_genre.npz``: arrays ``X``, ``y``, ``classes``, ``test`` (true for
        test songs) and ``annotations``, with rows of song, person and label.
    """
    path = Path(data_dir).expanduser() / "music_genre.npz"
    if not path.is_file():
        raise NcbenchError(
            f"data set 'music_genre': no file {path}; set data_dir=... to the folder that has it"
        )
    arrays = read_npz(path)
    X, y = examples(arrays, path)
    for key in ("classes", "test", "annotations"):
        if key not in arrays:
            raise NcbenchError(f"file {path}: no array {key!r}; it holds {', '.join(arrays)}")
    rows, people, labels = arrays["annotations"].astype(np.int64).T
    names, people = np.unique(people, return_inverse=True)
    return Dataset(
        X=np.ascontiguousarray(X, dtype=np.float64),
        y=y.astype(np.int64),
        classes=tuple(str(name) for name in arrays["classes"]),
        name="music_genre",
        source=path.name,
        annotations=Annotations(rows, people, labels, tuple(str(name) for name in names)),
        test=np.flatnonzero(arrays["test"]),
    )
