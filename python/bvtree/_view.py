"""A page that shows trees in 3D, for notebooks and files: the page of the command `bvtree view`.

Modules that only the page needs are imported on use, because importing them takes longer than the rest of the package.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Optional, Sequence, Union

import numpy as np

from bvtree import _bvtree as bv

if TYPE_CHECKING:
    from bvtree._types import MeshLike, Path, PoseLike

# Maximum number of highlighted triangles.
_HIGHLIGHTED = 100_000
# Level that a page shows first.
_FIRST_LEVEL = 2
# The page loads nothing from elsewhere.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data: blob:"
_KINDS = ("aabb", "obb", "sphere", "kdop")


class Page:
    """A self-contained HTML page. A notebook shows it as the value of a cell.

    Attributes:
        html: The source of the page.
        height: Height in a notebook, in pixels.
    """

    def __init__(self, html: str, height: int) -> None:
        self.html, self.height = html, height

    def save(self, path: Path) -> None:
        """Writes the page to a file that any browser opens."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.html)

    def _repr_html_(self) -> str:
        import html

        style = f"display: block; box-sizing: border-box; width: 100%; height: {self.height}px; border: 1px solid #8884"
        return f'<iframe srcdoc="{html.escape(self.html)}" sandbox="allow-scripts" style="{style}"></iframe>'

    def __repr__(self) -> str:
        return f"<bvtree page: {len(self.html) // 1000} kB>"


def view(
    a: Union[bv.Tree, MeshLike],
    b: Optional[Union[bv.Tree, MeshLike]] = None,
    pose: Optional[PoseLike] = None,
    *,
    names: Sequence[str] = ("A", "B"),
    up: Literal["y", "z"] = "z",
    height: int = 520,
) -> Page:
    """Shows a tree, or two posed meshes and their intersection, in 3D.

    Args:
        a: A `Tree`, or any mesh that `Tree` takes. From a mesh, a tree of each kind is built, or of B's kind if B is a
            `Tree`.
        b: A second tree or mesh, or None.
        pose: One pose of B in A's frame; see `intersects`.
        names: Names of the two meshes.
        up: The axis that points up, "y" or "z".
        height: Height in a notebook, in pixels.

    Returns:
        A page, which a notebook shows and `save(path)` writes to a file. It has the mesh and the volumes of each level
        of its tree; for two meshes, it highlights the intersecting triangles. Meshes of more than 200,000 triangles are
        simplified, and the levels shown of a tree have at most 20,000 volumes in all.

    Raises:
        ValueError: If a mesh has no triangles, or several poses are given.

    Examples:
        >>> import bvtree
        >>> tree = bvtree.Tree(([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]]))
        >>> bvtree.view(tree).html.startswith("<!DOCTYPE html>")
        True
    """
    from bvtree import _drawing

    if up not in ("y", "z"):
        raise ValueError(f"up: expected y or z, got {up!r}")
    # The page shows volumes of one kind at a time, for both meshes.
    trees_a = _trees(a, [b.kind] if isinstance(b, bv.Tree) else _KINDS, True)
    meshes = [trees_a[0].to_mesh()]
    parts = [_drawing.part(str(names[0]), meshes[0], trees_a)]
    if b is None:
        title, looks = str(names[0]), {}
        summary = [[f"{len(meshes[0])} triangles", ""]]
    else:
        title, looks = f"{names[0]} and {names[1]}", {"look": "clear", "volumes": False}
        trees_b = _trees(b, [tree.kind for tree in trees_a], False)
        meshes.append(trees_b[0].to_mesh())
        parts.append(_drawing.part(str(names[1]), meshes[1], trees_b))
        pose = bv.relative_pose(np.eye(4), np.eye(4) if pose is None else pose)
        if pose.ndim != 2:
            raise ValueError("pose: expected one")
        parts[1]["pose"] = pose[:3].ravel().tolist()
        summary = _meet(trees_a[0], trees_b[0], pose, meshes, parts)
    kinds = [tree.kind for tree in trees_a]
    start = {"kind": "obb" if "obb" in kinds else kinds[0], "level": _FIRST_LEVEL, "looks": looks}
    scene = {"up": up, "parts": parts}
    data = {"title": title, "summary": summary, "palette": _drawing.palette(), "start": start, "scene": scene}
    return Page(_page(f"{title} - bvtree", data), height)


def _trees(thing, kinds, any_kind):
    """Builds trees of these kinds, or returns the given tree alone if any kind will do or its kind is the only one."""
    if isinstance(thing, bv.Tree) and (any_kind or [thing.kind] == kinds):
        trees = [thing]
    else:
        mesh = thing.to_mesh() if isinstance(thing, bv.Tree) else bv.Mesh.from_object(thing)
        trees = [bv.Tree(mesh, kind) for kind in kinds]
    if len(trees[0]) == 0:
        raise ValueError("a mesh without triangles: there is nothing to view")
    return trees


def _meet(a, b, pose, meshes, parts):
    """Highlights the intersecting triangles, and returns a summary of the intersection."""
    from bvtree import _drawing

    pairs = bv.intersecting_pairs(a, b, pose)
    if len(pairs) == 0:
        apart = bv.distance(a, b, pose)
        return [["No triangles touch: ", ""], [f"{apart:.4} apart", "strong"], [".", ""]]
    faces = [np.unique(pairs[:, side]) for side in (0, 1)]
    for mesh, part, own in zip(meshes, parts, faces):
        corners = mesh.vertices[mesh.faces[own[:_HIGHLIGHTED]]].reshape(-1, 3)
        part["highlighted"], part["highlights"] = _drawing.points(part["frame"], corners), len(own)
    verb = "pair of triangles intersects" if len(pairs) == 1 else "pairs of triangles intersect"
    named = [f"{part['name']}'s" for part in parts]
    of = named if named[0] != named[1] else ["the first's", "the second's"]
    return [[f"{len(pairs)} {verb}", "touching"], [f": {len(faces[0])} of {of[0]} and {len(faces[1])} of {of[1]}.", ""]]


def _page(title, data):
    import html
    import json

    style, body, modules = bv._viewer()
    # All modules become one script, so imports and exports are dropped.
    lines = (line for line in modules.splitlines() if not line.startswith("import "))
    script = "\n".join(line[len("export ") :] if line.startswith("export ") else line for line in lines)
    # Escapes `<`, so that no string in the data ends the script element.
    data = json.dumps(data).replace("<", "\\u003c")
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        f'<link rel="icon" href="data:,">\n<title>{html.escape(title)}</title>\n<style>\n{style}</style>\n</head>\n'
        f'<body>\n{body}<script type="application/json" id="data">{data}</script>\n'
        f'<script>\n"use strict";\n{{\n{script}\n}}\n</script>\n</body>\n</html>\n'
    )
