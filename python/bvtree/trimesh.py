"""A drop-in for `trimesh.collision`: `from bvtree.trimesh import CollisionManager` in place of trimesh's own.

The same methods, arguments and return values. What differs:

* Verdicts and distances are exact (FCL's are rounded), and touching counts as collision, also of convex meshes.
* Convex meshes are solid, as they are there: what lies inside them collides, and distances between two of them are negative by the depth
  of their overlap, the least of all pairs'. All other meshes are surfaces: something inside a hollow one does not collide with it. Where a convex
  mesh overlaps one that is not, the distance is 0 (with FCL it is -1, whatever the depth).
* Contacts of two convex meshes are one point with a face of each mesh (FCL tells -1). Other contacts are one for each pair of
  triangles. A contact's normal points from the manager's mesh to the other one, or from the one added first.
* Transforms that scale or shear are taken as they are; FCL takes them for rotations.
* A mesh's tree is kept with the mesh as long as it does not change, so that asking about it again is quick.
"""

import sys

import numpy as np

from bvtree import _bvtree as bv
from bvtree import _overlap

__all__ = ["CollisionManager", "ContactData", "DistanceData", "scene_to_collision"]

_EXTERNAL = "__external"


class ContactData:
    """A contact of two objects.

    Attributes:
        names: The set of both objects' names.
        point: (3,) float64, in the world.
        normal: (3,) float64 unit vector, in the world.
        depth: float, how deep the contact is.
    """

    def __init__(self, names, faces, point, normal, depth):
        self.names = set(names)
        self.point = point
        self.normal = normal
        self.depth = depth
        self._faces = dict(zip(names, faces))

    def index(self, name):
        """The face in contact of the object of that name."""
        return self._faces[name]


class DistanceData:
    """The least distance of two objects.

    Attributes:
        names: The set of both objects' names.
        distance: float; negative by the depth of two convex meshes that overlap.
    """

    def __init__(self, names, faces, points, distance):
        self.names = set(names)
        self.distance = distance
        self._faces = dict(zip(names, faces))
        self._points = dict(zip(names, points))

    def index(self, name):
        """The closest face of the object of that name."""
        return self._faces[name]

    def point(self, name):
        """The closest point, (3,) in the world, of the object of that name."""
        return self._points[name]


class _Body:
    """A mesh, its tree and where it stands."""

    def __init__(self, mesh, transform):
        self.source = mesh
        self.number = None
        self.move(transform)

    def move(self, transform):
        transform = np.eye(4) if transform is None else np.array(transform, dtype=np.float64)
        if transform.shape != (4, 4):
            raise ValueError("transform must be (4,4)!")
        if _is_rigid(transform):
            self.mesh, self.tree, self.solid = _tree(self.source)
            self.pose = transform
        else:
            vertices = np.asarray(self.source.vertices, dtype=np.float64)
            vertices = vertices @ transform[:3, :3].T + transform[:3, 3]
            self.mesh = bv.Mesh(vertices, self.source.faces)
            self.tree = bv.Tree(self.mesh, preset="fast")
            self.solid = _is_convex(self.source)
            self.pose = np.eye(4)


def _is_rigid(transform):
    rotation = transform[:3, :3]
    if not np.isfinite(transform).all():
        # For the pose to refuse, as is a wrong last row.
        return True
    return np.abs(rotation.T @ rotation - np.eye(3)).max() <= 1e-4 and np.linalg.det(rotation) > 0


def _is_convex(mesh):
    return bool(getattr(mesh, "is_convex", False))


def _tree(mesh):
    """The mesh, its tree, and whether it is convex: kept with a trimesh until that changes."""
    cache = getattr(mesh, "_cache", None)
    try:
        kept = cache["bvtree"]
        if kept is not None:
            return kept
    except (KeyError, TypeError):
        pass
    own = bv.Mesh.from_object(mesh)
    # Most are asked a few times only.
    made = own, bv.Tree(own, preset="fast"), _is_convex(mesh)
    try:
        cache["bvtree"] = made
    except TypeError:
        # No such cache: the tree is built anew next time.
        pass
    return made


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

    def __init__(self):
        self._scene = bv.Scene()
        self._bodies = {}
        self._names = {}

    @property
    def _objs(self):
        return {name: {"obj": body, "geom": body.tree} for name, body in self._bodies.items()}

    def add_object(self, name, mesh, transform=None):
        """Adds a mesh, in place of one of that name if there is one.

        Args:
            name: Any hashable.
            mesh: A `trimesh.Trimesh`, or something with vertices and faces.
            transform: (4, 4), takes its points into the world. None is where they are.
        """
        body = _Body(mesh, transform)
        number = self._scene.add(body.tree, body.pose, solid=body.solid)
        if name in self._bodies:
            self.remove_object(name)
        body.number = number
        self._bodies[name] = body
        self._names[number] = name
        return body

    def remove_object(self, name):
        """Takes out the mesh of that name.

        Raises:
            ValueError: If there is none.
        """
        body = self._body(name)
        self._scene.remove(body.number)
        del self._bodies[name], self._names[body.number]

    def set_transform(self, name, transform):
        """Puts the mesh of that name elsewhere.

        Args:
            name: As given to `add_object`.
            transform: (4, 4).

        Raises:
            ValueError: If there is no such mesh.
        """
        body = self._body(name)
        tree = body.tree
        body.move(transform)
        if body.tree is tree:
            self._scene.set_pose(body.number, body.pose)
        else:
            number = self._scene.add(body.tree, body.pose, solid=body.solid)
            self._scene.remove(body.number)
            self._names[number] = self._names.pop(body.number)
            body.number = number

    def in_collision_single(self, mesh, transform=None, return_names=False, return_data=False):
        """Whether a mesh collides with any of the manager's.

        Returns:
            bool; with `return_names` also the set of names that collide with it; with `return_data` also a list of
            `ContactData`, in which the mesh is named "__external".
        """
        body = _Body(mesh, transform)
        found = self._scene.colliding(body.tree, body.pose, solid=body.solid, first=not (return_names or return_data))
        names = [self._names[number] for number in found.tolist()]
        contacts = []
        if return_data:
            for name in names:
                contacts += _contacts((name, _EXTERNAL), self._bodies[name], body)
        return _answer(bool(names), set(names), contacts, return_names, return_data)

    def in_collision_internal(self, return_names=False, return_data=False):
        """Whether any two of the manager's meshes collide.

        Returns:
            bool; with `return_names` also the set of pairs of names, each pair sorted; with `return_data` also a list of
            `ContactData`.
        """
        found = self._scene.colliding_pairs(first=not (return_names or return_data))
        pairs = [(self._names[a], self._names[b]) for a, b in found.tolist()]
        contacts = []
        if return_data:
            for a, b in pairs:
                contacts += _contacts((a, b), self._bodies[a], self._bodies[b])
        names = {tuple(sorted(pair)) for pair in pairs} if return_names else set()
        return _answer(bool(pairs), names, contacts, return_names, return_data)

    def in_collision_other(self, other_manager, return_names=False, return_data=False):
        """Whether any of the manager's meshes collides with any of another manager's.

        Returns:
            bool; with `return_names` also the set of pairs of names, the first this manager's; with `return_data` also a
            list of `ContactData`.
        """
        first = not (return_names or return_data)
        pairs = []
        for name, body in other_manager._bodies.items():
            found = self._scene.colliding(body.tree, body.pose, solid=body.solid, first=first)
            pairs += [(self._names[number], name) for number in found.tolist()]
            if first and pairs:
                break
        contacts = []
        if return_data:
            for a, b in pairs:
                contacts += _contacts((a, b), self._bodies[a], other_manager._bodies[b])
        return _answer(bool(pairs), set(pairs), contacts, return_names, return_data)

    def min_distance_single(self, mesh, transform=None, return_name=False, return_data=False):
        """The least distance of a mesh from any of the manager's.

        Returns:
            float; with `return_name` also the name of the nearest mesh; with `return_data` also a `DistanceData`, in which the
            mesh is named "__external". The largest float, None and None if the manager is empty.
        """
        names, data = self._nearest(_Body(mesh, transform), _EXTERNAL)
        return _distance(data, names and names[0], return_name, return_data)

    def min_distance_internal(self, name=None, return_names=False, return_data=False):
        """The least distance of any two of the manager's meshes, or of one from all others.

        Args:
            name: The one; None for any two.

        Returns:
            float; with `return_names` also both names, sorted; with `return_data` also a `DistanceData`.

        Raises:
            ValueError: If there is no mesh of that name.
        """
        if name is not None:
            body = self._body(name)
            names, data = self._nearest(body, name, ignore=body.number)
        else:
            names, data = self._closest_pair()
        return _distance(data, names and tuple(sorted(names)), return_names, return_data)

    def min_distance_other(self, other_manager, return_names=False, return_data=False):
        """The least distance of any of the manager's meshes from any of another manager's.

        Returns:
            float; with `return_names` also both names, the first this manager's; with `return_data` also a `DistanceData`.
        """
        best = None, None
        for name, body in other_manager._bodies.items():
            bound = np.inf if best[1] is None else max(best[1].distance, 0.0)
            names, data = self._nearest(body, name, bound=bound)
            if data is not None and (best[1] is None or data.distance < best[1].distance):
                best = names, data
        return _distance(best[1], best[0], return_names, return_data)

    def _body(self, name):
        if name not in self._bodies:
            raise ValueError(f"{name} not in collision manager!")
        return self._bodies[name]

    def _nearest(self, body, name, ignore=None, bound=np.inf):
        """Names and data of the manager's mesh that is nearest to another one, or overlaps it most deeply."""
        numbers = self._scene.colliding(body.tree, body.pose, solid=body.solid).tolist()
        overlaps = []
        for number in numbers:
            if number != ignore:
                own = self._names[number]
                overlaps.append(((own, name), _overlap_distance((own, name), self._bodies[own], body)))
        if overlaps:
            return min(overlaps, key=lambda found: found[1].distance)
        found = self._scene.nearest(body.tree, body.pose, max_distance=bound, ignore=ignore)
        if found is None:
            return None, None
        own = self._names[int(found.b)]
        faces, points = (int(found.face_b), int(found.face_a)), (found.on_b, found.on_a)
        return (own, name), DistanceData((own, name), faces, points, float(found.distance))

    def _closest_pair(self):
        overlaps = []
        for a, b in self._scene.colliding_pairs().tolist():
            names = self._names[a], self._names[b]
            overlaps.append((names, _overlap_distance(names, *map(self._bodies.get, names))))
        if overlaps:
            return min(overlaps, key=lambda found: found[1].distance)
        found = self._scene.closest_pair()
        if found is None:
            return None, None
        names = self._names[int(found.a)], self._names[int(found.b)]
        faces, points = (int(found.face_a), int(found.face_b)), (found.on_a, found.on_b)
        return names, DistanceData(names, faces, points, float(found.distance))


def scene_to_collision(scene):
    """A manager of all meshes of a `trimesh.Scene`.

    Returns:
        The `CollisionManager`, and a dict of its objects by the names of the scene's nodes.
    """
    manager = CollisionManager()
    objects = {}
    for node in scene.graph.nodes_geometry:
        transform, geometry = scene.graph[node]
        objects[node] = manager.add_object(node, scene.geometry[geometry], transform)
    return manager, objects


def _answer(result, names, contacts, return_names, return_data):
    parts = (result,) + ((names,) if return_names else ()) + ((contacts,) if return_data else ())
    return parts if len(parts) > 1 else result


def _distance(data, names, return_names, return_data):
    distance = sys.float_info.max if data is None else data.distance
    return _answer(distance, names, data, return_names, return_data)


def _contacts(names, a, b):
    """All contacts of two bodies that collide."""
    found = _overlap.contacts(a, b)
    rows = zip(found["faces"].tolist(), found["point"], found["normal"], found["depth"].tolist())
    return [ContactData(names, faces, point, normal, depth) for faces, point, normal, depth in rows]


def _overlap_distance(names, a, b):
    """The distance of two bodies that collide: 0, or minus the depth of two solids."""
    if a.solid and b.solid:
        found = _overlap.solid(a, b)
        half = found.depth / 2 * found.normal
        return DistanceData(names, found.faces, (found.point + half, found.point - half), -found.depth)
    nearest = bv.closest(a.tree, b.tree, bv.relative_pose(a.pose, b.pose))
    points = [a.pose[:3, :3] @ point + a.pose[:3, 3] for point in (nearest.on_a, nearest.on_b)]
    return DistanceData(names, (int(nearest.face_a), int(nearest.face_b)), points, 0.0)
