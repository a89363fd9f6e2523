"""The door for plug-ins: hooks, signatures, the registry, and a package to start from."""
