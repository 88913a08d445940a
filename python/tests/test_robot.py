"""Robots: arrays in and out, against single questions; errors; threads."""

import pathlib
import threading

import numpy as np
import pytest

import bvtree

BOX = "<collision><geometry><box size='0.1 0.1 {length}'/></geometry><origin xyz='0 0 {middle}'/></collision>"


def urdf(links=5, length=0.3):
    """A chain of boxes along z, whose joints turn about x and y in turn."""
    text = "<robot name='chain'>"
    for link in range(links):
        text += f"<link name='l{link}'>{BOX.format(length=length, middle=length / 2)}</link>"
    for link in range(1, links):
        axis = "1 0 0" if link % 2 else "0 1 0"
        text += (
            f"<joint name='j{link}' type='revolute'><parent link='l{link - 1}'/><child link='l{link}'/>"
            f"<origin xyz='0 0 {length}'/><axis xyz='{axis}'/><limit lower='-3' upper='3'/></joint>"
        )
    return text + "</robot>"


SRDF = (
    "<robot><group name='wrist'><joint name='j4'/></group><disable_collisions link1='l0' link2='l2'/>"
    "<group_state group='wrist' name='bent'><joint name='j4' value='1.5'/></group_state></robot>"
)


@pytest.fixture
def robot():
    return bvtree.Robot.from_urdf(urdf())


@pytest.fixture
def world():
    world = bvtree.World()
    world.add_box([0.5, 0.2, 0.5], bvtree.pose_from_translation([0, 0.4, 0.7]), name="box")
    world.add_points(np.random.default_rng(3).uniform(-1, 1, (50, 3)) + [0, 0, 1.5], 0.05)
    return world


def configurations(count, seed=1, reach=2.0):
    return np.random.default_rng(seed).uniform(-reach, reach, (count, 4))


def test_a_floating_joint_rests_without_rotation():
    text = urdf().replace("'j1' type='revolute'", "'j1' type='floating'")
    robot = bvtree.Robot.from_urdf(text, SRDF)
    assert robot.joints[6:8] == ["j1/rot_w", "j2"]
    assert (robot.state("wrist", "bent") == [0, 0, 0, 0, 0, 0, 1, 0, 0, 1.5]).all()
    assert robot.with_group("wrist").joints == ["j4"]


def test_what_a_robot_has(robot, tmp_path):
    assert robot.name == "chain" and robot.links == ["l0", "l1", "l2", "l3", "l4"] == robot.bodies
    assert robot.joints == ["j1", "j2", "j3", "j4"]
    assert robot.pairs == [("l0", "l2"), ("l0", "l3"), ("l1", "l3"), ("l0", "l4"), ("l1", "l4"), ("l2", "l4")]
    assert (robot.limits == [-3, 3]).all() and robot.limits.shape == (4, 2)
    assert repr(robot) == "<bvtree.Robot: chain, 5 links, 4 joint values, 6 pairs>"
    path = tmp_path / "chain.urdf"
    path.write_text(urdf())
    (tmp_path / "chain.srdf").write_text(SRDF)
    # As Latin-1 has it: a name in a comment.
    path.write_bytes(path.read_bytes().replace(b"<robot", b"<!-- Andr\xe9 --><robot", 1))
    assert bvtree.Robot.from_urdf(path, SRDF).name == "chain" == bvtree.Robot.from_urdf(urdf(), SRDF).name
    read = bvtree.Robot.from_urdf(path, tmp_path / "chain.srdf", package_dirs=[tmp_path])
    assert len(read.pairs) == 5 and read.groups == {"wrist": ["j4"]}
    assert read.state("wrist", "bent").tolist() == [0, 0, 0, 1.5]
    wrist = read.with_group("wrist", [0.1, 0.2, 0.3, 0])
    assert wrist.joints == ["j4"] and wrist.pairs == [("l0", "l4"), ("l1", "l4"), ("l2", "l4")]
    for Q in configurations(20):
        expected = bvtree.Robot.from_urdf(urdf(), SRDF).distance([0.1, 0.2, 0.3, Q[3]])
        assert wrist.distance(Q[3:]) >= expected


def test_links_are_placed(robot):
    Q = configurations(7)
    placed = robot.place(Q)
    assert placed.shape == (7, 5, 4, 4) and robot.place(Q[0]).shape == (5, 4, 4)
    assert (placed[3] == robot.place(Q[3])).all()
    pose = np.eye(4)
    for link in range(5):
        if link:
            axis = [1, 0, 0] if link % 2 else [0, 1, 0]
            pose = pose @ bvtree.pose_from_axis_angle(axis, Q[3, link - 1], [0, 0, 0.3])
        assert np.allclose(placed[3, link], pose, atol=1e-14)


@pytest.mark.parametrize("threads", [None, 1, 2])
def test_many_are_as_one(robot, world, threads):
    Q = configurations(200)
    free = robot.free(Q, world, threads=threads)
    assert free.dtype == bool and 20 < free.sum() < 180
    offsets, pairs = robot.colliding(Q, world, threads=threads)
    assert offsets.shape == (201,) and pairs.shape == (offsets[-1], 2)
    assert ((np.diff(offsets) == 0) == free).all() and pairs.max() < 7
    distance = robot.distance(Q, world, threads=threads)
    assert ((distance > 0) == free).all()
    again, bodies = robot.closest(Q, world, threads=threads)
    assert (again == distance).all() and (bodies >= 0).all()
    assert (robot.within(Q, 0.05, world, threads=threads) == (distance <= 0.05)).all()
    assert (robot.free(Q, world, margin=0.05, threads=threads) == (distance > 0.05)).all()
    bounded = robot.distance(Q, world, upper_bound=0.05, threads=threads)
    assert (bounded == np.where(distance <= 0.05, distance, np.inf)).all()
    placed = robot.place(Q)
    assert (robot.free(poses=placed, world=world, threads=threads) == free).all()
    assert (robot.distance(poses=placed, world=world, threads=threads) == distance).all()
    for k in range(10):
        assert robot.free(Q[k], world) is bool(free[k])
        assert robot.distance(Q[k], world) == distance[k]
        one, both = robot.closest(Q[k], world)
        assert one == distance[k] and (both == bodies[k]).all()
        assert robot.colliding(Q[k], world)[1].tolist() == pairs[offsets[k] : offsets[k + 1]].tolist()
    assert robot.free(Q[:0], world).shape == (0,) and robot.colliding(Q[:0])[1].shape == (0, 2)


def test_motions(robot, world):
    starts, ends = configurations(60, 5, 1.0), configurations(60, 6, 1.0)
    blocked = robot.first_blocked(starts, ends, world, steps=33)
    impact = robot.first_impact(starts, ends, world)
    assert 5 < (blocked >= 0).sum() < 55
    for k, (q0, q1) in enumerate(zip(starts, ends)):
        free = robot.free(np.linspace(q0, q1, 33), world)
        expected = None if free.all() else int(np.argmin(free))
        assert robot.first_blocked(q0, q1, world, steps=33) == expected
        assert blocked[k] == (-1 if expected is None else expected)
        first = robot.first_impact(q0, q1, world)
        assert np.isnan(impact[k]) if first is None else first == impact[k]
        if first is None:
            assert free.all()
        else:
            assert robot.distance(q0 + (q1 - q0) * first, world) <= 3e-5
            if first > 0:
                assert robot.free(q0 + (q1 - q0) * np.linspace(0, first, 50)[:-1, None], world).all()


def test_arrays_of_paths_are_converted_once():
    class Shrinks:
        def __init__(self):
            self.shapes = iter([(2, 3, 1), (1, 1, 1)])

        def __array__(self, dtype=None, copy=None):
            return np.zeros(next(self.shapes))

    assert len(bvtree.JointPath.bezier(Shrinks())) == 2
    assert len(bvtree.JointPath.polynomials([0, 1, 2, 3], Shrinks())) == 3


def test_paths(robot, world):
    rng = np.random.default_rng(7)
    times = np.array([0, 0.5, 2, 2.5])
    blocked = 0
    for case in range(40):
        Q, V, A = rng.uniform(-0.4, 0.4, (3, 4, 4))
        control = Q[None, 0] + rng.uniform(-0.3, 0.3, (3, 4, 4))
        coefficients = rng.uniform(-0.2, 0.2, (4, 3, 4))
        paths = [
            Q,
            bvtree.JointPath(Q),
            bvtree.JointPath.bezier(control),
            bvtree.JointPath.hermite(times, Q, V),
            bvtree.JointPath.hermite(times, Q, V, A),
            bvtree.JointPath.polynomials(times, coefficients),
        ]
        path = paths[case % 6]
        rows = np.array([[robot.interpolate_on(path, piece, t) for t in np.linspace(0, 1, 21)] for piece in range(3)])
        free = np.array([robot.free(piece, world) for piece in rows])
        expected = None if free.all() else tuple(int(k) for k in np.argwhere(~free)[0])
        assert robot.first_blocked_on(path, world, steps=21) == expected
        impact = robot.first_impact_on(path, world)
        assert impact == robot.first_impact_on(path, world, threads=1)
        if impact is None:
            assert expected is None
        else:
            blocked += 1
            assert robot.distance(robot.interpolate_on(path, *impact), world) <= 3e-5
            assert expected is None or (expected[0], expected[1] / 20) >= impact
    assert 5 < blocked < 35
    # Ends, slopes and powers, against numpy.
    cubic = bvtree.JointPath.polynomials(times, coefficients)
    assert np.allclose(robot.interpolate_on(cubic, 1, 0.5), [np.polyval(c, 0.75) for c in coefficients[:, 1].T], atol=1e-12)
    spline = bvtree.JointPath.hermite(times, Q, V)
    assert len(spline) == 3 and (robot.interpolate_on(spline, 1, 1) == Q[2]).all()
    h = 1e-6
    slope = (robot.interpolate_on(spline, 1, h) - Q[1]) / (h * 1.5)
    assert np.allclose(slope, V[1], atol=1e-4) and (robot.interpolate_on(paths[2], 2, 0) == control[2, 0]).all()
    with pytest.raises(bvtree.Error, match="time 1 of a path"):
        bvtree.JointPath.hermite([0, 0, 1, 2], Q, V)
    with pytest.raises(bvtree.Error, match="needs 4 velocities, not 3"):
        bvtree.JointPath.hermite(times, Q, V[:3])
    with pytest.raises(ValueError, match=r"shape \(N, n\)"):
        robot.first_impact_on([1, 2, 3])
    with pytest.raises(ValueError, match="3 pieces"):
        robot.interpolate_on(cubic, 3, 0)
    with pytest.raises(bvtree.Error, match="a configuration has 3 numbers"):
        robot.first_blocked_on(Q[:, :3])


def test_a_cache_of_meshes(tmp_path):
    mesh = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n"
    (tmp_path / "a.obj").write_text(mesh)
    text = urdf().replace("<box size='0.1 0.1 0.3'/>", f"<mesh filename='file://{tmp_path}/a.obj' scale='0.1 0.1 0.3'/>")
    expected = bvtree.Robot.from_urdf(text).distance(configurations(20))
    cache = tmp_path / "cache" / "robots"
    for _ in range(2):
        assert (bvtree.Robot.from_urdf(text, cache=cache).distance(configurations(20)) == expected).all()
    (file,) = cache.iterdir()
    file.write_bytes(file.read_bytes()[:-1])
    assert (bvtree.Robot.from_urdf(text, cache=cache).distance(configurations(20)) == expected).all()
    (tmp_path / "a.obj").write_text(mesh.replace("v 0 0 1", "v 0 0 2"))
    assert (bvtree.Robot.from_urdf(text, cache=cache).distance(configurations(20)) != expected).any()
    with pytest.raises(OSError, match="a.obj"):
        bvtree.Robot.from_urdf(text, cache=tmp_path / "a.obj" / "cache")


def test_allowed_attached_and_margins(robot):
    straight = np.zeros(4)
    assert robot.free(straight)
    tree = bvtree.Tree(bvtree.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]))
    robot.attach("tool", "l4", tree, bvtree.pose_from_translation([0, 0, -1.2]))
    assert robot.bodies[-1] == "tool" and not robot.free(straight)
    offsets, pairs = robot.colliding(straight)
    assert sorted(pairs.tolist()) == [[0, 5], [1, 5], [2, 5], [3, 5]]
    robot.detach("tool")
    robot.attach("tool", "l4", tree, bvtree.pose_from_translation([0, 0, -1.2]), touched=["l0", "l1", "l2", "l3"])
    assert robot.free(straight)
    robot.set_margin("l0", "l2", 0.31)
    assert robot.colliding(straight)[1].tolist() == [[0, 2]]
    robot.allow("l0", "l2")
    assert robot.free(straight)


def test_pairs_that_never_collide():
    text = urdf(4).replace("lower='-3' upper='3'", "lower='-0.5' upper='0.5'")
    robot = bvtree.Robot.from_urdf(text)
    proven = robot.never_colliding()
    assert proven == robot.pairs == [("l0", "l2"), ("l0", "l3"), ("l1", "l3")]
    assert bvtree.Robot.from_urdf(text, robot.to_srdf(threads=1)).pairs == []
    assert robot.never_colliding(10.0) == [] == robot.never_colliding(budget=0)
    wide = bvtree.Robot.from_urdf(urdf(4))
    assert len(wide.never_colliding()) < len(wide.never_colliding(limits=robot.limits)) == 3
    assert bvtree.Robot.from_urdf(urdf(4), wide.to_srdf(limits=robot.limits)).pairs == []
    with pytest.raises(ValueError, match="limits"):
        wide.never_colliding(limits=[-0.5, 0.5])


def test_worlds(robot):
    world = bvtree.World()
    beside = bvtree.pose_from_translation([0.3, 0, 0.7])
    tree = bvtree.Tree(([[0, -1, -1], [0, 1, -1], [0, 0, 1]], [[0, 1, 2]]))
    assert [world.add_mesh(tree, beside), world.add_sphere(0.1, beside), world.add_cylinder(0.1, 0.2, name="can")] == [0, 1, 2]
    assert world.names == ["object0", "object1", "can"] and repr(world) == "<bvtree.World: 3 objects>"
    assert not robot.free(np.zeros(4), world)
    world.allow("l0", "can")
    assert robot.free(np.zeros(4), world)
    assert abs(robot.distance(np.zeros(4), world) - 0.15) < 1e-6
    world.set_margin("object1", 0.16)
    assert not robot.free(np.zeros(4), world)
    # A name that is taken is passed over.
    assert [world.add_sphere(0.1, name=name) for name in ("object4", "object6", None, None)] == [3, 4, 5, 6]
    assert world.names[3:] == ["object4", "object6", "object5", "object7"]
    with pytest.raises(bvtree.Error, match="object6"):
        world.add_sphere(0.1, name="object6")


def test_errors(robot, tmp_path):
    with pytest.raises(ValueError, match=r"shape \(4,\) or \(N, 4\), got \(3,\)"):
        robot.free([1, 2, 3])
    with pytest.raises(bvtree.Error, match="row 1: joint value 2"):
        robot.free([[0, 0, 0, 0], [0, 0, np.nan, 0]])
    with pytest.raises(ValueError, match="either Q or poses"):
        robot.free()
    with pytest.raises(ValueError, match="threads"):
        robot.free(np.zeros(4), threads=0)
    with pytest.raises(TypeError, match="bvtree.World"):
        robot.free(np.zeros(4), world=3)
    with pytest.raises(ValueError, match="expected as many"):
        robot.first_impact(np.zeros(4), np.zeros((2, 4)))
    with pytest.raises(bvtree.Error, match="no body"):
        robot.allow("l0", "none")
    with pytest.raises(bvtree.Error, match="line 1: <robot>: expected at least one <link>"):
        bvtree.Robot.from_urdf("<robot/>")
    with pytest.raises(OSError, match="none.urdf"):
        bvtree.Robot.from_urdf(tmp_path / "none.urdf")
    broken = tmp_path / "broken.urdf"
    broken.write_text("<robot>\n<link name='a'><collision><geometry><mesh filename='package://p/m.stl'/></geometry></collision></link></robot>")
    with pytest.raises(bvtree.Error, match=r"broken.urdf:2: link `a`: no file for `package://p/m.stl`"):
        bvtree.Robot.from_urdf(broken)
    (tmp_path / "bad.obj").write_text("v 1\n")
    broken.write_text("<robot><link name='a'><collision><geometry><mesh filename='bad.obj'/></geometry></collision></link></robot>")
    with pytest.raises(bvtree.Error, match="bad.obj"):
        bvtree.Robot.from_urdf(broken)
    with pytest.raises(ValueError, match="open_meshes"):
        bvtree.Robot.from_urdf(urdf(), open_meshes="half")
    world = bvtree.World()
    world.add_box([1, 1, 1], name="a")
    with pytest.raises(bvtree.Error, match="called `a`"):
        world.add_sphere(1, name="a")
    with pytest.raises(bvtree.Error, match="radius is -1"):
        world.add_sphere(-1)


def test_threads_share_a_robot(robot, world):
    Q = configurations(500)
    expected = robot.free(Q, world)
    found = []
    threads = [threading.Thread(target=lambda: found.append(robot.free(Q, world, threads=2))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all((answers == expected).all() for answers in found) and len(found) == 4
