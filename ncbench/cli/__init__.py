"""The command line: ``main`` dispatches; ``command`` turns typed functions into commands."""
