"""A plug-in file that leaves a mark when it is run."""

from pathlib import Path

Path("RAN").touch()
