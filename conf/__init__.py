"""Configuration shipped with ncbench: the defaults and the experiments."""
