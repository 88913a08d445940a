"""Collision, distance and continuous collision of two objects, with their requests and results."""

import sys
from types import SimpleNamespace
from typing import Any

import numpy as np

from bvtree import _bvtree as bv
from bvtree import _overlap
from bvtree.fcl._model import body


class Contact(SimpleNamespace):
    """A contact: models `o1`, `o2`, faces `b1`, `b2`, `pos`, `normal` ((3,) in the world) and `penetration_depth`."""


class CollisionRequest:
    """Options of `collide`: the maximum number of contacts, and whether to return them."""

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
    """Result of `distance`: the least of all calls with this result."""

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


def _touch(o1, o2):
    """Returns whether two surfaces touch or one is inside the other, which is solid."""
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
    """Returns the number of contacts, at most `request.num_max_contacts`; 0 if they don't touch."""
    request = CollisionRequest() if request is None else request
    result = CollisionResult() if result is None else result
    if not request.enable_contact and request.num_max_contacts == 1:
        found = int(_touch(o1, o2))
    elif not request.enable_contact:
        if o1.geom.solid and o2.geom.solid or _scene(o1, o2) is not None:
            pairs = int(_touch(o1, o2))
        else:
            pairs = bv.count_pairs(*_trees(o1, o2)) or int(_one_holds_the_other(o1, o2))
        found = min(pairs, request.num_max_contacts)
    else:
        found = _contacts(o1, o2, request.num_max_contacts, result)
    result.is_collision = bool(result.is_collision or found)
    return found


def _contacts(o1, o2, most, result):
    if not _touch(o1, o2):
        return 0
    scene = _scene(o1, o2)
    if scene is not None:
        found = scene.closest_pair()
        unknown = np.full(3, np.nan)
        contact = Contact(
            o1=o1.geom,
            o2=o2.geom,
            b1=int(found.face_a),
            b2=int(found.face_b),
            pos=np.array(found.on_a),
            normal=unknown,
            penetration_depth=np.nan,
        )
        result.contacts += [contact][:most]
        return min(most, 1)
    rows = _overlap.contacts(*_bodies(o1, o2))
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


def distance(o1: Any, o2: Any, request: Any = None, result: Any = None) -> Any:
    """Returns the least distance of two objects: 0 if they touch, -1 if one has no triangles.

    If two `Convex` touch and the request sets `enable_signed_distance`, it is minus their penetration depth.
    """
    scene = _scene(o1, o2)
    found = bv.closest_points(*_trees(o1, o2)) if scene is None else scene.closest_pair()
    if found is None:
        return -1.0
    least, faces = float(found.distance), (int(found.face_a), int(found.face_b))
    points = [found.on_a, found.on_b]
    if scene is None:
        points = [o1._pose[:3, :3] @ point + o1._pose[:3, 3] for point in points]
    if scene is None and (least == 0.0 or _one_holds_the_other(o1, o2)):
        least = 0.0
        if o1.geom.solid and o2.geom.solid and request is not None and request.enable_signed_distance:
            overlap = _overlap.solid(*_bodies(o1, o2))
            least, faces, half = -overlap.depth, overlap.faces, overlap.depth / 2 * overlap.normal
            points = [overlap.point + half, overlap.point - half]
    if result is not None and result.min_distance > least:
        result.min_distance, result.nearest_points = least, points
        result.o1, result.o2 = o1.geom, o2.geom
        result.b1, result.b2 = faces
    return least


def continuousCollide(o1: Any, tf1_end: Any, o2: Any, tf2_end: Any, request: Any = None, result: Any = None) -> Any:
    """Returns the time from 0 to 1 when two moving objects first touch; 1 if they don't.

    In the first object's frame, the second one moves from its relative pose at the start to that at the end.
    """
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
