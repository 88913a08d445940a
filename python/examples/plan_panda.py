"""A Panda arm plans its way out of a cage of spheres with OMPL: each edge of a plan is proven free, its meshes as they are.

    plan_panda.py FOLDER [COUNT]

FOLDER holds `example_robot_data/robots`, as PyPI's `example-robot-data` installs it; `pip install ompl example-robot-data`.
The scene, its start and goal are the "sphere cage" of VAMP (KavrakiLab/vamp, scripts/sphere_cage_example.py), whose spheres
are moved a little at random for each plan.
"""

import pathlib
import statistics
import sys
import time

import numpy as np
from ompl import geometric, util

import bvtree
from bvtree import ompl

START = [0, -0.785, 0, -2.356, 0, 1.571, 0.785]
GOAL = [2.35, 1, 0, -0.8, 0, 2.5, 0.785]
RING = [[0.55, 0], [0.35, 0.35], [0, 0.55], [-0.55, 0], [-0.35, -0.35], [0, -0.55], [0.35, -0.35]]
SPHERES = [[x, y, 0.25] for x, y in RING] + [[x, y, 0.8] for x, y in [[0.35, 0.35], [0, 0.55], [-0.35, 0.35], *RING[3:]]]
RADIUS = 0.2
CLEARANCE = 0.005


def cage(rng):
    """The spheres as a world, but for those that the robot touches at an end, none of which there are unless moved."""
    world = bvtree.World()
    for sphere in SPHERES:
        world.add_sphere(RADIUS, bvtree.pose_from_translation(sphere + rng.uniform(-0.01, 0.01, 3)))
    return world


def plan(robot, world):
    """A path of configurations and the seconds that it took."""
    setup = ompl.simple_setup(robot, world, CLEARANCE)
    setup.setPlanner(geometric.RRTConnect(setup.getSpaceInformation()))
    ends = [setup.getStateSpace().allocState() for _ in range(2)]
    for state, values in zip(ends, [START, GOAL]):
        for index, value in enumerate(values):
            state[index] = value
    setup.setStartAndGoalStates(*ends)
    began = time.perf_counter()
    if not setup.solve(30.0):
        return None, time.perf_counter() - began
    setup.simplifySolution(2.0)
    return ompl.configurations(robot, setup.getSolutionPath()), time.perf_counter() - began


def main():
    folder = pathlib.Path(sys.argv[1]) / "example-robot-data" / "robots" / "panda_description"
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 20
    util.setLogLevel(util.LogLevel.LOG_WARN)
    util.RNG.setSeed(1)
    robot = bvtree.Robot.from_urdf(folder / "urdf/panda.urdf", folder / "srdf/panda.srdf", [folder.parents[2]])
    arm = robot.with_group([f"panda_joint{k}" for k in range(1, 8)])
    rng = np.random.default_rng(0)
    seconds, states, solved = [], [], 0
    for number in range(count):
        world = cage(rng)
        if not arm.free([START, GOAL], world, CLEARANCE).all():
            print(f"{number}: an end is blocked")
            continue
        path, taken = plan(arm, world)
        if path is None:
            print(f"{number}: no plan in {taken:.1f} s")
            continue
        # The whole path once more, and samples of it, which no proof needs.
        assert arm.first_impact_on(path, world, CLEARANCE) is None
        for start, end in zip(path, path[1:]):
            assert arm.free(np.linspace(start, end, 500), world, CLEARANCE).all()
        solved += 1
        seconds.append(taken)
        states.append(len(path))
    if solved:
        middle, worst = statistics.median(seconds), max(seconds)
        print(f"{solved} of {count} planned, {CLEARANCE * 1e3:.0f} mm clear, proven: {middle:.2f} s in the median, {worst:.2f} s at most,")
        print(f"with simplification; {statistics.median(states):.0f} configurations in the median; no sample is against a proof")


if __name__ == "__main__":
    main()
