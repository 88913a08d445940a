"""Questions about two trees, against single triangles and plain numpy."""

import numpy as np
import pytest

import bvtree
from conftest import box, moved, random_poses, soup, triangle_pairs


@pytest.fixture
def soups(rng):
    return [bvtree.Mesh(*soup(rng, 25)) for _ in range(2)]


@pytest.mark.parametrize("kind", ["obb", "aabb", "sphere"])
def test_pairs_are_those_of_single_triangles(rng, soups, kind):
    a, b = (bvtree.Tree(mesh, kind) for mesh in soups)
    singles_a, singles_b = triangle_pairs(*soups)
    poses = random_poses(rng, 5, 0.3)
    offsets, pairs = bvtree.intersecting_pairs(a, b, poses)
    assert offsets[0] == 0 and offsets[-1] == len(pairs) > 0
    counts = bvtree.count_pairs(a, b, poses)
    distances = bvtree.distance(a, b, poses)
    for i, pose in enumerate(poses):
        expected = [
            [p, q] for p in range(25) for q in range(25) if bvtree.intersects(singles_a[p], singles_b[q], pose)
        ]
        assert pairs[offsets[i] : offsets[i + 1]].tolist() == expected
        assert bvtree.intersecting_pairs(a, b, pose).tolist() == expected
        assert counts[i] == len(expected) == bvtree.count_pairs(a, b, pose)
        assert bvtree.intersects(a, b, pose) is bool(expected)
        least = min(bvtree.distance(p, q, pose) for p in singles_a for q in singles_b)
        assert distances[i] == pytest.approx(least, abs=1e-12)


def test_distance_has_points_and_faces():
    a, b = bvtree.Tree(box()), bvtree.Tree(box())
    found = bvtree.closest_points(a, b, moved(x=3))
    assert found.distance == 2 == bvtree.distance(a, b, moved(x=3))
    assert found.on_a[0] == 1 and found.on_b[0] == 3
    assert found["face_a"] == found.face_a
    many = bvtree.closest_points(a, b, np.stack([moved(x=3), moved(x=0.5)]))
    assert many["distance"].tolist() == [2, 0]
    assert many["on_a"].shape == (2, 3)
    assert many[0] == found


def test_what_is_too_far_or_empty_is_told():
    a, empty = bvtree.Tree(box()), bvtree.Tree((np.zeros((0, 3)), np.zeros((0, 3), int)))
    assert bvtree.closest_points(a, a, moved(x=3), upper_bound=1) is None
    assert bvtree.distance(a, a, moved(x=3), upper_bound=1) == np.inf
    assert bvtree.closest_points(a, empty) is None
    row = bvtree.closest_points(a, empty, moved()[None])[0]
    assert row["face_a"] == -1 and row["distance"] == np.inf and np.isnan(row["on_a"]).all()
    assert not bvtree.intersects(a, empty)
    assert bvtree.intersecting_pairs(a, empty).shape == (0, 2)
    assert bvtree.intersects(a, a, np.zeros((0, 4, 4))).shape == (0,)
    offsets, pairs = bvtree.intersecting_pairs(a, a, np.zeros((0, 4, 4)))
    assert offsets.tolist() == [0] and pairs.shape == (0, 2)
    assert bvtree.relation(a, a, np.zeros((0, 4, 4))).shape == (0,)


def test_within():
    a = bvtree.Tree(box())
    poses = np.stack([moved(x=1.5), moved(x=3)])
    assert bvtree.within(a, a, 0.5, poses).tolist() == [True, False]
    assert bvtree.within(a, a, 0.5, poses[0]) is True
    assert bvtree.within(a, a, -1.0) is False
    near = bvtree.pairs_within(a, a, 0.5, poses[0])
    assert set(near["distance"]) == {0.5}
    offsets, near = bvtree.pairs_within(a, a, 0.5, poses)
    assert offsets[1] == offsets[2] == len(near)


def test_contacts_lie_on_both_planes():
    a = bvtree.Tree(box())
    found = bvtree.contacts(a, a, moved(0.5, 0.25, 0.25))
    pairs = bvtree.intersecting_pairs(a, a, moved(0.5, 0.25, 0.25))
    assert np.stack([found["face_a"], found["face_b"]], axis=1).tolist() == pairs.tolist()
    for row in found:
        points = row["points"]
        assert np.isfinite(points[: row["count"]]).all() and np.isnan(points[row["count"] :]).all()
        for normal in (row["normal_a"], row["normal_b"]):
            along = points[: row["count"]] @ normal
            assert np.ptp(along) == pytest.approx(0, abs=1e-12)
    patches = bvtree.contact_patches(a, a, moved(z=0.9))
    assert (patches["depth"] >= 0).all() and len(patches) > 0


def test_contact_manifolds_stand_a_box_on_its_corners():
    floor, small = bvtree.Tree(box((-4, -4, -1), (4, 4, 0))), bvtree.Tree(box((-0.5,) * 3, (0.5,) * 3))
    poses = np.stack([moved(z=0.49), moved(z=0.51), moved(z=0.6)])
    starts, points = bvtree.contact_manifolds(floor, small, 0.05, poses)
    assert starts.tolist() == [0, 4, 8, 8]
    assert (points["manifold"] == 0).all() and np.allclose(points["normal"], [0, 0, 1])
    assert np.allclose(points["depth"], [0.01] * 4 + [-0.01] * 4)
    assert np.allclose(abs(points["on_b"][:, :2]), 0.5)
    assert sorted(points["id"][:4]) == sorted(points["id"][4:])
    assert len(bvtree.contact_manifolds(floor, small, -1, poses[0])) == 0


def test_relation():
    a, small = bvtree.Tree(box()), bvtree.Tree(box((0.25, 0.25, 0.25), (0.5, 0.5, 0.5)))
    poses = np.stack([moved(), moved(x=0.6), moved(x=5), moved(x=0.75)])
    assert bvtree.relation(a, small, poses).tolist() == ["b_in_a", "crossing", "separate", "touching"]
    assert bvtree.relation(small, a) == "a_in_b"
    assert not bvtree.intersects(a, small)


def test_penetration():
    a = bvtree.Tree(box())
    found = bvtree.penetration(a, a, moved(x=0.75, y=0.01, z=0.02))
    assert found.upper_bound == pytest.approx(0.25)
    assert found.direction == pytest.approx([1, 0, 0])
    assert bvtree.penetration(a, a, moved(x=5)) is None
    many = bvtree.penetration(a, a, np.stack([moved(x=0.75), moved(x=5)]))
    assert many["upper_bound"][0] == pytest.approx(0.25) and np.isnan(many["upper_bound"][1])
    along = bvtree.penetration_along(a, a, [0, 2, 0], moved(x=0.75))
    assert bvtree.penetration_along(a, a, [0, 2, 0], moved(x=5)) is None
    assert along.depth == pytest.approx(1) and along.face_a >= 0 and along.face_b >= 0


def test_depths_are_intervals():
    cube = bvtree.Tree(box())
    overlap = bvtree.overlap_depth(cube, cube, moved(x=0.875, y=0.75, z=0.625))
    assert overlap.lower <= 0.125 <= overlap.upper <= 1.0101 * overlap.lower
    assert np.linalg.norm(overlap.point - overlap.way_out) == pytest.approx(overlap.lower)
    (region,) = bvtree.overlap_regions(cube, cube, moved(x=0.875, y=0.75, z=0.625))
    assert region.lower <= overlap.upper and overlap.lower <= region.upper and region.is_on_b in (0, 1)
    assert region.bounds[1] - region.bounds[0] == pytest.approx([0.125, 0.25, 0.375])
    starts, regions = bvtree.overlap_regions(cube, cube, np.stack([moved(x=0.5), moved(x=1), moved(x=5)]))
    assert starts.tolist() == [0, 1, 1, 1] and len(regions) == 1
    pose = moved(x=0.875, y=0.01, z=0.02)
    found = bvtree.penetration_depth(cube, cube, pose, relative_tolerance=1e-6)
    assert found.lower <= 0.125 <= found.upper <= found.lower + 1e-6
    assert found.translation == pytest.approx([0.125, 0, 0])
    pose[:3, 3] += found.translation
    assert bvtree.relation(cube, cube, pose) in ("separate", "touching")
    for ask in (bvtree.overlap_depth, bvtree.penetration_depth):
        many = ask(cube, cube, np.stack([moved(x=0.5), moved(x=1), moved(x=5)]), threads=2)
        assert many["lower"][0] <= 0.5 <= many["upper"][0]
        assert many["upper"][1:].tolist() == [0, 0]
        with pytest.raises(bvtree.NotClosed) as error:
            ask(cube, bvtree.Tree(([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])))
        assert error.value.open_edges == 3
        for wrong in ({"relative_tolerance": -1}, {"absolute_tolerance": np.nan}, {"time_limit": -1}):
            with pytest.raises(ValueError, match=next(iter(wrong))):
                ask(cube, cube, **wrong)


def test_hausdorff_distances_are_intervals():
    cube = bvtree.Tree(box())
    square = bvtree.Tree(([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]]))
    found = bvtree.hausdorff_distance(cube, square)
    back = bvtree.hausdorff_distance(cube, square, direction="a_to_b")
    assert found == back and found.lower <= found.upper <= 1.0101 * found.lower and found.is_on_b == 0
    assert np.linalg.norm(found.point - found.closest) == pytest.approx(found.lower)
    assert bvtree.hausdorff_distance(cube, cube, direction="b_to_a").upper < 1e-12
    assert bvtree.hausdorff_distance(cube, cube, np.stack([moved(x=3)] * 2))["upper"].min() >= 3
    with pytest.raises(ValueError, match="direction"):
        bvtree.hausdorff_distance(cube, cube, direction="up")


def test_time_of_impact():
    a = bvtree.Tree(box())
    found = bvtree.time_of_impact(a, a, moved(x=3), moved(x=-1))
    assert found.time == pytest.approx(0.5) and found.normal == pytest.approx([1, 0, 0])
    assert bvtree.time_of_impact(a, a, moved(x=3), moved(x=3, y=5)) is None
    starts, ends = np.stack([moved(x=3)] * 2), np.stack([moved(x=-1), moved(x=9)])
    many = bvtree.time_of_impact(a, a, starts, ends)
    assert many["time"][0] == pytest.approx(0.5) and many["time"][1] == np.inf and many["face_a"][1] == -1
    with pytest.raises(bvtree.Error, match="1e12 times"):
        bvtree.time_of_impact(a, a, moved(x=1e14), moved(x=-1e14))


def test_self_pairs(rng):
    mesh = bvtree.Mesh(*soup(rng, 20))
    tree = bvtree.Tree(mesh)
    found = bvtree.self_pairs(tree)
    every = bvtree.intersecting_pairs(tree, tree)
    assert found.tolist() == every[every[:, 0] < every[:, 1]].tolist()
    assert len(bvtree.self_pairs(bvtree.Tree(box()))) == 0


def test_poses_of_all_kinds_are_the_same_poses(gear, rng):
    poses = random_poses(rng, 40, 20)
    expected = bvtree.distance(gear, gear, poses).tolist()
    given = [
        poses[:, :3],
        np.asfortranarray(poses),
        poses.astype(">f8"),
        (poses[:, :3, :3], poses[:, :3, 3]),
        poses.tolist(),
        np.repeat(poses, 2, axis=0)[::2],
    ]
    read_only = poses.copy()
    read_only.flags.writeable = False
    for same in [*given, read_only]:
        assert bvtree.distance(gear, gear, same).tolist() == expected
    for pose, distance in zip(poses, expected):
        assert bvtree.distance(gear, gear, pose) == distance
        assert bvtree.distance(gear, gear, (pose[:3, :3], pose[:3, 3])) == distance
    single = bvtree.distance(gear, gear, poses.astype(np.float32))
    assert single == pytest.approx(expected, abs=1e-3)
    assert bvtree.intersects(gear, gear, np.eye(4, dtype=int)) is True


def test_threads_change_nothing(gear, rng):
    poses = random_poses(rng, 600, 20)
    expected = bvtree.closest_points(gear, gear, poses, threads=1)
    for threads in (None, 2, 3):
        assert (bvtree.closest_points(gear, gear, poses, threads=threads) == expected).all()


def test_paths_are_as_one_by_one(gear):
    path = np.stack([moved(x=60 - 0.05 * i, y=0.01 * i) for i in range(600)] + [moved(x=100), moved()])
    hits = np.array([bvtree.intersects(gear, gear, pose) for pose in path])
    distances = np.array([bvtree.distance(gear, gear, pose) for pose in path])
    assert 10 < hits.sum() < len(path) - 10
    for threads in (None, 1, 2):
        assert (bvtree.intersects(gear, gear, path, threads=threads) == hits).all()
        assert (bvtree.distance(gear, gear, path, threads=threads) == distances).all()
    first = int(np.argmax(hits))
    assert bvtree.first_hit(gear, gear, path) == first
    assert bvtree.first_hit(gear, gear, path[:first]) is None
    assert bvtree.first_hit(gear, gear, path[-1]) == 0
    with pytest.raises(bvtree.InvalidPose):
        bvtree.first_hit(gear, gear, 2 * path)


def test_relative_pose(rng):
    a, b = random_poses(rng, 2, 3)
    assert bvtree.relative_pose(a, b) == pytest.approx(np.linalg.inv(a) @ b)
    many = bvtree.relative_pose(a, np.stack([a, b]))
    assert many.shape == (2, 4, 4) and (many[0] == np.eye(4)).all()
    far = moved(1e9), moved(1e9 + 0.25)
    assert bvtree.relative_pose(*far)[0, 3] == 0.25
    with pytest.raises(ValueError, match="2 poses of A and 3 of B"):
        bvtree.relative_pose(np.stack([a] * 2), np.stack([a] * 3))


def test_exact_turns_stay_exact(rng):
    quarter = np.array([[0, -1, 0], [1, 0, 0], [0, 0, 1]])
    by = [1.0, 2.0, 3.0]
    for pose in (
        bvtree.pose_from_quaternion([0, 0, np.sin(np.pi / 4), np.cos(np.pi / 4)], by),
        bvtree.pose_from_axis_angle([0, 0, 7], np.pi / 2, by),
        bvtree.pose_from_euler_angles([0, 0, np.pi / 2], by),
    ):
        assert (pose[:3, :3] == quarter).all() and (pose[:3, 3] == by).all() and (pose[3] == [0, 0, 0, 1]).all()
    assert (bvtree.pose_from_quaternion([0, 0, 1, np.cos(np.pi / 2)])[:3, :3] == np.diag([-1, -1, 1])).all()
    assert (bvtree.pose_from_quaternion([0, 0, 0, -3.0]) == np.eye(4)).all()
    turned = bvtree.pose_from_axis_angle([0, 0, 1], np.radians(np.arange(360.0)))
    assert (turned[:, 2, :3] == [0, 0, 1]).all() and (turned[:, :3, 2] == [0, 0, 1]).all()
    assert (bvtree.pose_from_translation([by, by]) == np.stack([moved(1.0, 2.0, 3.0)] * 2)).all()


def test_poses_are_those_of_their_angles(rng):
    axes, angles = rng.normal(size=(200, 3)), rng.uniform(-7, 7, 200)
    unit = axes / np.linalg.norm(axes, axis=1, keepdims=True)
    halves = 0.5 * angles[:, None]
    quaternions = np.concatenate([unit * np.sin(halves), np.cos(halves)], axis=1)
    by = rng.normal(size=(200, 3))
    of_axes = bvtree.pose_from_axis_angle(axes, angles, by)
    assert bvtree.pose_from_quaternion(3 * quaternions, by) == pytest.approx(of_axes, abs=2e-15)
    for axis, angle, pose in zip(unit, angles, of_axes):
        x, y, z = axis
        across = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
        expected = np.eye(3) + np.sin(angle) * across + (1 - np.cos(angle)) * across @ across
        assert pose[:3, :3] == pytest.approx(expected, abs=2e-15)
    roll, pitch, yaw = (bvtree.pose_from_axis_angle(np.eye(3)[k], angles) for k in range(3))
    assert bvtree.pose_from_euler_angles(np.stack([angles] * 3, axis=1)) == pytest.approx(yaw @ pitch @ roll, abs=2e-15)


def test_what_is_no_rotation_is_refused():
    with pytest.raises(bvtree.InvalidPose, match="zero"):
        bvtree.pose_from_quaternion([0, 0, 0, 0])
    with pytest.raises(bvtree.InvalidPose, match="1"):
        bvtree.pose_from_quaternion([[0, 0, 0, 1], [0, np.nan, 0, 1]])
    with pytest.raises(bvtree.InvalidPose, match="zero"):
        bvtree.pose_from_axis_angle([0, 0, 0], 1.0)
    with pytest.raises(bvtree.InvalidPose, match="finite"):
        bvtree.pose_from_euler_angles([0, np.inf, 0])
    with pytest.raises(bvtree.InvalidPose, match="finite"):
        bvtree.pose_from_translation([0, 0, np.nan])
    with pytest.raises(ValueError, match=r"xyzw: expected an array of shape \(4,\) or \(N, 4\)"):
        bvtree.pose_from_quaternion([0, 0, 1])
    with pytest.raises(ValueError, match="angle: expected an array of shape"):
        bvtree.pose_from_axis_angle([0, 0, 1], [[1.0]])
    with pytest.raises(ValueError, match="2 axes and 3 angles"):
        bvtree.pose_from_axis_angle([[0, 0, 1]] * 2, [1.0] * 3)


@pytest.mark.parametrize("name", ["cow-teapot", "suzanne-homer"])
def test_dataset_agrees_with_exact_answers(dataset, name):
    poses = np.genfromtxt(dataset / "poses" / f"{name}.csv", delimiter=",")[:, 3:].reshape(-1, 3, 4)
    truth = np.genfromtxt(dataset / "truth" / f"{name}.csv", delimiter=",", names=True, dtype=None, encoding=None)
    a, b = (bvtree.Tree(bvtree.Mesh.open(dataset / "meshes" / f"{part}.obj")) for part in name.split("-"))
    assert bvtree.intersects(a, b, poses).tolist() == (truth["hit"] == 1).tolist()
    assert bvtree.count_pairs(a, b, poses).tolist() == truth["pairs"].tolist()
    assert bvtree.distance(a, b, poses) == pytest.approx(truth["dist"], abs=1e-9, rel=1e-9)


def test_trackers_tell_the_distance_along_a_path(gear, sword):
    poses = np.stack([moved(x=x, y=0.1 * x) for x in np.linspace(0, 120, 80)])
    tracker, expected = bvtree.DistanceTracker(gear, sword), bvtree.distance(gear, sword, poses)
    assert np.allclose(tracker.distance(poses), expected, rtol=1e-12, atol=0)
    assert [tracker.distance(pose) for pose in poses] == pytest.approx(expected, rel=1e-12)
    found = bvtree.DistanceTracker(gear, sword).closest_points(poses)
    assert np.allclose(np.linalg.norm(found["on_a"] - found["on_b"], axis=1), expected, rtol=0, atol=1e-9)
    nothing = bvtree.DistanceTracker(gear, bvtree.Tree(([], [])))
    assert nothing.distance() == np.inf and nothing.closest_points() is None


def test_curves_are_the_contacts_chained():
    cube = bvtree.Tree(box((0, 0, 0), (2, 2, 2)))
    (curve,) = bvtree.intersection_curves(cube, bvtree.Tree(box((0.5, 0.5, 1), (1, 1, 3))))
    points, is_closed = curve
    assert is_closed and (points[:, 2] == 2).all()
    assert (points[:, :2].min(axis=0) == 0.5).all() and (points[:, :2].max(axis=0) == 1).all()
    assert bvtree.intersection_curves(cube, cube, moved(x=9)) == []
    with pytest.raises(ValueError, match="expected an array of shape"):
        bvtree.intersection_curves(cube, cube, np.eye(4)[None])


def test_solids():
    """A small box inside a large one: with a lid, and without."""
    a, small = bvtree.Tree(box((0, 0, 0), (1, 1, 1))), bvtree.Tree(box((0.25, 0.25, 0.25), (0.5, 0.5, 0.5)))
    vertices, faces = box((0, 0, 0), (1, 1, 1))
    lidless = bvtree.Tree((vertices, np.asarray(faces)[:-2]))
    identity = np.eye(4)
    for solid in (True, "if_closed", "robust", (True, False), ("robust", "if_closed")):
        assert bvtree.intersects(a, small, solid=solid)
        assert bvtree.distance(a, small, solid=solid) == 0
        found = bvtree.closest_points(a, small, solid=solid)
        assert found.distance == 0 and found.on_a == pytest.approx(found.on_b)
        assert bvtree.within(a, small, 0, solid=solid)
        assert bvtree.time_of_impact(a, small, identity, identity, solid=solid).time == 0
        assert bvtree.DistanceTracker(a, small, solid=solid).distance() == 0
    for solid in (False, (False, True)):
        assert not bvtree.intersects(a, small, solid=solid)
        assert bvtree.distance(a, small, solid=solid) == pytest.approx(0.25)
        assert bvtree.time_of_impact(a, small, identity, identity, solid=solid) is None
    # The choice does not outlast its call.
    assert not bvtree.intersects(a, small)
    for ask in (bvtree.intersects, bvtree.distance, bvtree.closest_points, bvtree.DistanceTracker):
        with pytest.raises(bvtree.NotClosed):
            ask(lidless, small, solid=True)
    assert not bvtree.intersects(lidless, small, solid="if_closed")
    assert bvtree.intersects(lidless, small, solid="robust")
    assert bvtree.relation(lidless, small) == "undefined"
    assert bvtree.relation(lidless, small, solid="robust") == "b_in_a"
    with pytest.raises(bvtree.NotClosed):
        bvtree.overlap_depth(lidless, small)
    assert bvtree.overlap_depth(lidless, small, solid="robust").lower > 0.2
    inside = lidless.contains_robust([[0.5, 0.5, 0.4], [5, 5, 5]])
    assert 0 < inside[0] <= 1 and inside[1] == -1
    with pytest.raises(ValueError):
        bvtree.intersects(a, small, solid="maybe")


def test_free_interval_along():
    a = bvtree.Tree(box((0, 0, 0), (1, 1, 1)))
    found = bvtree.free_interval_along(a, a, [2, 0, 0], moved(x=0.75, y=0.1, z=0.2))
    assert found.start == pytest.approx(0.25) and found.end == np.inf
    many = bvtree.free_interval_along(a, a, [-1, 0, 0], np.stack([moved(x=3), moved(x=0.5)]))
    assert many["start"] == pytest.approx([0, 1.5]) and many["end"] == pytest.approx([2, np.inf])


def test_contact_manifolds_of_a_scene():
    cube = bvtree.Tree(box((0, 0, 0), (1, 1, 1)))
    scene = bvtree.Scene()
    first, second, third = (scene.add(cube, moved(x=x, y=y, z=0.2 * y)) for x, y in ((0, 0), (0.99, 0.1), (1.97, 0)))
    found = scene.contact_manifolds(0.05)
    assert found["a"].tolist() == [first] * 4 + [second] * 4 and found["b"].tolist() == [second] * 4 + [third] * 4
    assert found["normal"] == pytest.approx(np.tile([1, 0, 0], (8, 1)), abs=1e-6)
    assert found["depth"] == pytest.approx([0.01] * 4 + [0.02] * 4, abs=1e-6)
    assert found["manifold"].tolist() == [0] * 4 + [1] * 4
    assert len(set(found["id"][:4])) == 4
    assert len(scene.contact_manifolds(-1)) == 0


def test_overlap_depths_of_a_scene():
    cube = bvtree.Tree(box((0, 0, 0), (1, 1, 1)))
    vertices, faces = box((0, 0, 0), (1, 1, 1))
    scene = bvtree.Scene()
    first, second = (scene.add(cube, moved(x=x)) for x in (0, 0.75))
    lidless = scene.add(bvtree.Tree((vertices, np.asarray(faces)[:-2])), moved(x=1.625))
    found = scene.overlap_depths()
    assert (found["a"].tolist(), found["b"].tolist()) == ([first], [second])
    assert found["lower"][0] <= 0.25 <= found["upper"][0]
    free = scene.penetration_depths()
    assert (free["a"].tolist(), free["b"].tolist()) == ([first], [second])
    assert free["lower"][0] <= 0.25 + 1e-9 and free["upper"][0] >= 0.25 - 1e-9
    assert free["translation"][0] == pytest.approx([free["upper"][0], 0, 0], abs=1e-6)
    robust = scene.overlap_depths(solid="robust", relative_tolerance=0.1)
    assert robust["b"].tolist() == [second, lidless]
    with pytest.raises(ValueError):
        scene.overlap_depths(relative_tolerance=-1)
    with pytest.raises(ValueError):
        scene.penetration_depths(relative_tolerance=-1)
