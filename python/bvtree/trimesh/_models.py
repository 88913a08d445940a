"""Meshes as what `bvtree.fcl` takes."""

from typing import Any

import numpy as np

from bvtree.fcl import BVHModel, Convex


def mesh_to_BVH(mesh: Any) -> BVHModel:
    """A mesh's surface, for the questions of `bvtree.fcl`, which has the names of python-fcl.

    Args:
        mesh: A `trimesh.Trimesh`, or something with vertices and faces.

    Returns:
        A `bvtree.fcl.BVHModel`. It is not one of python-fcl's, which that would not take.

    Raises:
        bvtree.InvalidMesh: If coordinates are not finite or indices out of range.
    """
    model = BVHModel()
    model.beginModel(num_tris_=len(mesh.faces), num_vertices_=len(mesh.vertices))
    model.addSubModel(verts=mesh.vertices, triangles=mesh.faces)
    model.endModel()
    return model


def mesh_to_convex(mesh: Any) -> Convex:
    """A convex mesh, which is solid, for the questions of `bvtree.fcl`.

    Args:
        mesh: A `trimesh.Trimesh`, or something with vertices and faces; closed and convex, which is not checked.

    Returns:
        A `bvtree.fcl.Convex`. It is not one of python-fcl's.

    Raises:
        bvtree.InvalidMesh: As `mesh_to_BVH`.
    """
    counted = np.insert(np.asarray(mesh.faces), 0, 3, axis=1)
    return Convex(mesh.vertices, len(counted), counted.flatten())
