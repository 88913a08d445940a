"""Exact queries between triangle meshes: intersection, contacts, distance, penetration and time of impact.

Make a `Mesh` from arrays or a file and build a `Tree` from it. Queries between two trees take `b_to_a`, a (4, 4)
matrix that maps B's coordinates into A's frame, or N of them at once:

    >>> import numpy as np
    >>> import bvtree
    >>> corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
    >>> tree = bvtree.Tree(bvtree.Mesh(corners, [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]))
    >>> poses = np.tile(np.eye(4), (4, 1, 1))
    >>> poses[:, 0, 3] = [0, 0.5, 1, 2]
    >>> bvtree.intersects(tree, tree, poses)
    array([ True,  True,  True, False])
    >>> bvtree.distance(tree, tree, poses)
    array([0., 0., 0., 1.])

Lengths are in the meshes' unit. Vertices are float32, results are computed in float64, and intersection tests are
exact. Trees can be shared between threads. Calls release the GIL. Invalid input raises a subclass of `ValueError`.

These submodules are loaded when first used (`bvtree.ompl` must be imported):

* `bvtree.trimesh` has a `CollisionManager` with the methods of trimesh's.
* `bvtree.fcl` has the classes and functions of python-fcl.
* `bvtree.buildings` finds the clashes of IFC and STEP files.
* `bvtree.ompl` plans robot motions with OMPL.
* `bvtree.cluster` cooks and queries on many machines with Dask.
"""

import importlib
from typing import TYPE_CHECKING, Any

from bvtree._bvtree import (
    Character,
    Compound,
    ConvexShape,
    DeformingTree,
    DistanceTracker,
    Error,
    InvalidFile,
    InvalidMesh,
    InvalidPose,
    JointPath,
    Mesh,
    NotClosed,
    Robot,
    Scene,
    Tree,
    World,
    __version__,
    closest_points,
    compare,
    contact_manifolds,
    contact_patches,
    contacts,
    count_pairs,
    distance,
    first_hit,
    free_interval_along,
    hausdorff_distance,
    intersecting_pairs,
    intersection_curves,
    intersects,
    metrics,
    overlap_depth,
    overlap_regions,
    pairs_within,
    penetration,
    penetration_along,
    penetration_depth,
    pose_from_axis_angle,
    pose_from_euler_angles,
    pose_from_quaternion,
    pose_from_translation,
    relation,
    relative_pose,
    self_pairs,
    time_of_impact,
    volume_metrics,
    volume_query_cost,
    within,
)

__all__ = [
    "Character",
    "Compound",
    "ConvexShape",
    "DeformingTree",
    "DistanceTracker",
    "Error",
    "InvalidFile",
    "InvalidMesh",
    "InvalidPose",
    "JointPath",
    "Mesh",
    "NotClosed",
    "PoseSet",
    "Robot",
    "Scene",
    "Tree",
    "World",
    "__version__",
    "closest_points",
    "compare",
    "contact_manifolds",
    "contact_patches",
    "contacts",
    "count_pairs",
    "distance",
    "first_hit",
    "free_interval_along",
    "hausdorff_distance",
    "intersecting_pairs",
    "intersection_curves",
    "intersects",
    "metrics",
    "overlap_depth",
    "overlap_regions",
    "pairs_within",
    "penetration",
    "penetration_along",
    "penetration_depth",
    "pose_from_axis_angle",
    "pose_from_euler_angles",
    "pose_from_quaternion",
    "pose_from_translation",
    "relation",
    "relative_pose",
    "self_pairs",
    "time_of_impact",
    "to_pandas",
    "view",
    "volume_metrics",
    "volume_query_cost",
    "within",
]

if TYPE_CHECKING:
    from bvtree._pose_set import PoseSet
    from bvtree._tables import to_pandas
    from bvtree._view import view

    from bvtree import buildings as buildings
    from bvtree import cluster as cluster
    from bvtree import fcl as fcl
    from bvtree import trimesh as trimesh
else:

    # Loading numpy takes longer than most runs of the program `bvtree`, which imports this package.
    _NEED_NUMPY = {"PoseSet": "_pose_set", "to_pandas": "_tables", "view": "_view"}

    def __getattr__(name: str) -> Any:
        """Imports a submodule, or a name that needs numpy, on first use."""
        if name in ("buildings", "cluster", "fcl", "trimesh"):
            return importlib.import_module(f"bvtree.{name}")
        if name in _NEED_NUMPY:
            return getattr(importlib.import_module(f"bvtree.{_NEED_NUMPY[name]}"), name)
        raise AttributeError(f"module 'bvtree' has no attribute {name!r}")

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})
