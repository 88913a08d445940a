"""`bvtree.fcl` by python-fcl's name: `.ci/python` runs python-fcl's own tests, out of its source distribution, with this folder first on the path."""

import sys

import bvtree.fcl

sys.modules[__name__] = bvtree.fcl
