"""Data of `bvtree.view`'s page: meshes and trees, in 16-bit coordinates of a cube around the mesh, as base64."""

import base64
import colorsys

import numpy as np

# Limits of a page: larger meshes are simplified, and levels that would exceed the number of volumes are omitted.
_TRIANGLES = 200_000
_VOLUMES = 20_000
_FULL = 65_535


def part(name, mesh, trees):
    """Returns the page's data for a mesh and its trees."""
    vertices, triangles, faces = _simplified(mesh)
    lower, upper = mesh.bounds
    # The cube has space for volumes that extend beyond the mesh's box.
    size = 2.0 * float((upper - lower).max()) or 1.0
    frame = {"origin": ((lower + upper) / 2 - size / 2).tolist(), "size": size}
    return {
        "name": name,
        "frame": frame,
        "positions": points(frame, vertices),
        "indices": _indices(triangles.ravel()),
        "triangles": len(mesh),
        "drawn": len(triangles),
        "trees": [_tree(tree, frame, faces) for tree in trees],
    }


def points(frame, rows):
    return _fractions((np.asarray(rows, dtype=np.float64) - frame["origin"]) / frame["size"])


def palette():
    """Returns twelve colours for each kind, around one hue; neighbours differ clearly."""
    hues = {"aabb": 215.0, "obb": 24.0, "sphere": 158.0, "kdop": 285.0}
    steps = [(5 * i % 12) / 11 - 0.5 for i in range(12)]

    def shade(hue, step):
        return colorsys.hls_to_rgb((hue + 26 * step) / 360, 0.48 - 0.24 * step, 0.7)

    return {kind: [shade(hue, step) for step in steps] for kind, hue in hues.items()}


def _tree(tree, frame, faces):
    nodes = tree.nodes()
    levels = np.bincount(nodes["level"])
    leaves = np.bincount(nodes["level"][nodes["children"] == 0], minlength=len(levels))
    # Size of the tree cut at each level: the nodes of the level, and the leaves above it.
    cuts = levels + np.cumsum(leaves) - leaves
    shown = max(int((np.cumsum(levels) <= _VOLUMES).sum()), 1)
    kept = nodes[: levels[:shown].sum()]
    center = (kept["center"] - frame["origin"]) / frame["size"]
    extents = kept["half_extents"] / frame["size"]
    words = {
        "aabb": lambda: [center, extents],
        "obb": lambda: [center, extents, 0.5 * _quaternions(kept["axes"]) + 0.5],
        "sphere": lambda: [center, extents[:, :1]],
        # The box around the k-DOP is drawn.
        "kdop": lambda: [center, extents],
    }[tree.kind]()
    return {
        "kind": tree.kind,
        "label": "",
        "nodes": len(nodes),
        "cuts": cuts.tolist(),
        "levels": levels[:shown].tolist(),
        "children": _bytes(kept["children"].astype(np.uint8)),
        "parents": _indices(np.maximum(kept["parent"], 0)),
        "volumes": _fractions(np.hstack(words)),
        "owners": _indices(_owners(tree, kept, shown - 1)[faces]),
    }


def _owners(tree, kept, level):
    """Returns for each face the node of a cut that contains it."""
    cut = np.flatnonzero((kept["level"] == level) | ((kept["children"] == 0) & (kept["level"] < level)))
    cut = cut[np.argsort(kept["first_triangle"][cut])]
    owners = np.empty(len(tree), dtype=np.int64)
    owners[tree.leaf_order] = np.repeat(cut, kept["triangles"][cut])
    return owners


def _quaternions(axes):
    """Returns quaternions x, y, z, w that rotate the coordinate axes to the boxes' axes.

    A box is its own mirror image, so one axis may be reversed.
    """
    m = axes.transpose(0, 2, 1).copy()
    m[np.linalg.det(m) < 0, :, 2] *= -1
    xx, yy, zz = m[:, 0, 0], m[:, 1, 1], m[:, 2, 2]
    xy, xz, yz = m[:, 0, 1] + m[:, 1, 0], m[:, 0, 2] + m[:, 2, 0], m[:, 1, 2] + m[:, 2, 1]
    xw, yw, zw = m[:, 2, 1] - m[:, 1, 2], m[:, 0, 2] - m[:, 2, 0], m[:, 1, 0] - m[:, 0, 1]
    # Each row is the quaternion times one of its components; the row of the largest component is the most exact.
    rows = np.stack(
        [
            np.stack([1 + xx - yy - zz, xy, xz, xw], axis=1),
            np.stack([xy, 1 - xx + yy - zz, yz, yw], axis=1),
            np.stack([xz, yz, 1 - xx - yy + zz, zw], axis=1),
            np.stack([xw, yw, zw, 1 + xx + yy + zz], axis=1),
        ],
        axis=1,
    )
    largest = np.argmax(np.einsum("nii->ni", rows), axis=1)
    found = rows[np.arange(len(rows)), largest]
    return found / np.linalg.norm(found, axis=1, keepdims=True)


def _simplified(mesh):
    """Returns vertices, triangles and their faces, of the mesh itself or of a simplified one.

    The simplified mesh merges the vertices of each cell of a grid (Rossignac and Borrel 1993).
    """
    vertices, triangles = mesh.vertices.astype(np.float64), mesh.faces
    faces, cells = np.arange(len(mesh)), 1024.0
    lower, upper = mesh.bounds
    drawn = vertices, triangles, faces
    while len(drawn[1]) > _TRIANGLES:
        cell = np.floor((vertices - lower) / ((upper - lower).max() / cells)).astype(np.int64)
        _, cluster = np.unique(cell, axis=0, return_inverse=True)
        cluster = cluster.ravel()
        counts = np.bincount(cluster)
        middles = np.stack([np.bincount(cluster, weights=x) / counts for x in vertices.T], axis=1)
        corners = np.sort(cluster[triangles], axis=1)
        _, first = np.unique(corners, axis=0, return_index=True)
        first = np.sort(first[(np.diff(corners[first], axis=1) > 0).all(axis=1)])
        drawn = middles, cluster[triangles[first]], faces[first]
        cells *= 0.8
    return drawn


def _fractions(values):
    return _bytes(np.rint(np.clip(values, 0.0, 1.0) * _FULL).astype("<u2"))


def _indices(values):
    wide = bool(len(values)) and int(values.max()) > _FULL
    return {"wide": wide, "data": _bytes(values.astype("<u4" if wide else "<u2"))}


def _bytes(array):
    return base64.b64encode(np.ascontiguousarray(array).tobytes()).decode()
