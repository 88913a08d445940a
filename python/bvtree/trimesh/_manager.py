"""The collision manager."""

from __future__ import annotations

import sys
from typing import Any, Dict, Hashable, Optional, Tuple

import numpy as np
from numpy.typing import ArrayLike

from bvtree import _bvtree as bv
from bvtree.trimesh._body import Body, contacts, overlap_distance
from bvtree.trimesh._data import DistanceData

_EXTERNAL = "__external"


class CollisionManager:
    """Collisions and distances among many named meshes, like `trimesh.collision.CollisionManager`.

    Examples:
        >>> import numpy as np
        >>> import trimesh
        >>> from bvtree.trimesh import CollisionManager
        >>> manager = CollisionManager()
        >>> _ = manager.add_object("box", trimesh.creation.box())
        >>> moved = np.eye(4)
        >>> moved[0, 3] = 0.75
        >>> manager.in_collision_single(trimesh.creation.box(), moved, return_names=True)
        (True, {'box'})
        >>> round(manager.min_distance_single(trimesh.creation.box(), moved), 6)
        -0.25
    """

    def __init__(self) -> None:
        self._scene = bv.Scene()
        self._bodies: Dict[Hashable, Body] = {}
        self._names: Dict[int, Hashable] = {}

    @property
    def _objs(self):
        return {name: {"obj": body, "geom": body.tree} for name, body in self._bodies.items()}

    def add_object(self, name: Hashable, mesh: Any, transform: Optional[ArrayLike] = None) -> Body:
        """Adds a mesh. It replaces a mesh of the same name.

        Args:
            name: Any hashable object.
            mesh: A `trimesh.Trimesh`, or any object with `vertices` and `faces`.
            transform: A (4, 4) matrix that maps the mesh's coordinates into the world. None is the identity.

        Raises:
            ValueError: If the transform has another shape, is not finite or is not affine. `bvtree.InvalidMesh`, a
                subclass: if the mesh is invalid. The manager is unchanged then.
        """
        body = Body(mesh, transform)
        body.keep()
        number = self._scene.add(body.tree, body.pose, solid=body.solid)
        if name in self._bodies:
            self.remove_object(name)
        body.number = number
        self._bodies[name] = body
        self._names[number] = name
        return body

    def remove_object(self, name: Hashable) -> None:
        """Removes a mesh.

        Args:
            name: The mesh's name.

        Raises:
            ValueError: If there is no mesh of this name.
        """
        body = self._body(name)
        self._scene.remove(body.number)
        del self._bodies[name], self._names[body.number]

    def set_transform(self, name: Hashable, transform: Optional[ArrayLike]) -> None:
        """Moves a mesh, as it was when it was added.

        Args:
            name: The mesh's name.
            transform: The new transform; see `add_object`.

        Raises:
            ValueError: If there is no mesh of this name, or the transform is invalid; the mesh is not moved then.
        """
        body = self._body(name)
        moved = Body(body.source, transform)
        moved.number = body.number
        if moved.tree is body.tree:
            self._scene.set_pose(body.number, moved.pose)
        else:
            moved.number = self._scene.add(moved.tree, moved.pose, solid=moved.solid)
            self._scene.remove(body.number)
            self._names[moved.number] = self._names.pop(body.number)
        vars(body).update(vars(moved))

    def in_collision_single(
        self, mesh: Any, transform: Optional[ArrayLike] = None, return_names: bool = False, return_data: bool = False
    ) -> Any:
        """Tests whether a mesh collides with any of the manager's meshes.

        Args:
            mesh, transform: See `add_object`.
            return_names: Whether to also return the names of the meshes that collide with it.
            return_data: Whether to also return the contacts.

        Returns:
            bool; with `return_names` also a set of names; with `return_data` also a list of `ContactData`, in which the
            mesh has the name "__external".

        Raises:
            ValueError: See `add_object`.
        """
        body = Body(mesh, transform)
        first = not (return_names or return_data)
        found = self._scene.bodies_intersecting(body.tree, body.pose, solid=body.solid, first=first)
        names = [self._names[number] for number in found.tolist()]
        data = []
        if return_data:
            for name in names:
                data += contacts((name, _EXTERNAL), self._bodies[name], body)
        return _answer(bool(names), set(names), data, return_names, return_data)

    def in_collision_internal(self, return_names: bool = False, return_data: bool = False) -> Any:
        """Tests whether any two of the manager's meshes collide.

        Args:
            return_names: Whether to also return the names of the pairs that collide.
            return_data: Whether to also return the contacts.

        Returns:
            bool; with `return_names` also a set of pairs of names, each pair sorted; with `return_data` also a list of
            `ContactData`.

        Raises:
            TypeError: If `return_names` is True and the names cannot be sorted.
        """
        found = self._scene.intersecting_pairs(first=not (return_names or return_data))
        pairs = [(self._names[a], self._names[b]) for a, b in found.tolist()]
        data = []
        if return_data:
            for a, b in pairs:
                data += contacts((a, b), self._bodies[a], self._bodies[b])
        names = {tuple(sorted(pair)) for pair in pairs} if return_names else set()
        return _answer(bool(pairs), names, data, return_names, return_data)

    def in_collision_other(
        self, other_manager: CollisionManager, return_names: bool = False, return_data: bool = False
    ) -> Any:
        """Tests whether any of the manager's meshes collides with any of another manager's.

        Args:
            other_manager: A `CollisionManager` of this module.
            return_names: Whether to also return the names of the pairs that collide.
            return_data: Whether to also return the contacts.

        Returns:
            bool; with `return_names` also a set of pairs of names, this manager's first; with `return_data` also a list
            of `ContactData`.

        Raises:
            AttributeError: If the other manager is not of this module.
        """
        first = not (return_names or return_data)
        pairs = []
        for name, body in other_manager._bodies.items():
            found = self._scene.bodies_intersecting(body.tree, body.pose, solid=body.solid, first=first)
            pairs += [(self._names[number], name) for number in found.tolist()]
            if first and pairs:
                break
        data = []
        if return_data:
            for a, b in pairs:
                data += contacts((a, b), self._bodies[a], other_manager._bodies[b])
        return _answer(bool(pairs), set(pairs), data, return_names, return_data)

    def min_distance_single(
        self, mesh: Any, transform: Optional[ArrayLike] = None, return_name: bool = False, return_data: bool = False
    ) -> Any:
        """Computes the least distance of a mesh from the manager's meshes.

        Args:
            mesh, transform: See `add_object`.
            return_name: Whether to also return the name of the nearest mesh.
            return_data: Whether to also return the closest points and faces.

        Returns:
            float; with `return_name` also a name; with `return_data` also a `DistanceData`, in which the mesh has the
            name "__external". If the manager is empty: the largest float, None and None.

        Raises:
            ValueError: See `add_object`.
        """
        names, data = self._nearest(Body(mesh, transform), _EXTERNAL)
        return _distance(data, names and names[0], return_name, return_data)

    def min_distance_internal(
        self, name: Optional[Hashable] = None, return_names: bool = False, return_data: bool = False
    ) -> Any:
        """Computes the least distance between any two of the manager's meshes, or of one mesh from all others.

        Args:
            name: The name of the one mesh; None for any two.
            return_names: Whether to also return the names of the two closest meshes.
            return_data: Whether to also return the closest points and faces.

        Returns:
            float; with `return_names` also both names, sorted; with `return_data` also a `DistanceData`.

        Raises:
            ValueError: If there is no mesh of this name.
            TypeError: If the names cannot be sorted.
        """
        if name is not None:
            body = self._body(name)
            names, data = self._nearest(body, name, ignore=body.number)
        else:
            names, data = self._closest_pair()
        return _distance(data, names and tuple(sorted(names)), return_names, return_data)

    def min_distance_other(
        self, other_manager: CollisionManager, return_names: bool = False, return_data: bool = False
    ) -> Any:
        """Computes the least distance of the manager's meshes from those of another manager.

        Args:
            other_manager: A `CollisionManager` of this module.
            return_names: Whether to also return the names of the two closest meshes.
            return_data: Whether to also return the closest points and faces.

        Returns:
            float; with `return_names` also both names, this manager's first; with `return_data` also a `DistanceData`.

        Raises:
            AttributeError: If the other manager is not of this module.
        """
        best = None, None
        for name, body in other_manager._bodies.items():
            bound = np.inf if best[1] is None else max(best[1].distance, 0.0)
            names, data = self._nearest(body, name, bound=bound)
            if data is not None and (best[1] is None or data.distance < best[1].distance):
                best = names, data
        return _distance(best[1], best[0] or (None, None), return_names, return_data)

    def _body(self, name):
        if name not in self._bodies:
            raise ValueError(f"{name} not in collision manager!")
        return self._bodies[name]

    def _nearest(self, body, name, ignore=None, bound=np.inf):
        """Returns names and data of the manager's mesh that is nearest to a body, or overlaps it most deeply."""
        numbers = self._scene.bodies_intersecting(body.tree, body.pose, solid=body.solid).tolist()
        overlaps = []
        for number in numbers:
            if number != ignore:
                own = self._names[number]
                overlaps.append(((own, name), overlap_distance((own, name), self._bodies[own], body)))
        if overlaps:
            return min(overlaps, key=lambda found: found[1].distance)
        found = self._scene.closest_body(body.tree, body.pose, max_distance=bound, ignore=ignore)
        if found is None:
            return None, None
        own = self._names[int(found.b)]
        faces, points = (int(found.face_b), int(found.face_a)), (found.on_b, found.on_a)
        return (own, name), DistanceData((own, name), faces, points, float(found.distance))

    def _closest_pair(self):
        overlaps = []
        for a, b in self._scene.intersecting_pairs().tolist():
            names = self._names[a], self._names[b]
            overlaps.append((names, overlap_distance(names, *map(self._bodies.get, names))))
        if overlaps:
            return min(overlaps, key=lambda found: found[1].distance)
        found = self._scene.closest_pair()
        if found is None:
            return None, None
        names = self._names[int(found.a)], self._names[int(found.b)]
        faces, points = (int(found.face_a), int(found.face_b)), (found.on_a, found.on_b)
        return names, DistanceData(names, faces, points, float(found.distance))


def scene_to_collision(scene: Any) -> Tuple[CollisionManager, Dict[Hashable, Body]]:
    """Creates a collision manager of all meshes of a `trimesh.Scene`.

    Args:
        scene: A `trimesh.Scene`.

    Returns:
        The `CollisionManager`, and a dict that maps the names of the scene's nodes to the manager's objects.

    Raises:
        ValueError: See `CollisionManager.add_object`.
    """
    manager = CollisionManager()
    objects = {}
    for node in scene.graph.nodes_geometry:
        transform, geometry = scene.graph[node]
        objects[node] = manager.add_object(node, scene.geometry[geometry], transform)
    return manager, objects


def _answer(result, names, data, return_names, return_data):
    parts = (result,) + ((names,) if return_names else ()) + ((data,) if return_data else ())
    return parts if len(parts) > 1 else result


def _distance(data, names, return_names, return_data):
    distance = sys.float_info.max if data is None else data.distance
    return _answer(distance, names, data, return_names, return_data)
