"""Penetration depth and contact points of two bodies, for `bvtree.trimesh` and `bvtree.fcl`.

A body has a `mesh`, its `tree` and a `pose` in the world, and is `solid` if the mesh is closed and convex.
"""

from typing import NamedTuple, Tuple

import numpy as np

from bvtree import _bvtree as bv

# Maximum product of the numbers of directions and corners; beyond it, some directions are omitted.
_MOST = 20_000_000
# Maximum product of both meshes' numbers of edges; beyond it, cross products of edges are omitted.
_MOST_EDGES = 20_000


class Overlap(NamedTuple):
    """An overlap of bodies A and B, in the world: moving B along the normal by the depth separates it from A."""

    faces: Tuple[int, int]
    point: np.ndarray
    normal: np.ndarray
    depth: float


def contacts(a, b):
    """Returns the contacts of two colliding bodies in the world, as arrays `faces`, `point`, `normal` and `depth`."""
    if a.solid and b.solid:
        return _as_arrays(solid(a, b))
    b_to_a = bv.relative_pose(a.pose, b.pose)
    found = bv.contacts(a.tree, b.tree, b_to_a)
    if len(found) == 0:
        return _as_arrays(solid(a, b))
    faces = np.column_stack([found["face_a"], found["face_b"]])
    normal = found["normal_a"] - found["normal_b"]
    length = np.linalg.norm(normal, axis=1, keepdims=True)
    normal = np.where(length > 1e-12, normal / np.maximum(length, 1e-300), found["normal_a"])
    point = np.nansum(found["points"], axis=1) / found["count"][:, None]
    corners_a, corners_b = _corners(a.mesh, faces[:, 0]), _corners(b.mesh, faces[:, 1])
    corners_b = corners_b @ b_to_a[:3, :3].T + b_to_a[:3, 3]
    # Depth of the corners of each triangle behind the plane of the other one.
    behind_a = -np.einsum("mcx,mx->mc", corners_b - point[:, None], found["normal_a"]).min(axis=1)
    behind_b = -np.einsum("mcx,mx->mc", corners_a - point[:, None], found["normal_b"]).min(axis=1)
    depth = np.maximum(np.minimum(behind_a, behind_b), 0.0)
    rotation, translation = a.pose[:3, :3], a.pose[:3, 3]
    return {
        "faces": faces,
        "point": point @ rotation.T + translation,
        "normal": normal @ rotation.T,
        "depth": depth,
    }


def _as_arrays(found):
    return {
        "faces": np.array([found.faces]),
        "point": found.point[None],
        "normal": found.normal[None],
        "depth": np.array([found.depth]),
    }


def solid(a, b):
    """Returns the overlap of two bodies, at least one of which is solid.

    The depth is the minimum over the normals of solid bodies' faces, the cross products of their edges if those are
    few, and the direction that `penetration` returns. For two small convex meshes it is the exact penetration depth
    (separating axes), for large ones an upper bound. Among directions of equal depth, the first in
    lexicographic order is chosen.
    """
    b_to_a = bv.relative_pose(a.pose, b.pose)
    corners_a = a.mesh.vertices.astype(np.float64)
    corners_b = b.mesh.vertices.astype(np.float64) @ b_to_a[:3, :3].T + b_to_a[:3, 3]
    directions = _directions(a, b, b_to_a)
    most = max(_MOST // (len(corners_a) + len(corners_b)), 1)
    if len(directions) > most:
        directions = directions[np.linspace(0, len(directions) - 1, most).astype(int)]
    found = bv.penetration(a.tree, b.tree, b_to_a)
    if found is not None:
        directions = np.vstack([directions, found.direction])
    depths = (corners_a @ directions.T).max(axis=0) - (corners_b @ directions.T).min(axis=0)
    size = max(np.ptp(corners_a, axis=0).max(), np.ptp(corners_b, axis=0).max(), 1e-300)
    least = directions[depths <= depths.min() + 1e-9 * size]
    normal = least[np.lexsort(np.round(least, 9).T[::-1])[0]]
    depth = max(float(depths.min()), 0.0)
    point, faces = _place(a, b, corners_a, corners_b, b_to_a, normal, depth, 1e-6 * size)
    rotation, translation = a.pose[:3, :3], a.pose[:3, 3]
    return Overlap(faces, rotation @ point + translation, rotation @ normal, depth)


def _directions(a, b, b_to_a):
    """Returns unit directions to try, in A's frame."""
    turned = [(a, np.eye(3))] * a.solid + [(b, b_to_a[:3, :3])] * b.solid
    normals = [_distinct(_normals(body.mesh)) @ rotation.T for body, rotation in turned]
    tried = list(normals)
    if len(turned) == 2:
        edges = [_distinct(_edges(body.mesh)) @ rotation.T for body, rotation in turned]
        if len(edges[0]) * len(edges[1]) <= _MOST_EDGES:
            tried.append(_distinct(np.cross(edges[0][:, None], edges[1][None]).reshape(-1, 3)))
    tried = np.vstack(tried)
    return np.vstack([tried, -tried])


def _corners(mesh, faces):
    return mesh.vertices[mesh.faces[faces]].astype(np.float64)


def _normals(mesh):
    corners = mesh.vertices.astype(np.float64)[mesh.faces]
    return np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])


def _edges(mesh):
    """Returns the edges between faces that are not coplanar."""
    edges = np.sort(mesh.faces[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1)
    unique, inverse, counts = np.unique(edges, axis=0, return_inverse=True, return_counts=True)
    normals = _unit(_normals(mesh)).repeat(3, axis=0)
    sums = np.zeros((len(unique), 3))
    np.add.at(sums, inverse.ravel(), normals)
    flat = (counts == 2) & (np.linalg.norm(sums, axis=1) > 2 - 1e-9)
    unique = unique[~flat]
    corners = mesh.vertices.astype(np.float64)
    return corners[unique[:, 1]] - corners[unique[:, 0]]


def _unit(vectors):
    length = np.linalg.norm(vectors, axis=1, keepdims=True)
    keep = length.ravel() > 1e-12 * max(length.max(initial=0.0), 1e-300)
    return np.where(keep[:, None], vectors / np.maximum(length, 1e-300), 0.0)


def _distinct(vectors):
    """Returns unit vectors, one for each direction and its opposite."""
    vectors = _unit(vectors)
    vectors = vectors[np.abs(vectors).max(axis=1, initial=0.0) > 0]
    # Makes the first nonzero coordinate positive.
    first = np.argmax(np.abs(vectors) > 1e-9, axis=1)
    vectors = vectors * np.sign(vectors[np.arange(len(vectors)), first])[:, None]
    _, kept = np.unique(np.round(vectors, 7), axis=0, return_index=True)
    return vectors[np.sort(kept)]


def _place(a, b, corners_a, corners_b, b_to_a, normal, depth, tolerance):
    """Returns the middle of the overlap, and the face of each body there."""
    along_a, along_b = corners_a @ normal, corners_b @ normal
    far_a = np.flatnonzero(along_a >= along_a.max() - tolerance)
    far_b = np.flatnonzero(along_b <= along_b.min() + tolerance)
    faces = _face_at(a.mesh, far_a[0], normal), _face_at(b.mesh, far_b[0], -b_to_a[:3, :3].T @ normal)
    if a.solid:
        inside = a.tree.signed_distance(corners_b[far_b]) <= tolerance
        if inside.any():
            corner = far_b[np.argmax(inside)]
            face = _face_at(b.mesh, corner, -b_to_a[:3, :3].T @ normal)
            return corners_b[corner] + depth / 2 * normal, (faces[0], face)
    if b.solid:
        local = (corners_a[far_a] - b_to_a[:3, 3]) @ b_to_a[:3, :3]
        inside = b.tree.signed_distance(local) <= tolerance
        if inside.any():
            corner = far_a[np.argmax(inside)]
            return corners_a[corner] - depth / 2 * normal, (_face_at(a.mesh, corner, normal), faces[1])
    found = bv.contacts(a.tree, b.tree, b_to_a)
    if len(found):
        return np.nanmean(found["points"].reshape(-1, 3), axis=0), (int(found["face_a"][0]), int(found["face_b"][0]))
    return (corners_a[far_a[0]] + corners_b[far_b[0]]) / 2, faces


def _face_at(mesh, corner, direction):
    """Returns the face at a corner whose normal is closest to a direction."""
    faces = np.flatnonzero((mesh.faces == corner).any(axis=1))
    if len(faces) == 0:
        return -1
    normals = _unit(_normals(mesh)[faces])
    return int(faces[np.argmax(normals @ direction)])
