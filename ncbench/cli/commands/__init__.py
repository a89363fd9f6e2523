"""The subcommands of ``python -m ncbench``, one module each.

The first line of a module's docstring is its line in ``--help``: the usage, two or more spaces,
and what the subcommand does. ``main(argv)`` returns the exit code. Slow imports are in ``main``,
after the arguments are parsed.
"""

from pkgutil import iter_modules


def subcommands() -> dict[str, str]:
    """Return the module of each subcommand by its name."""
    return {
        module.name.replace("_", "-"): f"{__name__}.{module.name}"
        for module in iter_modules(__path__)
    }
