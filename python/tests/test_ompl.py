"""Plans of OMPL: proven edges, against fine samples."""

import numpy as np
import pytest

import bvtree

pytest.importorskip("ompl")
from bvtree import ompl  # noqa: E402

URDF = """<robot name='arm'><link name='base'/>
<link name='upper'><collision><geometry><box size='0.9 0.05 0.05'/></geometry><origin xyz='0.5 0 0'/></collision></link>
<link name='fore'><collision><geometry><box size='0.9 0.05 0.05'/></geometry><origin xyz='0.5 0 0'/></collision></link>
<joint name='a' type='continuous'><parent link='base'/><child link='upper'/><axis xyz='0 0 1'/></joint>
<joint name='b' type='revolute'><parent link='upper'/><child link='fore'/><origin xyz='1 0 0'/><axis xyz='0 0 1'/>
<limit lower='-2.5' upper='2.5'/></joint></robot>"""


@pytest.fixture
def robot():
    return bvtree.Robot.from_urdf(URDF)


@pytest.fixture
def world():
    world = bvtree.World()
    # Thinner than the steps of most samplings.
    world.add_box([0.8, 0.002, 0.5], bvtree.pose_from_translation([1.55, 0, 0]), name="sheet")
    return world


def solved(setup, start, goal):
    space = setup.getStateSpace()
    states = [space.allocState() for _ in range(2)]
    for state, values in zip(states, [start, goal]):
        for index, value in enumerate(values):
            state[index] = value
    setup.setStartAndGoalStates(*states)
    return setup.solve(20.0)


def test_plans_are_free_between_their_states(robot, world):
    setup = ompl.simple_setup(robot, world, 0.005)
    assert solved(setup, [-0.5, 0], [0.5, 0])
    setup.simplifySolution()
    path = ompl.configurations(robot, setup.getSolutionPath())
    assert len(path) > 2 and np.allclose(path[[0, -1]], [[-0.5, 0], [0.5, 0]])
    assert robot.first_impact_on(path, world, 0.005) is None
    for start, end in zip(path, path[1:]):
        assert robot.free(np.linspace(start, end, 2000), world, 0.005).all()


def test_spaces_have_the_limits(robot):
    bounds = ompl.state_space(robot).getBounds()
    assert np.allclose(list(bounds.low), [-np.pi, -2.5]) and np.allclose(list(bounds.high), [np.pi, 2.5])
    floating = bvtree.Robot.from_urdf(URDF.replace("continuous", "floating"))
    with pytest.raises(ValueError, match="with_group"):
        ompl.state_space(floating)


def test_states_are_valid_where_the_robot_is_free(robot, world):
    setup = ompl.simple_setup(robot, world)
    information = setup.getSpaceInformation()
    state = information.allocState()
    for values, expected in [([0.5, 0], True), ([0, 0], False)]:
        for index, value in enumerate(values):
            state[index] = value
        assert information.isValid(state) == expected
        assert (ompl.configuration(robot, state) == values).all()
