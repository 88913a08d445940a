"""What trimesh's own tests import by this name, as far as its test of collisions needs it: with our manager in place of theirs.

`.ci/python` runs trimesh's `tests/test_collision.py`, out of its source distribution, with this folder first on the path. The
distribution lacks the tests' models, so stand-ins are made here.
"""

import logging
import sys
import types
import unittest

import numpy as np
import trimesh
import trimesh.collision

import bvtree.trimesh

for name in bvtree.trimesh.__all__:
    setattr(trimesh.collision, name, getattr(bvtree.trimesh, name))
# The tests skip themselves without it; nothing of it is called.
sys.modules["fcl"] = types.ModuleType("fcl")

log = logging.getLogger("trimesh")
random = np.random.default_rng(0).random

__all__ = ["get_mesh", "log", "np", "random", "trimesh", "unittest"]


def get_mesh(name):
    if name == "unit_cube.STL":
        cube = trimesh.creation.box()
        # In an order of corners whose first ones at both ends of x are at y = -0.5, z = 0.5, as of the model.
        order = np.lexsort((-cube.vertices[:, 2], cube.vertices[:, 1], cube.vertices[:, 0]))
        return trimesh.Trimesh(cube.vertices[order], np.argsort(order)[cube.faces], process=False)
    if name == "cycloidal.3DXML":
        ring = trimesh.creation.annulus(r_min=1.0, r_max=2.0, height=0.5)
        pin = trimesh.creation.cylinder(radius=1.05, height=0.5)
        return trimesh.Scene({"ring": ring, "pin": pin})
    raise ValueError(name)
