"""The subcommands of ``python -m ncbench``: one module each, found by being here.

A module's first docstring line is its line in ``--help``: how it is called, two spaces or more,
what it does. Its ``main(argv)`` returns the exit code. Whatever is slow to import is imported in
``main``, after the arguments are known to be right.
"""
