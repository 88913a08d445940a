"""OMPL plans with exact collision checks and proven edges: `from bvtree import ompl` (needs `pip install ompl`).

`simple_setup(robot, world)` returns an `ompl.geometric.SimpleSetup` over the robot's joints, with their limits. Its
states are valid if `Robot.free` says so, and its motions if `Robot.first_impact` proves them free, whichever planner
asks. A path that a planner returns is therefore free between its states too, not only at samples.
"""

import numpy as np
from ompl import base, geometric

__all__ = ["MotionValidator", "StateValidityChecker", "configuration", "configurations", "simple_setup", "state_space"]

# The number of configurations on a motion that are checked before its proof.
SAMPLES = 17


def state_space(robot):
    """Returns the space of a robot's configurations, a real vector space within the joint limits.

    A joint value without limits is restricted to -pi to pi, and OMPL does not plan across these ends.

    Raises:
        ValueError: If the robot has a floating joint, because its quaternion is not a vector of independent numbers.
            `Robot.with_group` can hold the joint still.
    """
    if any(name.endswith("/rot_w") for name in robot.joints):
        raise ValueError("a floating joint's quaternion is no real vector; fix it by Robot.with_group")
    limits = np.where(np.isfinite(robot.limits), robot.limits, [-np.pi, np.pi])
    space, bounds = base.RealVectorStateSpace(len(limits)), base.RealVectorBounds(len(limits))
    for index, (lower, upper) in enumerate(limits.tolist()):
        bounds.setLow(index, lower)
        bounds.setHigh(index, upper)
    space.setBounds(bounds)
    return space


def configuration(robot, state):
    """Returns the configuration of a state, as an (n,) array."""
    return np.array([state[index] for index in range(len(robot.joints))])


def configurations(robot, path):
    """Returns the configurations of an `ompl.geometric.PathGeometric`, as an (N, n) array."""
    return np.array([configuration(robot, path.getState(k)) for k in range(path.getStateCount())])


class StateValidityChecker(base.StateValidityChecker):
    """Calls a state valid if the robot keeps the clearance there."""

    def __init__(self, information, robot, world=None, clearance=0.0):
        super().__init__(information)
        self.robot, self.world, self.clearance = robot, world, clearance

    def isValid(self, state):
        return bool(self.robot.free(configuration(self.robot, state), self.world, self.clearance))

    def __call__(self, state):
        return self.isValid(state)


class MotionValidator(base.MotionValidator):
    """Calls a motion valid if the robot is proven to keep the clearance at every configuration on it."""

    def __init__(self, information, robot, world=None, clearance=0.0):
        super().__init__(information)
        self.robot, self.world, self.clearance = robot, world, clearance

    def checkMotion(self, start, end):
        ends = configuration(self.robot, start), configuration(self.robot, end)
        # Most blocked motions are blocked at one of a few samples, which take less time to test than a proof.
        if self.robot.first_blocked(*ends, self.world, SAMPLES, margin=self.clearance) is not None:
            return False
        return self.robot.first_impact(*ends, self.world, self.clearance) is None


def simple_setup(robot, world=None, clearance=0.0):
    """Returns an `ompl.geometric.SimpleSetup` whose states and motions a robot checks.

    Args:
        robot: A `bvtree.Robot`, which must not change while OMPL plans.
        world: A `bvtree.World` around it, or None.
        clearance: The distance in metres that bodies must keep.
    """
    setup = geometric.SimpleSetup(state_space(robot))
    information = setup.getSpaceInformation()
    setup.setStateValidityChecker(StateValidityChecker(information, robot, world, clearance))
    information.setMotionValidator(MotionValidator(information, robot, world, clearance))
    return setup
