"""Plug-ins shipped with ncbench, registered through the same hooks as third-party ones."""
