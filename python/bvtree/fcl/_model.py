"""Meshes."""

from typing import Any

import numpy as np

from bvtree import _bvtree as bv


class BVHModel:
    """A mesh, which is built into a tree by `endModel`."""

    def __init__(self) -> None:
        self._parts, self.mesh, self.tree = [], None, None

    def beginModel(self, num_tris_: Any = 0, num_vertices_: Any = 0) -> Any:
        """Starts anew."""
        self._parts, self.mesh, self.tree = [], None, None
        return 0

    def addSubModel(self, verts: Any, triangles: Any) -> Any:
        """Adds (N, 3) vertices and (M, 3) faces, whose indices count from 0."""
        self._parts.append((np.asarray(verts, dtype=np.float64).reshape(-1, 3), np.asarray(triangles).reshape(-1, 3)))
        return 0

    def addTriangle(self, v1: Any, v2: Any, v3: Any) -> Any:
        """Adds a triangle of three points."""
        return self.addSubModel(np.stack([v1, v2, v3]), [[0, 1, 2]])

    def endModel(self) -> Any:
        """Builds the tree.

        Raises:
            bvtree.InvalidMesh: If coordinates are not finite or indices out of range.
        """
        before = np.cumsum([0] + [len(vertices) for vertices, _ in self._parts])
        vertices = np.concatenate([np.zeros((0, 3))] + [vertices for vertices, _ in self._parts])
        faces = [np.zeros((0, 3), dtype=np.int64)]
        for first, (own, triangles) in zip(before, self._parts):
            if triangles.size and (triangles.min() < 0 or triangles.max() >= len(own)):
                raise bv.InvalidMesh(f"a face refers to a vertex that is not there: there are {len(own)}")
            faces.append(triangles.astype(np.int64) + first)
        self.mesh = bv.Mesh(vertices, np.concatenate(faces))
        self.tree = bv.Tree(self.mesh, preset="fast")
        self._parts = []
        return 0

    def num_tries_(self) -> Any:
        """How many triangles there are."""
        return 0 if self.tree is None else len(self.tree)
