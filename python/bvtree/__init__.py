"""Exact questions about triangle meshes: do they touch, where, how far apart are they, when do they meet?

A `Mesh` is made of arrays or read from a file; a `Tree` is built of it, and asked. A question about two trees takes a pose,
a (4, 4) matrix that takes B's points into A's frame, or N of them at once:

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

Lengths are in the meshes' unit. Vertices are float32, everything is computed in float64, and whether triangles touch is
decided exactly. Trees may be shared among threads; every call that takes more than some microseconds lets Python's other threads run.
"""

import importlib
from typing import TYPE_CHECKING, Any

from bvtree._bvtree import (
    DeformingTree,
    DistanceTracker,
    Error,
    InvalidFile,
    InvalidMesh,
    InvalidPose,
    Mesh,
    NotClosed,
    Scene,
    Tree,
    __version__,
    closest,
    compare,
    contact_patches,
    contacts,
    count_pairs,
    distance,
    intersecting_pairs,
    intersection_curves,
    intersects,
    metrics,
    pairs_within,
    penetration,
    pose_from_axis_angle,
    pose_from_euler_angles,
    pose_from_quaternion,
    pose_from_translation,
    relation,
    relative_pose,
    self_pairs,
    time_of_impact,
    within,
)

from bvtree._tables import to_pandas
from bvtree._view import view

__all__ = [
    "DeformingTree",
    "DistanceTracker",
    "Error",
    "InvalidFile",
    "InvalidMesh",
    "InvalidPose",
    "Mesh",
    "NotClosed",
    "Scene",
    "Tree",
    "__version__",
    "closest",
    "compare",
    "contact_patches",
    "contacts",
    "count_pairs",
    "distance",
    "intersecting_pairs",
    "intersection_curves",
    "intersects",
    "metrics",
    "pairs_within",
    "penetration",
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
    "within",
]

if TYPE_CHECKING:
    from bvtree import cluster as cluster
    from bvtree import fcl as fcl
    from bvtree import trimesh as trimesh
else:

    def __getattr__(name: str) -> Any:
        """Imports subpackages when they are first used, for they need other packages."""
        if name in ("cluster", "fcl", "trimesh"):
            return importlib.import_module(f"bvtree.{name}")
        raise AttributeError(f"module 'bvtree' has no attribute {name!r}")
