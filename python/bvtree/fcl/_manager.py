"""The manager of many objects, with its callbacks."""

from typing import Any

import numpy as np

from bvtree import _bvtree as bv
from bvtree.fcl._model import body
from bvtree.fcl._questions import CollisionRequest, CollisionResult, DistanceRequest, DistanceResult, collide, distance


class CollisionData:
    """Request and result that a manager passes to its collision callback."""

    def __init__(self, request: Any = None, result: Any = None) -> None:
        self.request = CollisionRequest() if request is None else request
        self.result = CollisionResult() if result is None else result
        self.done = False


class DistanceData:
    """Request and result that a manager passes to its distance callback."""

    def __init__(self, request: Any = None, result: Any = None) -> None:
        self.request = DistanceRequest() if request is None else request
        self.result = DistanceResult() if result is None else result
        self.done = False


def defaultCollisionCallback(o1: Any, o2: Any, cdata: Any) -> Any:
    """Collides two objects. Returns True, which ends the query, once more than the requested contacts are found."""
    if not cdata.done:
        collide(o1, o2, cdata.request, cdata.result)
        cdata.done = cdata.result.is_collision and len(cdata.result.contacts) > cdata.request.num_max_contacts
    return cdata.done


def defaultDistanceCallback(o1: Any, o2: Any, cdata: Any) -> Any:
    """Measures two objects' distance. Returns whether objects touch, which ends the query, and the least distance."""
    if not cdata.done:
        distance(o1, o2, cdata.request, cdata.result)
        cdata.done = cdata.result.min_distance <= 0
    return cdata.done, cdata.result.min_distance


class DynamicAABBTreeCollisionManager:
    """A scene of many objects. Call `update` after objects have moved."""

    def __init__(self) -> None:
        self._scene, self._objects, self._numbers = bv.Scene(), {}, {}

    def registerObject(self, obj: Any) -> None:
        if body(obj.geom) is None:
            raise TypeError("a manager takes no half-space: its box is infinite")
        number = self._scene.add(body(obj.geom), obj._pose, solid=obj.geom.solid)
        self._objects[number], self._numbers[id(obj)] = obj, number

    def registerObjects(self, objs: Any) -> None:
        for obj in objs:
            self.registerObject(obj)

    def unregisterObject(self, obj: Any) -> None:
        number = self._numbers.pop(id(obj), None)
        if number is not None:
            self._scene.remove(number)
            del self._objects[number]

    def setup(self) -> None:
        """Does nothing; python-fcl requires the call."""

    def update(self, arg: Any = None) -> None:
        """Reads the current transform of an object, of a list of objects, or of all."""
        if arg is None:
            objs = list(self._objects.values())
        else:
            objs = list(arg) if hasattr(arg, "__len__") else [arg]
        for obj in objs:
            if id(obj) in self._numbers:
                self._scene.set_pose(self._numbers[id(obj)], obj._pose)

    def clear(self) -> None:
        self.__init__()

    def empty(self) -> Any:
        return not self._objects

    def size(self) -> Any:
        return len(self._objects)

    def getObjects(self) -> Any:
        return list(self._objects.values())

    def collide(self, *args: Any) -> None:
        """Collides all pairs, or an object or another manager with all objects.

        Arguments are `(data, callback)`, `(object, data, callback)` or `(manager, data, callback)`. Calls the
        callback with each pair whose boxes overlap, until it returns True.
        """
        *others, data, callback = args
        for o1, o2 in self._near(others):
            if callback(o1, o2, data):
                break

    def distance(self, *args: Any) -> None:
        """Like `collide`, with a callback that returns whether to stop, and the least distance so far."""
        *others, data, callback = args
        least = np.inf
        if not others and callback is defaultDistanceCallback:
            # If a solid contains another object, the distance between their surfaces is irrelevant.
            pairs = self._scene.intersecting_pairs(first=True).tolist()
            if not pairs:
                found = self._scene.closest_pair()
                pairs = [] if found is None else [(int(found.a), int(found.b))]
            for a, b in pairs:
                callback(self._objects[a], self._objects[b], data)
            return
        for o1, o2 in self._all(others, callback, lambda: least):
            done, least = callback(o1, o2, data)
            if done:
                break

    def _near(self, others):
        """Yields pairs whose boxes overlap."""
        if not others:
            for a, b in self._scene.neighbor_pairs().tolist():
                yield self._objects[a], self._objects[b]
        else:
            for other in _objects_of(others[0]):
                if other.geom.tree is None:
                    yield from ((obj, other) for obj in self.getObjects())
                    continue
                for number in self._scene.bodies_near(other.geom.tree, other._pose).tolist():
                    yield self._objects[number], other

    def _all(self, others, callback, least):
        """Yields the pairs that may lessen the least distance so far."""
        if not others:
            objects = self.getObjects()
            for i, first in enumerate(objects):
                for second in objects[i + 1 :]:
                    yield first, second
            return
        for other in _objects_of(others[0]):
            tree, pose = other.geom.tree, other._pose
            if tree is None:
                yield from ((obj, other) for obj in self.getObjects())
                continue
            if callback is defaultDistanceCallback:
                numbers = self._scene.bodies_intersecting(tree, pose, solid=other.geom.solid, first=True).tolist()
                found = None if numbers else self._scene.closest_body(tree, pose, max_distance=least())
                numbers = numbers if found is None else [int(found.b)]
            else:
                numbers = self._scene.bodies_near(tree, pose, reach=least()).tolist()
            for number in numbers:
                yield self._objects[number], other


def _objects_of(other):
    return other.getObjects() if isinstance(other, DynamicAABBTreeCollisionManager) else [other]
