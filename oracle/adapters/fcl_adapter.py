"""python-fcl, as its README uses it: meshes in OBBRSS trees, contacts without limit."""

from functools import lru_cache

import fcl
import numpy as np

MESHES = {}


@lru_cache(None)
def model(path):
    mesh, made = MESHES[path], fcl.BVHModel()
    made.beginModel(len(mesh.vertices), len(mesh.faces))
    made.addSubModel(np.array(mesh.vertices), np.array(mesh.faces))
    made.endModel()
    return made


def transform(pose):
    pose = np.array(pose)
    return fcl.Transform(pose[:3, :3], pose[:3, 3])


def answer(question, a, b, pose, end=None):
    MESHES.update({a.path: a, b.path: b})
    one = fcl.CollisionObject(model(a.path), fcl.Transform())
    other = fcl.CollisionObject(model(b.path), transform(pose))
    if question == "hit":
        return fcl.collide(one, other, fcl.CollisionRequest(), fcl.CollisionResult()) > 0
    if question == "pairs":
        result = fcl.CollisionResult()
        fcl.collide(one, other, fcl.CollisionRequest(num_max_contacts=1_000_000, enable_contact=True), result)
        return sorted({(contact.b1, contact.b2) for contact in result.contacts})
    if question == "distance":
        # -1 where they touch.
        return max(0.0, fcl.distance(one, other, fcl.DistanceRequest(), fcl.DistanceResult()))
    if question == "impact":
        # The solver for meshes that finds impacts, by samples: the time lies between the sample that collides and the
        # one before. Conservative advancement, the default, finds none between meshes in python-fcl.
        samples = 100_000
        request = fcl.ContinuousCollisionRequest(
            samples, 1 / samples, fcl.CCDMotionType.CCDM_LINEAR, ccd_solver_type=fcl.CCDSolverType.CCDC_NAIVE
        )
        result = fcl.ContinuousCollisionResult()
        fcl.continuousCollide(one, fcl.Transform(), other, transform(end), request, result)
        time = float(result.time_of_contact)
        return (max(0.0, time - 1 / (samples - 1)), time) if result.is_collide else None
    raise NotImplementedError(question)
