"""Conversion of meshes to models of `bvtree.fcl`."""

from typing import Any

import numpy as np

from bvtree.fcl import BVHModel, Convex


def mesh_to_BVH(mesh: Any) -> BVHModel:
    """Converts a mesh to a model of its surface for the functions of `bvtree.fcl`.

    Args:
        mesh: A `trimesh.Trimesh`, or any object with `vertices` and `faces`.

    Returns:
        A `bvtree.fcl.BVHModel`, which python-fcl's own functions do not accept.

    Raises:
        bvtree.InvalidMesh: If a coordinate is not finite or an index is out of range.
    """
    model = BVHModel()
    model.beginModel(num_tris_=len(mesh.faces), num_vertices_=len(mesh.vertices))
    model.addSubModel(verts=mesh.vertices, triangles=mesh.faces)
    model.endModel()
    return model


def mesh_to_convex(mesh: Any) -> Convex:
    """Converts a convex mesh to a solid model for the functions of `bvtree.fcl`.

    Args:
        mesh: A `trimesh.Trimesh`, or any object with `vertices` and `faces`. It must be closed and convex, which is not
            checked.

    Returns:
        A `bvtree.fcl.Convex`, which python-fcl's own functions do not accept.

    Raises:
        bvtree.InvalidMesh: See `mesh_to_BVH`.
    """
    counted = np.insert(np.asarray(mesh.faces), 0, 3, axis=1)
    return Convex(mesh.vertices, len(counted), counted.flatten())
