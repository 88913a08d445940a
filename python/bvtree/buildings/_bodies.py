"""Elements of a building, written as the bodies of a manifest of `bvtree clash`."""

from __future__ import annotations

import hashlib
import itertools
import json
import os
from dataclasses import dataclass, field
from typing import Any, Dict, Iterable, List, Optional, Set

import numpy as np
from numpy.typing import NDArray

from bvtree import _bvtree as bv
from bvtree.buildings._snap import snapped

MANIFEST = "bodies.json"


@dataclass
class Element:
    """An element of a building.

    Attributes:
        properties: What is known about the element: `GlobalId`, `name`, `class`, `type`, `storey`, `file`, `layer`,
            `path` (the assemblies that it is in), `host` (the GlobalId of the element whose opening it fills) and any
            others. Values are text.
        vertices: Local coordinates, (N, 3), in metres.
        faces: Triangles, (M, 3).
        pose: Maps local to world coordinates, (4, 4).
        geometry: A key that is equal for elements with the same vertices and faces, or None.

    Raises:
        TypeError: If properties, vertices or faces are missing. Their values are checked by `write_bodies`.
    """

    properties: Dict[str, str]
    vertices: NDArray[Any]
    faces: NDArray[Any]
    pose: NDArray[Any] = field(default_factory=lambda: np.eye(4))
    geometry: Optional[str] = None


def write_bodies(
    elements: Iterable[Element],
    folder: str,
    *,
    label: str = "",
    snap: float = 0.0,
    grid: Iterable[Iterable[Dict[str, Any]]] = (),
) -> int:
    """Writes a manifest `bodies.json` and a cooked tree for each different mesh into an existing folder.

    A body is named `label/storey/path/class/name/GlobalId`, without the parts that are not known. Elements without
    triangles are left out.

    Args:
        elements: The elements.
        folder: The folder.
        label: The first part of the bodies' names, which tells files apart.
        snap: World coordinates are rounded to multiples of this length (see `snapped`); 0 rounds nothing.
        grid: Families of axes by which reports name places. An axis is a dict with its `name` and two points in plan,
            `ends`.

    Returns:
        The number of bodies.

    Raises:
        InvalidMesh, ValueError: If vertices, faces or a pose have another shape, or a face's vertex does not exist.
        ValueError: If `snap` is negative or not finite.
        OSError: If the folder cannot be written.
    """
    bodies: List[Dict[str, Any]] = []
    meshes: Dict[Any, Any] = {}
    for element in elements:
        pose = np.array(element.pose, dtype=np.float64)
        key = element.geometry if snap == 0 and _is_rigid(pose) else None
        if key is not None and key in meshes:
            mesh, origin = meshes[key]
        else:
            vertices = np.asarray(element.vertices, dtype=np.float64)
            if key is None:
                vertices, pose = vertices @ pose[:3, :3].T + pose[:3, 3], np.eye(4)
            local, origin = snapped(vertices, snap)
            mesh = _cooked(local, np.asarray(element.faces), folder)
            if key is not None:
                meshes[key] = mesh, origin
        if mesh is None:
            continue
        translation = pose[:3, :3] @ origin + pose[:3, 3]
        bodies.append(
            {
                "name": _name(element.properties, label),
                "mesh": mesh,
                "rotation": pose[:3, :3].ravel().tolist(),
                "translation": translation.tolist(),
                "properties": element.properties,
            }
        )
    # Converters yield elements in any order.
    bodies.sort(key=lambda body: (body["name"], body["translation"], body["mesh"]))
    names: Set[str] = set()
    for body in bodies:
        body["name"] = _unique(body["name"], names)
        names.add(body["name"])
    with open(os.path.join(folder, MANIFEST), "w", encoding="utf-8") as file:
        json.dump({"bodies": bodies, "grid": list(map(list, grid))}, file, ensure_ascii=False)
    return len(bodies)


def _is_rigid(pose):
    rotation = np.asarray(pose)[:3, :3]
    return np.abs(rotation.T @ rotation - np.eye(3)).max() < 1e-9 and np.linalg.det(rotation) > 0


def _cooked(local, faces, folder):
    """Cooks a mesh to a file named by its digest; returns its name, or None if the mesh has no triangles."""
    # Vertices that fell onto each other are merged; a triangle that lost a side this way has no area and is left out.
    points, places = np.unique(local.astype(np.float32) + np.float32(0), axis=0, return_inverse=True)
    faces = places.reshape(-1)[faces.reshape(-1, 3)].astype(np.uint32)
    a, b, c = faces.T
    faces = np.ascontiguousarray(faces[(a != b) & (b != c) & (c != a)])
    if not len(faces):
        return None
    digest = hashlib.sha256(len(points).to_bytes(8, "little") + points.tobytes() + faces.tobytes()).hexdigest()
    name = f"{digest[:32]}.bvt"
    path = os.path.join(folder, name)
    if not os.path.exists(path):
        bv.Tree(bv.Mesh(points, faces)).save(path)
    return name


def _name(properties, label):
    parts = [label, *(properties.get(key, "") for key in ("storey", "path", "class", "name", "GlobalId"))]
    parts = [" ".join(part.split()) for part in parts]
    return "/".join(part for part in parts if part) or "body"


def _unique(name, names):
    """Returns the name, or a variant that is not among the names yet, whose last part is still the GlobalId."""
    first, slash, last = name.rpartition("/")
    numbered = (f"{first}{slash}#{number}/{last}" for number in itertools.count(2))
    return next(name for name in itertools.chain([name], numbered) if name not in names)
