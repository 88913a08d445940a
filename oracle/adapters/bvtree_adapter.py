"""bvtree's Python package."""

from functools import lru_cache

import bvtree


@lru_cache(None)
def tree(path):
    return bvtree.Tree(bvtree.Mesh.open(path))


def answer(question, a, b, pose, end=None):
    a, b = tree(a.path), tree(b.path)
    if question == "hit":
        return bvtree.intersects(a, b, pose)
    if question == "pairs":
        return list(bvtree.intersecting_pairs(a, b, pose))
    if question == "distance":
        return bvtree.distance(a, b, pose)
    if question == "relation":
        return bvtree.relation(a, b, pose)
    if question == "depth":
        found = bvtree.penetration_depth(a, b, pose, time_limit=10.0)
        return float(found.lower), float(found.upper)
    if question == "impact":
        found = bvtree.time_of_impact(a, b, pose, end)
        return None if found is None else float(found.time)
    raise NotImplementedError(question)
