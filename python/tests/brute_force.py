"""Distances and contacts of small meshes from every pair of their triangles, in numpy and rational numbers: no code of the library's.

Triangles are (N, 3, 3) float64 arrays of corners, in one frame.
"""

from fractions import Fraction

import numpy as np

# Rounding of a projection of corners below 1e4 on an axis, with room.
_DOUBT = 1e-9


def triangles(mesh, pose=None):
    """The corners of a mesh, given by vertices and faces, at a pose."""
    vertices, faces = mesh
    corners = np.asarray(vertices, dtype=np.float32).astype(np.float64)[np.asarray(faces)]
    return corners if pose is None else corners @ pose[:3, :3].T + pose[:3, 3]


def touch(a, b):
    """Whether any triangle of `a` touches one of `b`: exact where the corners are, as they are at poses whose rotation only exchanges axes."""
    first, second = (part.reshape(-1, 3, 3) for part in np.broadcast_arrays(a[:, None], b[None, :]))
    near = ~(_boxes_apart(first, second))
    first, second = first[near], second[near]
    # Two triangles are apart if and only if one of these axes separates them: normals, products of edges, edges' normals in the plane.
    gap = np.full(len(first), -np.inf)
    for axes in _axes(first, second):
        length = np.linalg.norm(axes, axis=1)
        known = length > 1e-12
        unit = np.where(known[:, None], axes, 0) / np.where(known, length, 1)[:, None]
        p, q = np.einsum("nck,nk->nc", first, unit), np.einsum("nck,nk->nc", second, unit)
        apart = np.maximum(p.min(axis=1) - q.max(axis=1), q.min(axis=1) - p.max(axis=1))
        gap = np.maximum(gap, np.where(known, apart, -np.inf))
    if (gap < -_DOUBT).any():
        return True
    return any(_touch_exactly(*pair) for pair in zip(first[gap <= _DOUBT], second[gap <= _DOUBT]))


def distance(a, b):
    """The least distance between any two triangles, but for rounding; 0 exactly when they touch."""
    if len(a) == 0 or len(b) == 0:
        return np.inf
    if touch(a, b):
        return 0.0
    least = np.inf
    for p, q in ((a, b), (b, a)):
        for corner in p.reshape(-1, 3):
            least = min(least, _point_distance(corner, q))
    edges_a, edges_b = (np.concatenate([t[:, [i, (i + 1) % 3]] for i in range(3)]) for t in (a, b))
    return min(least, _edge_distance(edges_a, edges_b))


def contains(mesh, points):
    """Whether a closed mesh contains each point, none of which is on it, by the solid angles of its triangles."""
    corners = mesh[None] - points[:, None, None]
    a, b, c = corners[:, :, 0], corners[:, :, 1], corners[:, :, 2]
    la, lb, lc = (np.linalg.norm(v, axis=-1) for v in (a, b, c))
    triple = np.einsum("ijk,ijk->ij", a, np.cross(b, c))
    dot = lambda p, q: np.einsum("ijk,ijk->ij", p, q)
    angle = 2 * np.arctan2(triple, la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb)
    return np.abs(angle.sum(axis=1)) > 2 * np.pi


def _boxes_apart(p, q):
    return ((p.min(axis=1) > q.max(axis=1)) | (q.min(axis=1) > p.max(axis=1))).any(axis=1)


def _edges(t):
    return [t[:, (i + 1) % 3] - t[:, i] for i in range(3)]


def _axes(p, q):
    of_p, of_q = _edges(p), _edges(q)
    normals = [np.cross(edges[0], edges[1]) for edges in (of_p, of_q)]
    yield from normals
    for e in of_p:
        yield from (np.cross(e, f) for f in of_q)
        yield np.cross(normals[0], e)
    yield from (np.cross(normals[1], f) for f in of_q)


def _touch_exactly(p, q):
    p, q = ([[Fraction(x) for x in corner] for corner in t.tolist()] for t in (p, q))
    cross = lambda u, v: [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]]
    dot = lambda u, v: u[0] * v[0] + u[1] * v[1] + u[2] * v[2]
    edges = [[[x - y for x, y in zip(t[(i + 1) % 3], t[i])] for i in range(3)] for t in (p, q)]
    normals = [cross(e[0], e[1]) for e in edges]
    axes = normals + [cross(e, f) for e in edges[0] for f in edges[1]]
    axes += [cross(n, e) for n, of_one in zip(normals, edges) for e in of_one]
    for axis in axes:
        first, second = [dot(axis, c) for c in p], [dot(axis, c) for c in q]
        if min(first) > max(second) or min(second) > max(first):
            return False
    return True


def _point_distance(point, t):
    """From all triangles to a point: to the plane where its foot is inside, to the edges elsewhere."""
    a, ab, ac = t[:, 0], t[:, 1] - t[:, 0], t[:, 2] - t[:, 0]
    normal = np.cross(ab, ac)
    area = np.einsum("nk,nk->n", normal, normal)
    w = point - a
    safe = np.where(area > 0, area, 1)
    u = np.einsum("nk,nk->n", np.cross(w, ac), normal) / safe
    v = np.einsum("nk,nk->n", np.cross(ab, w), normal) / safe
    inside = (area > 0) & (u >= 0) & (v >= 0) & (u + v <= 1)
    height = np.abs(np.einsum("nk,nk->n", w, normal)) / np.sqrt(safe)
    least = height[inside].min(initial=np.inf)
    for i in range(3):
        p, d = t[:, i], t[:, (i + 1) % 3] - t[:, i]
        square = np.einsum("nk,nk->n", d, d)
        s = np.clip(np.einsum("nk,nk->n", point - p, d) / np.where(square > 0, square, 1), 0, 1)
        least = min(least, np.linalg.norm(p + s[:, None] * d - point, axis=1).min())
    return least


def _edge_distance(p, q):
    """Of all pairs of edges whose nearest points are inside both; ends belong to triangles' corners."""
    d, e = (p[:, 1] - p[:, 0])[:, None], (q[:, 1] - q[:, 0])[None]
    w = p[:, 0][:, None] - q[:, 0][None]
    dot = lambda u, v: (u * v).sum(axis=-1)
    dd, ee, de, dw, ew = dot(d, d), dot(e, e), dot(d, e), dot(d, w), dot(e, w)
    area = dd * ee - de * de
    crossing = area > 1e-12 * dd * ee
    safe = np.where(crossing, area, 1)
    s, t = (de * ew - ee * dw) / safe, (dd * ew - de * dw) / safe
    inside = crossing & (s >= 0) & (s <= 1) & (t >= 0) & (t <= 1)
    between = np.linalg.norm(w + s[..., None] * d - t[..., None] * e, axis=-1)
    return between[inside].min(initial=np.inf)
