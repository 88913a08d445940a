"""Collision, distance and continuous collision of two objects, with their requests and results."""

import sys
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from bvtree import _bvtree as bv
from bvtree import _overlap
from bvtree.fcl._model import Halfspace, body


class Contact(SimpleNamespace):
    """A contact: models `o1`, `o2`, faces `b1`, `b2`, `pos`, `normal` ((3,) in the world) and `penetration_depth`."""


class CollisionRequest:
    """Options of `collide`: the maximum number of contacts, and whether to compute where they are."""

    def __init__(self, num_max_contacts: Any = 1, enable_contact: Any = False, *others: Any, **options: Any) -> None:
        self.num_max_contacts, self.enable_contact = num_max_contacts, enable_contact
        self.enable_cost = False


class CollisionResult:
    """Result of `collide`. It accumulates over several calls."""

    def __init__(self, is_collision: Any = False) -> None:
        self.is_collision, self.contacts, self.cost_sources = is_collision, [], []


class DistanceRequest:
    """Options of `distance`. Nearest points are always computed."""

    def __init__(
        self, enable_nearest_points: Any = False, enable_signed_distance: Any = False, *others: Any, **options: Any
    ) -> None:
        self.enable_nearest_points, self.enable_signed_distance = enable_nearest_points, enable_signed_distance


class DistanceResult:
    """Result of `distance`: the least distance of all calls with this result."""

    def __init__(self, min_distance_: Any = sys.float_info.max) -> None:
        self.min_distance, self.nearest_points = min_distance_, [None, None]
        self.o1 = self.o2 = None
        self.b1 = self.b2 = -1


class ContinuousCollisionRequest:
    """Options of `continuousCollide`, which change nothing: the time is as exact as rounding allows."""

    def __init__(self, num_max_iterations: Any = 10, toc_err: Any = 0.0001, *others: Any, **options: Any) -> None:
        self.num_max_iterations, self.toc_err = num_max_iterations, toc_err


class ContinuousCollisionResult:
    """Result of `continuousCollide`: whether two moving objects meet, and when."""

    def __init__(self, is_collide: Any = False, time_of_contact: Any = 1.0) -> None:
        self.is_collide, self.time_of_contact = is_collide, time_of_contact


def _trees(o1, o2):
    return o1.geom.tree, o2.geom.tree, bv.relative_pose(o1._pose, o2._pose)


def _scene(o1, o2):
    """Returns a scene of two objects, at least one of them a shape; None for two meshes."""
    if o1.geom.tree is not None and o2.geom.tree is not None:
        return None
    scene = bv.Scene(threads=1)
    for o in (o1, o2):
        scene.add(body(o.geom), o._pose, solid=o.geom.solid)
    return scene


class _Above(NamedTuple):
    """The lowest point of an object over a half-space, in the world, and its signed height."""

    point: np.ndarray
    normal: np.ndarray
    height: float
    face: int
    is_first: bool


def _above(o1, o2):
    """Returns how one object lies over the other, which is a half-space; None if neither is one.

    Raises:
        TypeError: If both are half-spaces.
    """
    halves = [isinstance(o.geom, Halfspace) for o in (o1, o2)]
    if not any(halves):
        return None
    if all(halves):
        raise TypeError("two half-spaces have no contact or distance here")
    half, other = (o1, o2) if halves[0] else (o2, o1)
    normal = half._pose[:3, :3] @ half.geom.n
    down = -(other._pose[:3, :3].T @ normal)
    if other.geom.tree is None:
        point, face = other.geom.shape.support_point(down).point, -1
    else:
        found = other.geom.tree.support_point(down)
        if found is None:
            return _Above(np.full(3, np.nan), normal, np.inf, -1, halves[1])
        point, face = found.point, int(found.face)
    point = other._pose[:3, :3] @ point + other._pose[:3, 3]
    height = float(normal @ (point - half._pose[:3, 3]) - half.geom.d)
    return _Above(point, normal, height, face, halves[1])


def _touch(o1, o2):
    """Returns whether two surfaces touch, or one object is solid and the other is inside it."""
    above = _above(o1, o2)
    if above is not None:
        return above.height <= 0
    scene = _scene(o1, o2)
    if scene is not None:
        return len(scene.intersecting_pairs()) > 0
    return bv.intersects(*_trees(o1, o2)) or _one_holds_the_other(o1, o2)


def _one_holds_the_other(o1, o2):
    if not (o1.geom.solid or o2.geom.solid):
        return False
    relation = bv.relation(*_trees(o1, o2))
    # "crossing" without contact: some parts of one are inside the other.
    return relation == "crossing" or (relation == "a_in_b" and o2.geom.solid) or (relation == "b_in_a" and o1.geom.solid)


def _bodies(o1, o2):
    return [SimpleNamespace(mesh=o.geom.mesh, tree=o.geom.tree, pose=o._pose, solid=o.geom.solid) for o in (o1, o2)]


def collide(o1: Any, o2: Any, request: Any = None, result: Any = None) -> Any:
    """Returns the number of contacts, at most `request.num_max_contacts`; 0 if the objects don't touch.

    The result has the contacts. Of two meshes, their faces alone are computed unless the request sets `enable_contact`;
    position, normal and depth are NaN then.
    """
    request = CollisionRequest() if request is None else request
    most = request.num_max_contacts
    if result is None and most == 1:
        return int(_touch(o1, o2))
    result = CollisionResult() if result is None else result
    found = _contacts(o1, o2, most, request.enable_contact, result)
    result.is_collision = bool(result.is_collision or found)
    return found


def _contacts(o1, o2, most, is_whole, result):
    if not _touch(o1, o2):
        return 0
    if None in (o1.geom.tree, o2.geom.tree):
        rows = _shape_contacts(o1, o2)
    elif is_whole:
        rows = _overlap.contacts(*_bodies(o1, o2))
    else:
        rows = _faces(o1, o2, most)
    count = min(len(rows["faces"]), most)
    for i in range(count):
        b1, b2 = rows["faces"][i].tolist()
        result.contacts.append(
            Contact(
                o1=o1.geom,
                o2=o2.geom,
                b1=b1,
                b2=b2,
                pos=rows["point"][i],
                normal=rows["normal"][i],
                penetration_depth=float(rows["depth"][i]),
            )
        )
    return count


def _faces(o1, o2, most):
    """Returns the contacts of two meshes that touch, as arrays, of which only `faces` is computed."""
    # Two convex meshes have one contact, and so have two of which one is inside the other.
    faces = np.array([[-1, -1]])
    if not (o1.geom.solid and o2.geom.solid):
        if most == 1:
            found = bv.closest_points(*_trees(o1, o2))
            pairs = [[int(found.face_a), int(found.face_b)]] if found.distance == 0.0 else []
        else:
            pairs = bv.intersecting_pairs(*_trees(o1, o2))
        faces = np.asarray(pairs, dtype=np.int64) if len(pairs) else faces
    return {
        "faces": faces,
        "point": np.full((len(faces), 3), np.nan),
        "normal": np.full((len(faces), 3), np.nan),
        "depth": np.full(len(faces), np.nan),
    }


def _shape_contacts(o1, o2):
    """Returns the contacts of two objects that touch, at least one of them a shape or a half-space, as arrays."""
    above = _above(o1, o2)
    if above is not None:
        sign = -1.0 if above.is_first else 1.0
        faces = [above.face, -1] if above.is_first else [-1, above.face]
        point = above.point - above.normal * (above.height / 2)
        return _one_contact(faces, point, above.normal * sign, -above.height)
    if o1.geom.shape is not None and o2.geom.shape is not None:
        found = _contact_of_shapes(o1, o2)
        return _one_contact([-1, -1], (found.on_a + found.on_b) / 2, found.normal, -found.distance)
    is_swapped = o1.geom.tree is None
    mesh, shape = (o2, o1) if is_swapped else (o1, o2)
    found = mesh.geom.tree.convex_contacts(shape.geom.shape, bv.relative_pose(mesh._pose, shape._pose))
    rotation, translation = mesh._pose[:3, :3], mesh._pose[:3, 3]
    faces = np.column_stack([found["face_a"], found["face_b"]])
    return {
        "faces": faces[:, ::-1] if is_swapped else faces,
        "point": (found["on_a"] + found["on_b"]) / 2 @ rotation.T + translation,
        "normal": found["normal"] @ rotation.T * (-1.0 if is_swapped else 1.0),
        "depth": np.maximum(-found["distance"], 0.0),
    }


def _one_contact(faces, point, normal, depth):
    return {
        "faces": np.array([faces]),
        "point": point[None],
        "normal": normal[None],
        "depth": np.array([max(depth, 0.0)]),
    }


def _contact_of_shapes(o1, o2):
    """Returns the contact of two convex shapes, in the world."""
    found = o1.geom.shape.contact(o2.geom.shape, bv.relative_pose(o1._pose, o2._pose))
    on_a, on_b = _in_world(o1._pose, (found.on_a, found.on_b))
    return SimpleNamespace(
        distance=float(found.distance), on_a=on_a, on_b=on_b, normal=o1._pose[:3, :3] @ found.normal
    )


def _in_world(pose, points):
    return [pose[:3, :3] @ point + pose[:3, 3] for point in points]


def distance(o1: Any, o2: Any, request: Any = None, result: Any = None) -> Any:
    """Returns the least distance between two objects: 0 if two meshes touch, -1 if one of them has no triangles.

    If one of two objects that touch is a shape or a `Convex`, the distance is -1 or, if the request sets
    `enable_signed_distance`, minus their penetration depth; if the other is a mesh, the depth is that of its deepest
    triangle. With a half-space, the distance is 0 in place of -1.
    """
    is_signed = request is not None and request.enable_signed_distance
    above = _above(o1, o2)
    if above is not None:
        if above.height == np.inf:
            return -1.0
        least = above.height if is_signed else max(above.height, 0.0)
        points, faces = [above.point - above.normal * above.height, above.point], (-1, above.face)
        if above.is_first:
            points, faces = points[::-1], faces[::-1]
        return _nearer(o1, o2, result, least, points, faces)
    scene = _scene(o1, o2)
    found = bv.closest_points(*_trees(o1, o2)) if scene is None else scene.closest_pair()
    if found is None:
        return -1.0
    least, faces = float(found.distance), (int(found.face_a), int(found.face_b))
    points = [found.on_a, found.on_b]
    if scene is None:
        points = _in_world(o1._pose, points)
    if least == 0.0 or (scene is None and _one_holds_the_other(o1, o2)):
        least, convex = 0.0, sum(o.geom.shape is not None for o in (o1, o2))
        if convex and not is_signed:
            least = -1.0
        elif convex == 2 and scene is None:
            overlap = _overlap.solid(*_bodies(o1, o2))
            least, faces, half = -overlap.depth, overlap.faces, overlap.depth / 2 * overlap.normal
            points = [overlap.point + half, overlap.point - half]
        elif convex == 2:
            contact = _contact_of_shapes(o1, o2)
            least, points = min(contact.distance, 0.0), [contact.on_a, contact.on_b]
        elif convex:
            least, points, faces = _deepest(o1, o2)
    return _nearer(o1, o2, result, least, points, faces)


def _deepest(o1, o2):
    """Returns minus the depth, the points and the faces of the deepest contact of a mesh and a convex object."""
    is_swapped = o1.geom.tree is None or o2.geom.shape is None
    mesh, convex = (o2, o1) if is_swapped else (o1, o2)
    pose = mesh._pose
    found = mesh.geom.tree.closest_convex_contact(convex.geom.shape, bv.relative_pose(pose, convex._pose))
    points = _in_world(pose, (found.on_a, found.on_b))
    faces = (int(found.face_a), -1)
    if is_swapped:
        points, faces = points[::-1], faces[::-1]
    return min(float(found.distance), 0.0), points, faces


def _nearer(o1, o2, result, least, points, faces):
    """Keeps a distance in the result if it is the least, and returns it."""
    if result is not None and result.min_distance > least:
        result.min_distance, result.nearest_points = least, points
        result.o1, result.o2 = o1.geom, o2.geom
        result.b1, result.b2 = faces
    return least


def continuousCollide(o1: Any, tf1_end: Any, o2: Any, tf2_end: Any, request: Any = None, result: Any = None) -> Any:
    """Returns the time from 0 to 1 when two moving objects first touch; 1 if they don't.

    Of two meshes, the second moves in the first's frame from its relative pose at the start to that at the end. If an
    object is a shape, both move in the world.
    """
    if any(isinstance(o.geom, Halfspace) for o in (o1, o2)):
        raise TypeError("continuousCollide takes no half-space")
    scene = _scene(o1, o2)
    if scene is not None:
        found = scene.impacts([0, 1], np.stack([tf1_end._pose, tf2_end._pose]))
        meets, time = (False, 1.0) if len(found) == 0 else (True, float(found["time"][0]))
        return _met(result, meets, time)
    start = bv.relative_pose(o1._pose, o2._pose)
    end = bv.relative_pose(tf1_end._pose, tf2_end._pose)
    found = bv.time_of_impact(o1.geom.tree, o2.geom.tree, start, end)
    meets, time = (False, 1.0) if found is None else (True, float(found.time))
    if _one_holds_the_other(o1, o2):
        meets, time = True, 0.0
    return _met(result, meets, time)


def _met(result, meets, time):
    if result is not None:
        result.is_collide = bool(result.is_collide or meets)
        result.time_of_contact = min(result.time_of_contact, time)
    return time
