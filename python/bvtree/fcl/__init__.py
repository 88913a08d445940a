"""A drop-in replacement for python-fcl, for meshes and shapes: `from bvtree import fcl`.

Names, arguments and results are those of python-fcl. Its documentation applies, except:

* Results are exact. The distance of touching meshes is 0. For two `Convex` that overlap it is minus the penetration
  depth if the request sets `enable_signed_distance`.
* Meshes have one contact for each pair of triangles, two `Convex` have one. The normal points from the first object to
  the second.
* `Box`, `Sphere`, `Cylinder`, `Cone` and `Capsule` are solid. A pair with one of them has one contact, whose normal and
  `penetration_depth` are NaN, and a distance of 0 where it touches. Half-spaces, ellipsoids and octrees do not exist.
* Options that select a solver or an approximation are accepted and ignored.
"""

from bvtree.fcl._manager import (
    CollisionData,
    DistanceData,
    DynamicAABBTreeCollisionManager,
    defaultCollisionCallback,
    defaultDistanceCallback,
)
from bvtree.fcl._model import BVHModel, Box, Capsule, Cone, Convex, Cylinder, Sphere
from bvtree.fcl._object import CollisionObject, Transform
from bvtree.fcl._questions import (
    CollisionRequest,
    CollisionResult,
    Contact,
    ContinuousCollisionRequest,
    ContinuousCollisionResult,
    DistanceRequest,
    DistanceResult,
    collide,
    continuousCollide,
    distance,
)

__all__ = [
    "BVHModel",
    "Box",
    "Capsule",
    "CollisionData",
    "CollisionObject",
    "CollisionRequest",
    "CollisionResult",
    "Contact",
    "ContinuousCollisionRequest",
    "ContinuousCollisionResult",
    "Cone",
    "Convex",
    "Cylinder",
    "DistanceData",
    "DistanceRequest",
    "DistanceResult",
    "DynamicAABBTreeCollisionManager",
    "Sphere",
    "Transform",
    "collide",
    "continuousCollide",
    "defaultCollisionCallback",
    "defaultDistanceCallback",
    "distance",
]
