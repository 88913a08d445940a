"""A mesh of a collision manager, with its tree; contacts and distance of two meshes that collide."""

import sys

import numpy as np

from bvtree import _bvtree as bv
from bvtree import _overlap
from bvtree.trimesh._data import ContactData, DistanceData


class Body:
    """A mesh, its tree and its pose."""

    def __init__(self, mesh, transform):
        self.source = mesh
        self.number = None
        transform = np.eye(4) if transform is None else np.array(transform, dtype=np.float64)
        if transform.shape != (4, 4):
            raise ValueError("transform must be (4,4)!")
        self.is_rigid = _is_rigid(transform)
        if self.is_rigid:
            self.mesh, self.tree, self.solid = _tree(self.source)
            self.pose = transform
        else:
            vertices = np.asarray(self.source.vertices, dtype=np.float64)
            vertices = vertices @ transform[:3, :3].T + transform[:3, 3]
            self.mesh = bv.Mesh(vertices, self.source.faces)
            self.tree = bv.Tree(self.mesh, preset="fast")
            self.solid = _is_solid(self.source, self.tree)
            self.pose = np.eye(4)


    def keep(self):
        """Keeps a copy of the mesh for other transforms: what changes the mesh later does not change the body."""
        kept = (self.mesh, self.tree, self.solid) if self.is_rigid else None
        self.source = _Copy(self.source, kept)


class _Copy:
    """A copy of a mesh, with a cache of what `_tree` returns."""

    def __init__(self, mesh, kept):
        self.vertices, self.faces = np.array(mesh.vertices, dtype=np.float64), np.array(mesh.faces)
        self.is_convex = bool(getattr(mesh, "is_convex", False))
        self._cache = {"bvtree": kept}


def _is_rigid(transform):
    rotation = transform[:3, :3]
    if not np.isfinite(transform).all() or (transform[3] != [0, 0, 0, 1]).any():
        # The pose is rejected later, with a better message.
        return True
    return np.abs(rotation.T @ rotation - np.eye(3)).max() <= 1e-4 and np.linalg.det(rotation) > 0


def _is_solid(mesh, tree):
    """Returns whether a mesh is convex and closed. trimesh calls some open meshes convex."""
    return bool(getattr(mesh, "is_convex", False)) and tree.is_closed


def _tree(mesh):
    """Returns a mesh, its tree and whether it is solid; cached with a `trimesh.Trimesh` until that changes."""
    cache = getattr(mesh, "_cache", None)
    try:
        kept = cache["bvtree"]
        if kept is not None:
            return kept
    except (KeyError, TypeError):
        pass
    own = bv.Mesh.from_object(mesh)
    # Most meshes are queried only a few times.
    tree = bv.Tree(own, preset="fast")
    made = own, tree, _is_solid(mesh, tree)
    try:
        cache["bvtree"] = made
    except TypeError:
        # Without a cache, the tree is built again next time.
        pass
    return made


def contacts(names, a, b):
    """Returns the contacts of two colliding bodies, at most `COLLISION_PER_PAIR_CAP`."""
    found = _overlap.contacts(a, b)
    # Programs assign another limit to the package's variable.
    most = sys.modules["bvtree.trimesh"].COLLISION_PER_PAIR_CAP
    rows = zip(found["faces"][:most].tolist(), found["point"], found["normal"], found["depth"].tolist())
    return [ContactData(names, faces, point, normal, depth) for faces, point, normal, depth in rows]


def overlap_distance(names, a, b):
    """Returns the distance between two colliding bodies: 0, or minus the penetration depth of two solids."""
    if a.solid and b.solid:
        found = _overlap.solid(a, b)
        half = found.depth / 2 * found.normal
        return DistanceData(names, found.faces, (found.point + half, found.point - half), -found.depth)
    nearest = bv.closest_points(a.tree, b.tree, bv.relative_pose(a.pose, b.pose))
    points = [a.pose[:3, :3] @ point + a.pose[:3, 3] for point in (nearest.on_a, nearest.on_b)]
    return DistanceData(names, (int(nearest.face_a), int(nearest.face_b)), points, 0.0)
