"""From the command line to a checked configuration; everything that touches Hydra."""
