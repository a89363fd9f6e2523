"""new-plugin NAME        create a package with a working plug-in to start from."""

from __future__ import annotations

import argparse


def main(argv: list[str]) -> int:
    """Run the subcommand and return the exit code."""
    from ncbench.plugin import TEMPLATES, write_package

    parser = argparse.ArgumentParser(
        prog="ncbench new-plugin",
        description="Create a package with a working plug-in, ready to install, check and change, "
        "in a new folder NAME.",
    )
    parser.add_argument(
        "name", metavar="NAME", help="lowercase letters, digits and dashes: my-method"
    )
    parser.add_argument(
        "--kind", choices=list(TEMPLATES), default="algorithm", help="the kind of the plug-in"
    )
    args = parser.parse_args(argv)

    folder, steps = write_package(args.name, args.kind)
    print(f"{folder}: a plug-in to start from. Next:")
    for step in steps:
        print(f"  {step}")
    return 0
