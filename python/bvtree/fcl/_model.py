"""Models: meshes and convex meshes."""

from typing import Any

import numpy as np

from bvtree import _bvtree as bv


class BVHModel:
    """A mesh. `endModel` builds its tree. It is a surface: what lies inside it does not touch it."""

    shape, solid = None, False

    def __init__(self) -> None:
        self._parts, self.mesh, self.tree = [], None, None

    def beginModel(self, num_tris_: Any = 0, num_vertices_: Any = 0) -> Any:
        """Begins a new model. The numbers are ignored."""
        self._parts, self.mesh, self.tree = [], None, None
        return 0

    def addSubModel(self, verts: Any, triangles: Any) -> Any:
        """Adds a copy of a mesh of (N, 3) vertices and (M, 3) faces, with indices into these vertices. Returns True."""
        self._parts.append((np.array(verts, dtype=np.float64).reshape(-1, 3), np.array(triangles).reshape(-1, 3)))
        return True

    def addTriangle(self, v1: Any, v2: Any, v3: Any) -> Any:
        """Adds a triangle, given by three points. Returns True."""
        return self.addSubModel(np.stack([v1, v2, v3]), [[0, 1, 2]])

    def endModel(self) -> Any:
        """Builds the tree.

        Raises:
            bvtree.InvalidMesh: If a coordinate is not finite or an index is out of range.
        """
        before = np.cumsum([0] + [len(vertices) for vertices, _ in self._parts])
        vertices = np.concatenate([np.zeros((0, 3))] + [vertices for vertices, _ in self._parts])
        faces = [np.zeros((0, 3), dtype=np.int64)]
        for first, (own, triangles) in zip(before, self._parts):
            if triangles.size and (triangles.min() < 0 or triangles.max() >= len(own)):
                raise bv.InvalidMesh(f"a face refers to a vertex that does not exist: there are {len(own)}")
            faces.append(triangles.astype(np.int64) + first)
        self.mesh = bv.Mesh(vertices, np.concatenate(faces))
        self.tree = bv.Tree(self.mesh, preset="fast")
        self._parts = []
        return 0

    def num_tries_(self) -> Any:
        """Returns the number of triangles."""
        return 0 if self.tree is None else len(self.tree)


class Convex:
    """A convex mesh. It is solid if it is closed: what lies inside it touches it.

    Args:
        vertices: (N, 3) numbers.
        num_faces: Number of faces.
        faces: One array with, for each face, the number of its corners followed by their indices.

    Raises:
        bvtree.InvalidMesh: If a coordinate is not finite or an index is out of range.
        ValueError: If the number of faces differs. Whether the mesh is convex is not checked.
    """

    def __init__(self, vertices: Any, num_faces: Any, faces: Any) -> None:
        self.num_faces, triangles = num_faces, []
        rest = np.asarray(faces, dtype=np.int64).ravel().tolist()
        start, found = 0, 0
        while start < len(rest):
            corners = rest[start + 1 : start + 1 + rest[start]]
            if len(corners) < 3 or len(corners) != rest[start]:
                raise ValueError(f"face {found} has {len(corners)} corners, expected {rest[start]}")
            triangles += [(corners[0], *edge) for edge in zip(corners[1:], corners[2:])]
            start, found = start + 1 + len(corners), found + 1
        if found != num_faces:
            raise ValueError(f"expected {num_faces} faces, got {found}")
        self.mesh = bv.Mesh(vertices, np.array(triangles, dtype=np.int64).reshape(-1, 3))
        self.tree = bv.Tree(self.mesh, preset="fast")
        self.solid = self.tree.is_closed
        self.shape = bv.ConvexShape(self.mesh.vertices) if self.solid and len(self.mesh.vertices) else None


class _Shape:
    """A convex shape, which is solid: about the origin, with its axis along z."""

    mesh, tree, solid = None, None, True

    def __init__(self, shape: Any) -> None:
        self.shape = shape


class Box(_Shape):
    """A box of these side lengths.

    Raises:
        bvtree.Error: If a length is negative or not finite.
    """

    def __init__(self, x: Any, y: Any, z: Any) -> None:
        super().__init__(bv.ConvexShape.box([x, y, z]))
        self.side = np.array([x, y, z], dtype=np.float64)


class Sphere(_Shape):
    """A sphere.

    Raises:
        bvtree.Error: If the radius is negative or not finite.
    """

    def __init__(self, radius: Any) -> None:
        super().__init__(bv.ConvexShape.sphere(radius))
        self.radius = radius


class _Round(_Shape):
    def __init__(self, make: Any, radius: Any, lz: Any) -> None:
        super().__init__(make(radius, lz))
        self.radius, self.lz = radius, lz


class Cylinder(_Round):
    """A cylinder of a radius and a length along z.

    Raises:
        bvtree.Error: If a length is negative or not finite.
    """

    def __init__(self, radius: Any, lz: Any) -> None:
        super().__init__(bv.ConvexShape.cylinder, radius, lz)


class Cone(_Round):
    """A cone of a radius and a length along z, with its apex above.

    Raises:
        bvtree.Error: If a length is negative or not finite.
    """

    def __init__(self, radius: Any, lz: Any) -> None:
        super().__init__(bv.ConvexShape.cone, radius, lz)


class Capsule(_Round):
    """A capsule: all points within a radius of a segment of this length along z.

    Raises:
        bvtree.Error: If a length is negative or not finite.
    """

    def __init__(self, radius: Any, lz: Any) -> None:
        super().__init__(bv.ConvexShape.capsule, radius, lz)


class Halfspace:
    """The half-space of all points x with n . x <= d, which is solid.

    Raises:
        ValueError: If the normal is zero or a number is not finite.
    """

    mesh, tree, shape, solid = None, None, None, True

    def __init__(self, n: Any, d: Any) -> None:
        normal = np.asarray(n, dtype=np.float64)
        length = np.linalg.norm(normal)
        if normal.shape != (3,) or not (np.isfinite(length) and np.isfinite(d) and length > 0):
            raise ValueError("expected a normal of three finite numbers, not all zero, and a finite offset")
        self.n, self.d = normal / length, float(d) / length


def body(geom: Any) -> Any:
    """Returns what a scene takes: the tree, or the shape; None for a half-space."""
    return geom.tree if geom.tree is not None else geom.shape
