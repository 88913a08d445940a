"""A drop-in replacement for `trimesh.collision`, without python-fcl.

`from bvtree.trimesh import CollisionManager` gives the same methods, arguments and return values. Differences:

* Results are exact (FCL's are rounded), and touching counts as a collision, also for convex meshes.
* Closed convex meshes are solid, as in trimesh: they collide with what lies inside them, and the distance between two
  that overlap is minus their penetration depth. All other meshes are surfaces: a mesh inside a hollow one does not
  collide with it. If a convex and a non-convex mesh overlap, the distance is 0 (FCL returns -1).
* Two convex meshes have one contact point, with a face of each mesh (FCL returns -1). Other meshes have one contact for
  each pair of triangles. The normal points from the manager's mesh to the other one, or from the mesh added first.
* Transforms may scale and shear; FCL treats them as rotations.
* `mesh_to_BVH` and `mesh_to_convex` return models of `bvtree.fcl`, which python-fcl's own functions do not accept.
* The tree of a `trimesh.Trimesh` is cached with the mesh until the mesh changes.
"""

from bvtree.trimesh._data import ContactData, DistanceData
from bvtree.trimesh._manager import CollisionManager, scene_to_collision
from bvtree.trimesh._models import mesh_to_BVH, mesh_to_convex

#: Maximum number of contacts returned for a pair of meshes. Assign another number to change it.
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
