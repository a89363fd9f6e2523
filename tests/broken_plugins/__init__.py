"""Deliberately broken plug-ins, one module for each kind, and a good one beside them.

``BROKEN`` maps a check to the plug-ins that it must catch, each with a pattern of what the check's
sentence must say: the offending value among it.
"""
