"""A drop-in replacement for python-fcl, for meshes and convex meshes: `from bvtree import fcl`.

Names, arguments and results are those of python-fcl. Its documentation applies, except:

* Results are exact. The distance of touching meshes is 0. For two `Convex` that overlap it is minus the penetration
  depth if the request sets `enable_signed_distance`.
* Meshes have one contact for each pair of triangles, two `Convex` have one. The normal points from the first object to
  the second.
* Shapes other than meshes, such as spheres, boxes and octrees, do not exist here.
* Options that select a solver or an approximation are accepted and ignored.
"""

from bvtree.fcl._manager import (
    CollisionData,
    DistanceData,
    DynamicAABBTreeCollisionManager,
    defaultCollisionCallback,
    defaultDistanceCallback,
)
from bvtree.fcl._model import BVHModel, Convex
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
    "CollisionData",
    "CollisionObject",
    "CollisionRequest",
    "CollisionResult",
    "Contact",
    "ContinuousCollisionRequest",
    "ContinuousCollisionResult",
    "Convex",
    "DistanceData",
    "DistanceRequest",
    "DistanceResult",
    "DynamicAABBTreeCollisionManager",
    "Transform",
    "collide",
    "continuousCollide",
    "defaultCollisionCallback",
    "defaultDistanceCallback",
    "distance",
]
