"""trimesh's CollisionManager, which asks python-fcl."""

import numpy as np
import trimesh

MANAGERS = {}


def manager(mesh, name, pose):
    key = (mesh.path, name)
    if key not in MANAGERS:
        MANAGERS[key] = trimesh.collision.CollisionManager()
        MANAGERS[key].add_object(name, trimesh.Trimesh(mesh.vertices, mesh.faces, process=False))
    MANAGERS[key].set_transform(name, np.array(pose))
    return MANAGERS[key]


def answer(question, a, b, pose, end=None):
    one, other = manager(a, "a", np.eye(4)), manager(b, "b", pose)
    if question == "hit":
        return one.in_collision_other(other)
    if question == "pairs":
        _, contacts = one.in_collision_other(other, return_data=True)
        pairs = sorted({(contact.index("a"), contact.index("b")) for contact in contacts})
        if (-1, -1) in pairs:
            raise ValueError("two convex meshes are one contact, without faces")
        return pairs
    if question == "distance":
        return max(0.0, one.min_distance_other(other))
    raise NotImplementedError(question)
