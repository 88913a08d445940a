"""In place of python-fcl, for programs that ask about meshes: `from bvtree import fcl`.

Names, arguments and results are as there, of `BVHModel`, `Convex`, `Transform`, `CollisionObject`, `collide`, `distance`,
`continuousCollide`, `DynamicAABBTreeCollisionManager` and what goes with them. What differs:

* Verdicts and distances are exact; the distance of meshes that touch is 0 (of two `Convex` minus the depth, where the request
  has `enable_signed_distance`).
* A contact is one for each pair of triangles, of two `Convex` one in all; its normal points from the first object to the second.
* There are no other shapes than meshes: no spheres, boxes, octrees. Objects of them are python-fcl's own business.
* Options that choose a solver or an approximation are taken and change nothing.
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
