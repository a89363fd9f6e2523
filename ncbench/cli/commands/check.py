"""check NAME             check a plug-in, or all plug-ins of a distribution."""

from __future__ import annotations

import argparse


def main(argv: list[str]) -> int:
    """Run the subcommand and return the exit code."""
    parser = argparse.ArgumentParser(
        prog="ncbench check",
        description="Check plug-ins against the contract of their kind. Exit code 0: all checks "
        "passed; 1: a check failed; 2: there was nothing to check.",
    )
    parser.add_argument(
        "name",
        metavar="NAME",
        help="the name of a plug-in (ncfw), with its kind if the name is ambiguous (algo=ncfw), or "
        "of an installed distribution",
    )
    parser.add_argument(
        "settings",
        metavar="KEY=VALUE",
        nargs="*",
        help="a parameter (algo.max_iter=100, noise.path=T.csv), or data_dir=FOLDER",
    )
    args = parser.parse_args(argv)

    from ncbench.testing.contract import check_plugins

    return check_plugins(args.name, args.settings)
