"""``python -m ncbench``."""

from __future__ import annotations

from ncbench.cli.main import main

if __name__ == "__main__":
    main()
