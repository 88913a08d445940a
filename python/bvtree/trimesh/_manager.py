"""Many meshes, asked about all at once."""

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
    """Many named meshes, asked about all at once; as `trimesh.collision.CollisionManager`.

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
        """Adds a mesh, in place of one of that name if there is one.

        Args:
            name: Any hashable.
            mesh: A `trimesh.Trimesh`, or something with vertices and faces.
            transform: (4, 4), takes its points into the world. None is where they are.

        Raises:
            ValueError: If the transform has another shape, is not finite or not affine, or the mesh is none (`bvtree.InvalidMesh`).
                Then nothing is added, nor taken out.
        """
        body = Body(mesh, transform)
        number = self._scene.add(body.tree, body.pose, solid=body.solid)
        if name in self._bodies:
            self.remove_object(name)
        body.number = number
        self._bodies[name] = body
        self._names[number] = name
        return body

    def remove_object(self, name: Hashable) -> None:
        """Takes out the mesh of that name.

        Raises:
            ValueError: If there is none.
        """
        body = self._body(name)
        self._scene.remove(body.number)
        del self._bodies[name], self._names[body.number]

    def set_transform(self, name: Hashable, transform: Optional[ArrayLike]) -> None:
        """Puts the mesh of that name elsewhere.

        Args:
            name: As given to `add_object`.
            transform: (4, 4).

        Raises:
            ValueError: If there is no such mesh, or as `add_object`: then it stays.
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
        """Whether a mesh collides with any of the manager's.

        Returns:
            bool; with `return_names` also the set of names that collide with it; with `return_data` also a list of
            `ContactData`, in which the mesh is named "__external".

        Raises:
            ValueError: As `add_object`.
        """
        body = Body(mesh, transform)
        found = self._scene.bodies_intersecting(body.tree, body.pose, solid=body.solid, first=not (return_names or return_data))
        names = [self._names[number] for number in found.tolist()]
        data = []
        if return_data:
            for name in names:
                data += contacts((name, _EXTERNAL), self._bodies[name], body)
        return _answer(bool(names), set(names), data, return_names, return_data)

    def in_collision_internal(self, return_names: bool = False, return_data: bool = False) -> Any:
        """Whether any two of the manager's meshes collide.

        Returns:
            bool; with `return_names` also the set of pairs of names, each pair sorted; with `return_data` also a list of
            `ContactData`.

        Raises:
            TypeError: With `return_names`, if names can't be sorted.
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
        """Whether any of the manager's meshes collides with any of another manager's.

        Returns:
            bool; with `return_names` also the set of pairs of names, the first this manager's; with `return_data` also a
            list of `ContactData`.

        Raises:
            AttributeError: If the other is no manager of this module.
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
        """The least distance of a mesh from any of the manager's.

        Returns:
            float; with `return_name` also the name of the nearest mesh; with `return_data` also a `DistanceData`, in which the
            mesh is named "__external". The largest float, None and None if the manager is empty.

        Raises:
            ValueError: As `add_object`.
        """
        names, data = self._nearest(Body(mesh, transform), _EXTERNAL)
        return _distance(data, names and names[0], return_name, return_data)

    def min_distance_internal(
        self, name: Optional[Hashable] = None, return_names: bool = False, return_data: bool = False
    ) -> Any:
        """The least distance of any two of the manager's meshes, or of one from all others.

        Args:
            name: The one; None for any two.

        Returns:
            float; with `return_names` also both names, sorted; with `return_data` also a `DistanceData`.

        Raises:
            ValueError: If there is no mesh of that name.
            TypeError: If names can't be sorted.
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
        """The least distance of any of the manager's meshes from any of another manager's.

        Returns:
            float; with `return_names` also both names, the first this manager's; with `return_data` also a `DistanceData`.

        Raises:
            AttributeError: As `in_collision_other`.
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
        """Names and data of the manager's mesh that is nearest to another one, or overlaps it most deeply."""
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
    """A manager of all meshes of a `trimesh.Scene`.

    Returns:
        The `CollisionManager`, and a dict of its objects by the names of the scene's nodes.

    Raises:
        ValueError: As `CollisionManager.add_object`.
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
