"""Coal's Python package: meshes in OBBRSS trees, contacts without limit."""

from functools import lru_cache

import coal
import numpy as np

MESHES = {}


@lru_cache(None)
def model(path):
    mesh, made = MESHES[path], coal.BVHModelOBBRSS()
    made.beginModel(len(mesh.faces), len(mesh.vertices))
    made.addVertices(np.array(mesh.vertices))
    made.addTriangles(np.array(mesh.faces))
    made.endModel()
    return made


def answer(question, a, b, pose, end=None):
    MESHES.update({a.path: a, b.path: b})
    pose = np.array(pose)
    placed = (model(a.path), coal.Transform3s(), model(b.path), coal.Transform3s(pose[:3, :3], pose[:3, 3]))
    if question == "hit":
        return coal.collide(*placed, coal.CollisionRequest(), coal.CollisionResult()) > 0
    if question == "pairs":
        result = coal.CollisionResult()
        coal.collide(*placed, coal.CollisionRequest(coal.CollisionRequestFlag.CONTACT, 1_000_000), result)
        return sorted({(contact.b1, contact.b2) for contact in result.getContacts()})
    if question == "distance":
        # Negative where they touch.
        return max(0.0, coal.distance(*placed, coal.DistanceRequest(), coal.DistanceResult()))
    raise NotImplementedError(question)
