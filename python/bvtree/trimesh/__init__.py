"""A drop-in for `trimesh.collision`: `from bvtree.trimesh import CollisionManager` in place of trimesh's own.

The same methods, arguments and return values. What differs:

* Verdicts and distances are exact (FCL's are rounded), and touching counts as collision, also of convex meshes.
* Closed convex meshes are solid, as they are there: what lies inside them collides, and distances between two of them are negative by the depth
  of their overlap, the least of all pairs'. All other meshes are surfaces: something inside a hollow one does not collide with it. Where a convex
  mesh overlaps one that is not, the distance is 0 (with FCL it is -1, whatever the depth).
* Contacts of two convex meshes are one point with a face of each mesh (FCL tells -1). Other contacts are one for each pair of
  triangles. A contact's normal points from the manager's mesh to the other one, or from the one added first.
* Transforms that scale or shear are taken as they are; FCL takes them for rotations.
* `mesh_to_BVH` and `mesh_to_convex` make models of `bvtree.fcl`, the stand-in for python-fcl; python-fcl's own functions don't take them.
* A mesh's tree is kept with the mesh as long as it does not change, so that asking about it again is quick.
"""

from bvtree.trimesh._data import ContactData, DistanceData
from bvtree.trimesh._manager import CollisionManager, scene_to_collision
from bvtree.trimesh._models import mesh_to_BVH, mesh_to_convex

#: The most contacts that are told of a pair of meshes. It may be set.
COLLISION_PER_PAIR_CAP: int = 100000

__all__ = [
    "COLLISION_PER_PAIR_CAP",
    "CollisionManager",
    "ContactData",
    "DistanceData",
    "mesh_to_BVH",
    "mesh_to_convex",
    "scene_to_collision",
]
