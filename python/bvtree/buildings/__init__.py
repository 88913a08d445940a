"""Clash detection in building models, from IFC and STEP files to a report.

The command `bvtree-clash` does it all:

    bvtree-clash architecture.ifc structure.ifc --rules rules.toml -o report

It converts each file to a manifest of `bvtree clash` once, and runs that program on all of them. `convert` is the first
step alone. Lengths are in metres. IFC files need ifcopenshell: `pip install "./python[ifc]"`. STEP files need Open
CASCADE: `pip install "./python[step]"`.
"""

from bvtree.buildings._bodies import Element, write_bodies
from bvtree.buildings._cache import Cache
from bvtree.buildings._convert import convert
from bvtree.buildings._snap import snapped

__all__ = ["Cache", "Element", "convert", "snapped", "write_bodies"]
