"""One job with bvtree, and with pinocchio and Coal: which configurations of a UR5 beside two boxes are free, and is a motion?

    beside_pinocchio.py FOLDER

FOLDER holds `example-robot-data/robots`, as PyPI's `example-robot-data` installs it; `pip install pin example-robot-data`.
"""

import inspect
import pathlib
import sys
import time

import coal
import numpy as np
import pinocchio as pin

import bvtree

BOXES = {"table": ([0.8, 1.2, 0.1], [0.7, 0, -0.05]), "post": ([0.1, 0.1, 1.5], [0.4, 0.4, 0.75])}


def with_bvtree(urdf, srdf, packages, Q):
    robot = bvtree.Robot.from_urdf(urdf, srdf, packages)
    world = bvtree.World()
    for name, (size, at) in BOXES.items():
        world.add_box(size, bvtree.pose_from_translation(at), name=name)
    return robot.free(Q, world, threads=1), robot.first_impact(Q[0], Q[1], world, clearance=0.005)


def with_pinocchio(urdf, srdf, packages, Q):
    model = pin.buildModelFromUrdf(urdf)
    geometry = pin.buildGeomFromUrdf(model, urdf, pin.GeometryType.COLLISION, package_dirs=packages)
    own = geometry.ngeoms
    geometry.addAllCollisionPairs()
    pin.removeCollisionPairs(model, geometry, srdf)
    for name, (size, at) in BOXES.items():
        placed = pin.SE3(np.eye(3), np.array(at))
        box = geometry.addGeometryObject(pin.GeometryObject(name, 0, 0, placed, coal.Box(*size)))
        for link in range(own):
            geometry.addCollisionPair(pin.CollisionPair(link, box))
    data, results = model.createData(), geometry.createData()
    free = np.array([not pin.computeCollisions(model, data, geometry, results, q, True) for q in Q])
    # Samples of the motion, for there is no proof.
    edge = np.linspace(Q[0], Q[1], 128)
    return free, next((k / 127 for k, q in enumerate(edge) if pin.computeCollisions(model, data, geometry, results, q, True)), None)


def main():
    robots = pathlib.Path(sys.argv[1]) / "example-robot-data" / "robots"
    urdf, srdf = (str(robots / "ur_description" / name) for name in ["urdf/ur5_robot.urdf", "srdf/ur5.srdf"])
    Q = np.random.default_rng(1).uniform(-np.pi, np.pi, (1000, 6))
    for job in [with_bvtree, with_pinocchio]:
        began = time.perf_counter()
        free, edge = job(urdf, srdf, [str(robots.parents[1]), str(robots.parent)], Q)
        taken = time.perf_counter() - began
        lines = len([line for line in inspect.getsource(job).splitlines()[1:] if line.strip() and "#" not in line])
        print(f"{job.__name__}: {lines} lines, {taken * 1e3:.0f} ms with loading, {free.sum()} of {len(Q)} free, edge: {edge}")


if __name__ == "__main__":
    main()
