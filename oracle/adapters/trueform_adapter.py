"""trueform's Python package, in double precision."""

from functools import lru_cache

import numpy as np
import trueform

MESHES = {}


@lru_cache(None)
def mesh_of(path, place):
    mesh = MESHES[path]
    return trueform.Mesh(np.array(mesh.faces, dtype=np.int32), np.array(mesh.vertices))


def answer(question, a, b, pose, end=None):
    MESHES.update({a.path: a, b.path: b})
    one, other = mesh_of(a.path, "a"), mesh_of(b.path, "b")
    other.transformation = np.array(pose)
    if question == "hit":
        return bool(trueform.intersects(one, other))
    if question == "pairs":
        return sorted(map(tuple, trueform.gather_intersecting_ids(one, other)))
    if question == "distance":
        return float(trueform.distance(one, other))
    raise NotImplementedError(question)
