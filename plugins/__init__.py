"""Plug-ins shipped with ncbench; they come in through the same door as a third party's."""
