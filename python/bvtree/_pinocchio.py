"""Robots from pinocchio's models: `bvtree.Robot.from_pinocchio` calls `read`.

The models become a URDF, with a link for each joint and one for each geometry object, and an SRDF that disables all
pairs but the geometry model's collision pairs, if it has any.
"""

import itertools
import pathlib
import tempfile
from typing import Any
from xml.sax.saxutils import quoteattr

import numpy as np

import bvtree

# The URDF type of each of pinocchio's joint models, and the axes that the last letter of a model's name can be.
_TYPES = {
    "R": "revolute",
    "RevoluteUnaligned": "revolute",
    "RUB": "continuous",
    "RevoluteUnboundedUnaligned": "continuous",
    "P": "prismatic",
    "PrismaticUnaligned": "prismatic",
    "Planar": "planar",
    "FreeFlyer": "floating",
}
_AXES = {"X": [1, 0, 0], "Y": [0, 1, 0], "Z": [0, 0, 1]}


def read(model: Any, geometry_model: Any, **options: Any) -> "bvtree.Robot":
    """Reads a robot from a pinocchio `Model` and its `GeometryModel`. The options are those of `Robot.from_urdf`.

    Raises:
        ValueError: If a joint or a geometry object is of a kind that URDF does not have.
    """
    with tempfile.TemporaryDirectory() as folder:
        urdf = pathlib.Path(folder, "robot.urdf")
        urdf.write_text(_urdf(model, geometry_model, urdf.parent), encoding="utf-8")
        return bvtree.Robot.from_urdf(urdf, _srdf(geometry_model), **options)


def _urdf(model: Any, geometry_model: Any, folder: pathlib.Path) -> str:
    lines = [f"<robot name={quoteattr(model.name)}>"]
    lines += [f"<link name={quoteattr(name)}/>" for name in model.names]
    for index in range(1, model.njoints):
        kind, axis = _kind(model.joints[index], model.names[index])
        position = model.joints[index].idx_q
        lower, upper = model.lowerPositionLimit[position], model.upperPositionLimit[position]
        limit = ""
        if kind in ("revolute", "prismatic"):
            if np.isfinite([lower, upper]).all() and max(-lower, upper) < 1e300:
                limit = f"<limit lower='{lower:.17g}' upper='{upper:.17g}'/>"
            elif kind == "revolute":
                kind = "continuous"
        ends = model.names[model.parents[index]], model.names[index]
        parts = f"{_origin(model.jointPlacements[index])}<axis xyz='{_text(axis)}'/>{limit}"
        lines.append(_joint(model.names[index], kind, ends, parts))
    for number, body in enumerate(geometry_model.geometryObjects):
        shape = f"{_origin(body.placement)}<geometry>{_shape(body, folder, number)}</geometry>"
        lines.append(f"<link name={quoteattr(body.name)}><collision>{shape}</collision></link>")
        parent = model.names[body.parentJoint]
        lines.append(_joint(f"{body.name} on {parent}", "fixed", (parent, body.name), ""))
    return "\n".join([*lines, "</robot>"])


def _srdf(geometry_model: Any) -> str:
    names = [body.name for body in geometry_model.geometryObjects]
    compared = {frozenset([names[pair.first], names[pair.second]]) for pair in geometry_model.collisionPairs}
    left_out = [pair for pair in itertools.combinations(names, 2) if compared and frozenset(pair) not in compared]
    lines = [f"<disable_collisions link1={quoteattr(a)} link2={quoteattr(b)}/>" for a, b in left_out]
    return "\n".join(["<robot>", *lines, "</robot>"])


def _kind(joint: Any, name: str) -> "tuple[str, Any]":
    """Returns a joint's type in a URDF, and its axis."""
    model = joint.shortname()[len("JointModel") :]
    if model in ("Planar", "FreeFlyer"):
        return _TYPES[model], _AXES["Z"]
    if model in _TYPES:
        return _TYPES[model], joint.extract().axis
    if model[:-1] in _TYPES and model[-1] in _AXES:
        return _TYPES[model[:-1]], _AXES[model[-1]]
    raise ValueError(f"joint {name!r}: a URDF has no joint like pinocchio's {joint.shortname()}")


def _joint(name: str, kind: str, ends: "tuple[str, str]", parts: str) -> str:
    parent, child = map(quoteattr, ends)
    return f"<joint name={quoteattr(name)} type='{kind}'><parent link={parent}/><child link={child}/>{parts}</joint>"


def _origin(placement: Any) -> str:
    r = placement.rotation
    # If the pitch is a right angle, any yaw will do, because the roll is computed for this yaw.
    yaw = np.arctan2(r[1, 0], r[0, 0])
    sin, cos = np.sin(yaw), np.cos(yaw)
    roll = np.arctan2(sin * r[0, 2] - cos * r[1, 2], cos * r[1, 1] - sin * r[0, 1])
    pitch = np.arctan2(-r[2, 0], cos * r[0, 0] + sin * r[1, 0])
    return f"<origin xyz='{_text(placement.translation)}' rpy='{_text([roll, pitch, yaw])}'/>"


def _text(numbers: Any) -> str:
    return " ".join(f"{number:.17g}" for number in numbers)


def _shape(body: Any, folder: pathlib.Path, number: int) -> str:
    """Returns the URDF element of a geometry object; writes a mesh to the folder."""
    shape = body.geometry
    kind = type(shape).__name__
    if getattr(shape, "getSweptSphereRadius", float)() != 0:
        raise ValueError(f"geometry object {body.name!r}: shapes enlarged by a radius are not read")
    if kind == "Box":
        return f"<box size='{_text(2 * shape.halfSide)}'/>"
    if kind == "Sphere":
        return f"<sphere radius='{shape.radius:.17g}'/>"
    if kind in ("Cylinder", "Capsule"):
        return f"<{kind.lower()} radius='{shape.radius:.17g}' length='{2 * shape.halfLength:.17g}'/>"
    if kind.startswith("BVHModel"):
        points = shape.vertices()
        triangles = [shape.tri_indices(k) for k in range(shape.num_tris)]
    elif kind.startswith("Convex"):
        points = shape.points()
        triangles = [shape.polygons(k) for k in range(shape.num_polygons)]
    else:
        raise ValueError(f"geometry object {body.name!r}: a URDF has no shape like Coal's {kind}")
    lines = [f"v {_text(point)}" for point in np.asarray(points)]
    lines += [f"f {t[0] + 1} {t[1] + 1} {t[2] + 1}" for t in triangles]
    path = folder / f"mesh{number}.obj"
    path.write_text("\n".join(lines) + "\n", encoding="ascii")
    return f"<mesh filename={quoteattr(path.name)}/>"
