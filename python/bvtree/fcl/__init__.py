"""A drop-in replacement for python-fcl, for meshes and shapes: `from bvtree import fcl`.

Names, arguments and results are those of python-fcl. Its documentation applies, except:

* Results are exact. The distance of touching meshes is 0. For two convex objects that overlap, and for a half-space, it
  is minus the penetration depth if the request sets `enable_signed_distance`.
* Meshes have one contact for each pair of triangles, and two `Convex` have one. The normal points from the first object
  to the second.
* `Box`, `Sphere`, `Cylinder`, `Cone` and `Capsule` are solid. Two of them, or one and a `Convex`, have one contact,
  with their penetration depth. One of them and a mesh have one contact for each triangle that the shape touches, with
  the penetration depth of that triangle and the shape.
* `Halfspace` has one contact, at the deepest point of the other object. It cannot be in a manager, move in
  `continuousCollide` or meet another half-space.
* Without `enable_contact`, contacts of two meshes have faces; their positions, normals and depths are NaN. python-fcl
  leaves these undefined.
* Ellipsoids, planes, single triangles (`TriangleP`) and octrees are missing, as are `addVertex` and `buildState` of
  `BVHModel`.
* Options that select a solver or an approximation are accepted and ignored.
"""

from bvtree.fcl._manager import (
    CollisionData,
    DistanceData,
    DynamicAABBTreeCollisionManager,
    defaultCollisionCallback,
    defaultDistanceCallback,
)
from bvtree.fcl._model import BVHModel, Box, Capsule, Cone, Convex, Cylinder, Halfspace, Sphere
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
    "Halfspace",
    "Sphere",
    "Transform",
    "collide",
    "continuousCollide",
    "defaultCollisionCallback",
    "defaultDistanceCallback",
    "distance",
]
