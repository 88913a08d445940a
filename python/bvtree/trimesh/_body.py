"""A mesh of the manager: its tree, and what two of them have in common."""

import sys

import numpy as np

from bvtree import _bvtree as bv
from bvtree import _overlap
from bvtree.trimesh._data import ContactData, DistanceData


class Body:
    """A mesh, its tree and where it stands."""

    def __init__(self, mesh, transform):
        self.source = mesh
        self.number = None
        transform = np.eye(4) if transform is None else np.array(transform, dtype=np.float64)
        if transform.shape != (4, 4):
            raise ValueError("transform must be (4,4)!")
        if _is_rigid(transform):
            self.mesh, self.tree, self.solid = _tree(self.source)
            self.pose = transform
        else:
            vertices = np.asarray(self.source.vertices, dtype=np.float64)
            vertices = vertices @ transform[:3, :3].T + transform[:3, 3]
            self.mesh = bv.Mesh(vertices, self.source.faces)
            self.tree = bv.Tree(self.mesh, preset="fast")
            self.solid = _is_solid(self.source, self.tree)
            self.pose = np.eye(4)


def _is_rigid(transform):
    rotation = transform[:3, :3]
    if not np.isfinite(transform).all() or (transform[3] != [0, 0, 0, 1]).any():
        # For the pose to refuse.
        return True
    return np.abs(rotation.T @ rotation - np.eye(3)).max() <= 1e-4 and np.linalg.det(rotation) > 0


def _is_solid(mesh, tree):
    """Whether a mesh is convex, which trimesh also says of some that are open, and has an inside."""
    return bool(getattr(mesh, "is_convex", False)) and tree.is_closed


def _tree(mesh):
    """The mesh, its tree, and whether it is solid: kept with a trimesh until that changes."""
    cache = getattr(mesh, "_cache", None)
    try:
        kept = cache["bvtree"]
        if kept is not None:
            return kept
    except (KeyError, TypeError):
        pass
    own = bv.Mesh.from_object(mesh)
    # Most are asked a few times only.
    tree = bv.Tree(own, preset="fast")
    made = own, tree, _is_solid(mesh, tree)
    try:
        cache["bvtree"] = made
    except TypeError:
        # No such cache: the tree is built anew next time.
        pass
    return made


def contacts(names, a, b):
    """The contacts of two bodies that collide, as many as are to be told of a pair."""
    found = _overlap.contacts(a, b)
    # Programs set it in the package.
    most = sys.modules["bvtree.trimesh"].COLLISION_PER_PAIR_CAP
    rows = zip(found["faces"][:most].tolist(), found["point"], found["normal"], found["depth"].tolist())
    return [ContactData(names, faces, point, normal, depth) for faces, point, normal, depth in rows]


def overlap_distance(names, a, b):
    """The distance of two bodies that collide: 0, or minus the depth of two solids."""
    if a.solid and b.solid:
        found = _overlap.solid(a, b)
        half = found.depth / 2 * found.normal
        return DistanceData(names, found.faces, (found.point + half, found.point - half), -found.depth)
    nearest = bv.closest_points(a.tree, b.tree, bv.relative_pose(a.pose, b.pose))
    points = [a.pose[:3, :3] @ point + a.pose[:3, 3] for point in (nearest.on_a, nearest.on_b)]
    return DistanceData(names, (int(nearest.face_a), int(nearest.face_b)), points, 0.0)
