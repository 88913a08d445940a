"""In place of python-fcl, for programs that ask about meshes: `from bvtree import fcl`.

Names, arguments and results are as there, of `BVHModel`, `Transform`, `CollisionObject`, `collide`, `distance`,
`continuousCollide`, `DynamicAABBTreeCollisionManager` and what goes with them. What differs:

* Verdicts and distances are exact; the distance of meshes that touch is 0.
* A contact is one for each pair of triangles; its normal points from the first object to the second.
* There are no other shapes than meshes: no spheres, boxes, octrees. Objects of them are python-fcl's own business.
* Options that choose a solver or an approximation are taken and change nothing.
"""

import sys
from types import SimpleNamespace

import numpy as np

from bvtree import _bvtree as bv
from bvtree import _overlap

__all__ = [
    "BVHModel",
    "CollisionData",
    "CollisionObject",
    "CollisionRequest",
    "CollisionResult",
    "Contact",
    "ContinuousCollisionRequest",
    "ContinuousCollisionResult",
    "DistanceData",
    "DistanceRequest",
    "DistanceResult",
    "DynamicAABBTreeCollisionManager",
    "Transform",
    "collide",
    "continuousCollide",
    "defaultCollisionCallback",
    "defaultDistanceCallback",
    "distance",
]


class BVHModel:
    """A mesh, which is built into a tree by `endModel`."""

    def __init__(self):
        self._parts, self.mesh, self.tree = [], None, None

    def beginModel(self, num_tris_=0, num_vertices_=0):
        """Starts anew."""
        self._parts, self.mesh, self.tree = [], None, None
        return 0

    def addSubModel(self, verts, triangles):
        """Adds (N, 3) vertices and (M, 3) faces, whose indices count from 0."""
        self._parts.append((np.asarray(verts, dtype=np.float64).reshape(-1, 3), np.asarray(triangles).reshape(-1, 3)))
        return 0

    def addTriangle(self, v1, v2, v3):
        """Adds a triangle of three points."""
        return self.addSubModel(np.stack([v1, v2, v3]), [[0, 1, 2]])

    def endModel(self):
        """Builds the tree.

        Raises:
            bvtree.InvalidMesh: If coordinates are not finite or indices out of range.
        """
        before = np.cumsum([0] + [len(vertices) for vertices, _ in self._parts])
        vertices = np.concatenate([np.zeros((0, 3))] + [vertices for vertices, _ in self._parts])
        faces = [np.zeros((0, 3), dtype=np.int64)]
        for first, (own, triangles) in zip(before, self._parts):
            if triangles.size and (triangles.min() < 0 or triangles.max() >= len(own)):
                raise bv.InvalidMesh(f"a face refers to a vertex that is not there: there are {len(own)}")
            faces.append(triangles.astype(np.int64) + first)
        self.mesh = bv.Mesh(vertices, np.concatenate(faces))
        self.tree = bv.Tree(self.mesh, preset="fast")
        self._parts = []
        return 0

    def num_tries_(self):
        """How many triangles there are."""
        return 0 if self.tree is None else len(self.tree)


class Transform:
    """Where an object stands: `Transform()`, `Transform(R)`, `Transform(t)`, `Transform(R, t)`, `Transform(q, t)` or a copy.

    Rotations are (3, 3) matrices or (4,) quaternions w, x, y, z.
    """

    def __init__(self, *parts):
        self._pose = np.eye(4)
        if len(parts) == 1 and isinstance(parts[0], Transform):
            self._pose = parts[0]._pose.copy()
        elif len(parts) == 1 and np.shape(parts[0]) == (3,):
            self.setTranslation(parts[0])
        elif len(parts) in (1, 2):
            turn = np.asarray(parts[0], dtype=np.float64)
            if turn.shape not in ((3, 3), (4,)):
                raise ValueError("Invalid input to Transform().")
            self.setRotation(turn) if turn.shape == (3, 3) else self.setQuatRotation(turn)
            if len(parts) == 2:
                self.setTranslation(parts[1])
        elif parts:
            raise ValueError("Too many arguments to Transform().")

    def getRotation(self):
        return self._pose[:3, :3].copy()

    def getTranslation(self):
        return self._pose[:3, 3].copy()

    def getQuatRotation(self):
        """(4,): w, x, y, z."""
        m = self._pose[:3, :3]
        # The eigenvector of the largest eigenvalue (Bar-Itzhack 2000) is right for every turn.
        k = np.array(
            [
                [m[0, 0] + m[1, 1] + m[2, 2], m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1]],
                [m[2, 1] - m[1, 2], m[0, 0] - m[1, 1] - m[2, 2], m[1, 0] + m[0, 1], m[2, 0] + m[0, 2]],
                [m[0, 2] - m[2, 0], m[1, 0] + m[0, 1], m[1, 1] - m[0, 0] - m[2, 2], m[2, 1] + m[1, 2]],
                [m[1, 0] - m[0, 1], m[2, 0] + m[0, 2], m[2, 1] + m[1, 2], m[2, 2] - m[0, 0] - m[1, 1]],
            ]
        )
        found = np.linalg.eigh(k)[1][:, 3]
        return found if found[0] >= 0 else -found

    def setRotation(self, R):
        self._pose[:3, :3] = R

    def setTranslation(self, T):
        translation = np.asarray(T, dtype=np.float64).squeeze()
        if translation.shape != (3,):
            raise ValueError("Translation must be (3,).")
        self._pose[:3, 3] = translation

    def setQuatRotation(self, q):
        w, x, y, z = np.asarray(q, dtype=np.float64) / np.linalg.norm(q)
        self._pose[:3, :3] = [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]


class CollisionObject(Transform):
    """A `BVHModel` and where it stands."""

    def __init__(self, geom, tf=None):
        super().__init__(*([] if tf is None else [tf]))
        if getattr(geom, "tree", None) is None:
            raise TypeError("expected a BVHModel whose endModel was called")
        self.geom = geom

    def getTransform(self):
        return Transform(self)

    def setTransform(self, tf):
        self._pose = tf._pose.copy()

    def isFree(self):
        return False

    def isOccupied(self):
        return True

    def isUncertain(self):
        return False


class Contact(SimpleNamespace):
    """`o1`, `o2` (the models), `b1`, `b2` (their faces), `pos`, `normal` ((3,) in the world) and `penetration_depth`."""


class CollisionRequest:
    """How many contacts are wanted, and whether with their data."""

    def __init__(self, num_max_contacts=1, enable_contact=False, *others, **options):
        self.num_max_contacts, self.enable_contact = num_max_contacts, enable_contact
        self.enable_cost = False


class CollisionResult:
    """Whether there is a collision, and contacts: those of several questions add up."""

    def __init__(self, is_collision=False):
        self.is_collision, self.contacts, self.cost_sources = is_collision, [], []


class DistanceRequest:
    """What is wanted beside the distance; it is all told."""

    def __init__(self, enable_nearest_points=False, enable_signed_distance=False, *others, **options):
        self.enable_nearest_points, self.enable_signed_distance = enable_nearest_points, enable_signed_distance


class DistanceResult:
    """The least distance of all that were asked for with this result."""

    def __init__(self, min_distance_=sys.float_info.max):
        self.min_distance, self.nearest_points = min_distance_, [None, None]
        self.o1 = self.o2 = None
        self.b1 = self.b2 = -1


class ContinuousCollisionRequest:
    """How exact the time shall be; the rest changes nothing."""

    def __init__(self, num_max_iterations=10, toc_err=0.0001, *others, **options):
        self.num_max_iterations, self.toc_err = num_max_iterations, toc_err


class ContinuousCollisionResult:
    """Whether two moving objects meet, and when."""

    def __init__(self, is_collide=False, time_of_contact=1.0):
        self.is_collide, self.time_of_contact = is_collide, time_of_contact


class CollisionData:
    """What a manager hands to its callback."""

    def __init__(self, request=None, result=None):
        self.request = CollisionRequest() if request is None else request
        self.result = CollisionResult() if result is None else result
        self.done = False


class DistanceData:
    """What a manager hands to its callback."""

    def __init__(self, request=None, result=None):
        self.request = DistanceRequest() if request is None else request
        self.result = DistanceResult() if result is None else result
        self.done = False


def _trees(o1, o2):
    return o1.geom.tree, o2.geom.tree, bv.relative_pose(o1._pose, o2._pose)


def collide(o1, o2, request=None, result=None):
    """Whether two objects touch: how many contacts were found, as many as the request wants at most."""
    request = CollisionRequest() if request is None else request
    result = CollisionResult() if result is None else result
    if not request.enable_contact and request.num_max_contacts == 1:
        found = int(bv.intersects(*_trees(o1, o2)))
    elif not request.enable_contact:
        found = min(bv.count_pairs(*_trees(o1, o2)), request.num_max_contacts)
    else:
        found = _contacts(o1, o2, request.num_max_contacts, result)
    result.is_collision = bool(result.is_collision or found)
    return found


def _contacts(o1, o2, most, result):
    bodies = [SimpleNamespace(mesh=o.geom.mesh, tree=o.geom.tree, pose=o._pose, solid=False) for o in (o1, o2)]
    if not bv.intersects(*_trees(o1, o2)):
        return 0
    rows = _overlap.contacts(*bodies)
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


def distance(o1, o2, request=None, result=None):
    """The least distance of two objects, 0 where they touch; -1 if one has no triangles."""
    found = bv.closest(*_trees(o1, o2))
    if found is None:
        return -1.0
    least = float(found.distance)
    if result is not None and result.min_distance > least:
        rotation, translation = o1._pose[:3, :3], o1._pose[:3, 3]
        result.min_distance = least
        result.nearest_points = [rotation @ point + translation for point in (found.on_a, found.on_b)]
        result.o1, result.o2 = o1.geom, o2.geom
        result.b1, result.b2 = int(found.face_a), int(found.face_b)
    return least


def continuousCollide(o1, tf1_end, o2, tf2_end, request=None, result=None):
    """When two moving objects first touch, from 0 to 1; 1 if they don't.

    The second moves in the first one's frame from its relative pose at the start to that at the end.
    """
    start = bv.relative_pose(o1._pose, o2._pose)
    end = bv.relative_pose(tf1_end._pose, tf2_end._pose)
    found = bv.time_of_impact(o1.geom.tree, o2.geom.tree, start, end)
    time = 1.0 if found is None else float(found.time)
    if result is not None:
        result.is_collide = bool(result.is_collide or found is not None)
        result.time_of_contact = min(result.time_of_contact, time)
    return time


def defaultCollisionCallback(o1, o2, cdata):
    """Collides two objects until there are as many contacts as are wanted."""
    if not cdata.done:
        collide(o1, o2, cdata.request, cdata.result)
        enough = len(cdata.result.contacts) >= cdata.request.num_max_contacts or not cdata.request.enable_contact
        cdata.done = cdata.result.is_collision and enough
    return cdata.done


def defaultDistanceCallback(o1, o2, cdata):
    """Measures two objects until some touch: whether that is so, and the least distance."""
    if not cdata.done:
        distance(o1, o2, cdata.request, cdata.result)
        cdata.done = cdata.result.min_distance <= 0
    return cdata.done, cdata.result.min_distance


class DynamicAABBTreeCollisionManager:
    """Many objects. Those that have moved are told by `update`."""

    def __init__(self):
        self._scene, self._objects, self._numbers = bv.Scene(), {}, {}

    def registerObject(self, obj):
        number = self._scene.add(obj.geom.tree, obj._pose)
        self._objects[number], self._numbers[id(obj)] = obj, number

    def registerObjects(self, objs):
        for obj in objs:
            self.registerObject(obj)

    def unregisterObject(self, obj):
        number = self._numbers.pop(id(obj), None)
        if number is not None:
            self._scene.remove(number)
            del self._objects[number]

    def setup(self):
        """For python-fcl's sake."""

    def update(self, arg=None):
        """Sees where an object stands now, or several, or all."""
        if arg is None:
            objs = list(self._objects.values())
        else:
            objs = list(arg) if hasattr(arg, "__len__") else [arg]
        for obj in objs:
            if id(obj) in self._numbers:
                self._scene.set_pose(self._numbers[id(obj)], obj._pose)

    def clear(self):
        self.__init__()

    def empty(self):
        return not self._objects

    def size(self):
        return len(self._objects)

    def getObjects(self):
        return list(self._objects.values())

    def collide(self, *args):
        """`collide(data, callback)` for all pairs, `collide(object, data, callback)` or `collide(manager, data, callback)`.

        The callback gets pairs whose boxes overlap, and ends the search by returning True.
        """
        *others, data, callback = args
        for o1, o2 in self._near(others):
            if callback(o1, o2, data):
                break

    def distance(self, *args):
        """As `collide`; the callback returns whether to end the search, and the distance so far."""
        *others, data, callback = args
        least = np.inf
        if not others and callback is defaultDistanceCallback:
            found = self._scene.closest_pair()
            if found is not None:
                callback(self._objects[int(found.a)], self._objects[int(found.b)], data)
            return
        for o1, o2 in self._all(others, callback, lambda: least):
            done, least = callback(o1, o2, data)
            if done:
                break

    def _near(self, others):
        """Pairs whose boxes overlap."""
        if not others:
            for a, b in self._scene.neighbor_pairs().tolist():
                yield self._objects[a], self._objects[b]
        else:
            for other in _objects_of(others[0]):
                for number in self._scene.neighbors(other.geom.tree, other._pose).tolist():
                    yield self._objects[number], other

    def _all(self, others, callback, least):
        """Pairs whose boxes are nearer than the least distance so far."""
        if not others:
            objects = self.getObjects()
            for i, first in enumerate(objects):
                for second in objects[i + 1 :]:
                    yield first, second
            return
        for other in _objects_of(others[0]):
            tree, pose = other.geom.tree, other._pose
            if callback is defaultDistanceCallback:
                found = self._scene.nearest(tree, pose, max_distance=least())
                numbers = [] if found is None else [int(found.b)]
            else:
                numbers = self._scene.neighbors(tree, pose, reach=least()).tolist()
            for number in numbers:
                yield self._objects[number], other


def _objects_of(other):
    return other.getObjects() if isinstance(other, DynamicAABBTreeCollisionManager) else [other]
