"""Scenes, against questions about every pair."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import bvtree
from conftest import box, moved, random_poses, soup


@pytest.fixture
def crowd(rng):
    tree = bvtree.Tree(box())
    poses = random_poses(rng, 40, 2)
    scene = bvtree.Scene()
    return tree, poses, scene, [scene.add(tree, pose) for pose in poses]


def test_pairs(crowd):
    tree, poses, scene, numbers = crowd
    relative = {(i, j): bvtree.relative_pose(poses[i], poses[j]) for i in range(40) for j in range(i + 1, 40)}
    touching = [list(pair) for pair, pose in relative.items() if bvtree.intersects(tree, tree, pose)]
    assert scene.intersecting_pairs().tolist() == touching
    distances = {pair: bvtree.distance(tree, tree, pose) for pair, pose in relative.items()}
    near = scene.pairs_within(0.5)
    assert {(row["a"], row["b"]) for row in near} == {pair for pair, d in distances.items() if d <= 0.5}
    assert scene.closest_pair().distance == min(distances.values())
    table = scene.clash(clearance=0.5)
    assert set(zip(table["a"], table["b"])) == {pair for pair, d in distances.items() if d <= 0.5}
    for a, b, pairs, distance in zip(table["a"], table["b"], table["pairs"], table["distance"]):
        assert pairs == bvtree.count_pairs(tree, tree, relative[a, b])
        assert distance == pytest.approx(distances[a, b])
    for row in scene.bodies_within(tree, 1.0):
        assert row["distance"] == pytest.approx(bvtree.distance(tree, tree, poses[row["b"]]))
    nearest = scene.closest_body(tree, poses[3], ignore=3)
    others = [d for pair, d in distances.items() if 3 in pair]
    assert nearest.distance == pytest.approx(min(others)) and nearest.b != 3


def test_bodies_come_go_and_move(crowd):
    tree, poses, scene, numbers = crowd
    assert len(scene) == 40 and scene.bodies == numbers
    scene.remove(5)
    assert len(scene) == 39 and 5 not in scene.bodies
    assert scene.add(tree) == 40
    assert 5 not in scene.intersecting_pairs()
    for gone in (5, 41, 10**9):
        with pytest.raises(KeyError):
            scene.remove(gone)
        with pytest.raises(KeyError):
            scene.set_pose(gone, np.eye(4))
        with pytest.raises(KeyError):
            scene.impacts([gone], np.eye(4)[None])
    for gone in (-1, 5, 2**64):
        asks = [lambda: scene.remove(gone), lambda: scene.set_pose(gone, np.eye(4)), lambda: scene.set_tree(gone, tree)]
        for ask in (*asks, lambda: scene.pose(gone), lambda: scene.is_solid(gone), lambda: scene.set_groups(gone, 1, 1)):
            with pytest.raises(KeyError, match=f"there is no body {gone} in the scene"):
                ask()
    with pytest.raises(TypeError):
        scene.remove("5")
    scene.set_poses(list(range(5)), np.stack([moved(x=100 * i) for i in range(1, 6)]))
    assert scene.intersecting_pairs()[:, 0].min() >= 6
    assert (scene.pose(2) == moved(x=300)).all()
    with pytest.raises(ValueError):
        scene.set_poses([1, 2], np.eye(4)[None])
    with pytest.raises(bvtree.Error, match="exceeds 1e30"):
        scene.add(tree, moved(x=1e31))


def test_solids():
    """A small box in a big one: whichever comes first, whichever is solid."""
    big, small = bvtree.Tree(box((-2, -2, -2), (2, 2, 2))), bvtree.Tree(box())
    for big_first in (True, False):
        for big_is_solid in (False, True):
            for small_is_solid in (False, True):
                scene = bvtree.Scene()
                bodies = [(big, big_is_solid), (small, small_is_solid)]
                for tree, solid in bodies if big_first else bodies[::-1]:
                    scene.add(tree, solid=solid)
                pairs = [[0, 1]] if big_is_solid else []
                assert scene.intersecting_pairs().tolist() == pairs
                assert scene.intersecting_pairs(first=True).tolist() == pairs
                assert scene.closest_pair().distance == (0 if big_is_solid else 1)
                assert [[row["a"], row["b"]] for row in scene.pairs_within(0.5)] == pairs
                assert scene.pairs_within(2)["distance"].tolist() == [0 if big_is_solid else 1]
                number = 1 if big_first else 0
                assert scene.is_solid(number) is small_is_solid and scene.is_solid(1 - number) is big_is_solid
                assert scene.bodies_intersecting(small).tolist() == ([0, 1] if big_is_solid else [number])
                assert len(scene.bodies_intersecting(small, first=True)) == 1
                assert scene.bodies_intersecting(big, solid=True).tolist() == [0, 1]
                assert scene.bodies_intersecting(big).tolist() == [1 - number]
                assert scene.closest_body(small, ignore=number).distance == (0 if big_is_solid else 1)
                assert {row["b"]: row["distance"] for row in scene.bodies_within(small, 2)} == {number: 0, 1 - number: 0 if big_is_solid else 1}
                # Beside it, and back.
                scene.set_pose(number, moved(x=9))
                assert scene.intersecting_pairs().tolist() == [] and scene.closest_pair().distance == 7
                scene.set_pose(number, moved(x=0.5))
                assert scene.intersecting_pairs().tolist() == pairs


def test_a_part_that_lies_inside_a_solid():
    """One of two boxes in one mesh."""
    (first, faces), (second, _) = box(), box((8, 0, 0), (9, 1, 1))
    both = bvtree.Tree((np.concatenate([first, second]), np.concatenate([faces, faces + 8])))
    big = bvtree.Tree(box((-2, -2, -2), (2, 2, 2)))
    for solid in (False, True):
        scene = bvtree.Scene()
        scene.add(big, solid=solid), scene.add(both)
        assert len(scene.intersecting_pairs()) == solid
        assert scene.closest_pair().distance == (0 if solid else 1)
    scene = bvtree.Scene()
    scene.add(big), scene.add(both, solid=True)
    assert scene.intersecting_pairs().tolist() == [] and scene.bodies_intersecting(big).tolist() == [0]
    assert scene.bodies_intersecting(both, solid=True).tolist() == [1]


def test_wrong_solids_are_told_what_there_is(gear):
    with pytest.raises(ValueError, match='solid: expected True, False, "if_closed" or, of two trees, "robust", not "maybe"'):
        bvtree.distance(gear, gear, solid="maybe")
    with pytest.raises(TypeError, match='"robust"'):
        bvtree.distance(gear, gear, solid=3)
    with pytest.raises(ValueError, match="not for scenes"):
        bvtree.Scene().add(gear, solid="robust")


def test_solids_have_closed_meshes():
    vertices, faces = box((-2, -2, -2), (2, 2, 2))
    lidless, closed, small = bvtree.Tree((vertices, faces[2:])), bvtree.Tree((vertices, faces)), bvtree.Tree(box())
    scene = bvtree.Scene()
    with pytest.raises(bvtree.NotClosed, match="4 edges have one triangle, 0 more than two") as raised:
        scene.add(lidless, solid=True)
    assert raised.value.open_edges == 4 and isinstance(raised.value, ValueError) and len(scene) == 0
    assert [scene.add(lidless, solid="if_closed"), scene.add(small)] == [0, 1] and not scene.is_solid(0)
    assert scene.intersecting_pairs().tolist() == [] and scene.closest_pair().distance == 1
    with pytest.raises(bvtree.NotClosed):
        scene.bodies_intersecting(lidless, moved(x=0.25), solid=True)
    assert scene.bodies_intersecting(lidless, moved(x=9), solid="if_closed").tolist() == []
    scene.set_tree(0, closed)
    assert scene.intersecting_pairs().tolist() == []
    solid = scene.add(closed, moved(x=20), solid="if_closed")
    assert scene.is_solid(solid)
    with pytest.raises(bvtree.NotClosed):
        scene.set_tree(solid, lidless)
    scene.set_pose(1, moved(x=20))
    assert scene.intersecting_pairs().tolist() == [[1, solid]]
    for wrong, error in [("closed", ValueError), (2, TypeError), (None, TypeError)]:
        with pytest.raises(error, match="solid"):
            scene.add(closed, solid=wrong)
    with pytest.raises(KeyError):
        scene.is_solid(99)


def test_masks_statics_and_ignored():
    tree = bvtree.Tree(box())
    scene = bvtree.Scene()
    scene.add(tree, static=True), scene.add(tree, static=True), scene.add(tree, groups=2, mask=2), scene.add(tree)
    assert scene.intersecting_pairs().tolist() == [[0, 3], [1, 3]]
    scene.set_ignored(0, 3)
    assert scene.intersecting_pairs().tolist() == [[1, 3]]
    scene.set_groups(2, 1, 1)
    assert scene.intersecting_pairs().tolist() == [[0, 2], [1, 2], [1, 3], [2, 3]]
    scene.set_groups(2, 4, 4)
    assert scene.intersecting_pairs().tolist() == [[1, 3]]
    assert scene.closest_hit([0.5, 0.5, 9], [0, 0, -1], mask=4).body == 2
    with pytest.raises(KeyError):
        scene.set_groups(9, 1, 1)
    scene.set_ignored(3, 0, False)
    assert scene.intersecting_pairs().tolist() == [[0, 3], [1, 3]]
    scene = bvtree.Scene(include_static_pairs=True, threads=1)
    scene.add(tree, static=True), scene.add(tree, static=True)
    assert scene.intersecting_pairs().tolist() == [[0, 1]]
    assert scene.clash()["relation"].tolist() == ["coincident"]


def test_motions_and_rays():
    tree = bvtree.Tree(box())
    scene = bvtree.Scene()
    scene.add(tree), scene.add(tree, moved(x=3))
    found = scene.impacts([1], moved(x=-1)[None])
    assert found["time"] == pytest.approx([0.5]) and found[0]["a"] == 0 and found[0]["b"] == 1
    hit = scene.closest_hit([10, 0.3, 0.6], [-1, 0, 0])
    assert hit.body == 1 and hit.time == pytest.approx(6) and hit.point == pytest.approx([4, 0.3, 0.6])
    assert scene.closest_hit([10, 0.3, 0.6], [1, 0, 0]) is None
    with pytest.raises(ValueError):
        scene.closest_hit([10, 0, 0], [0, 0, 0])


def rays(rng, count):
    """Rays toward the middle from all around, of any length."""
    origins = 4 * rng.normal(size=(count, 3))
    return origins, (rng.normal(size=(count, 3)) - origins) * rng.random((count, 1))


def into(pose, points, directions=None):
    """Points of the world, and directions, in a body's frame."""
    local = (np.asarray(points) - pose[:3, 3]) @ pose[:3, :3]
    return local if directions is None else (local, np.asarray(directions) @ pose[:3, :3])


@pytest.fixture
def grouped(rng):
    """Bodies of two trees in two groups, of which some were removed and replaced."""
    trees = [bvtree.Tree(box()), bvtree.Tree(soup(rng, 30), "sphere")]
    scene, bodies = bvtree.Scene(), {}
    for i, pose in enumerate(random_poses(rng, 60, 2)):
        if i >= 40:
            scene.remove(i - 40)
            del bodies[i - 40]
        bodies[scene.add(trees[i % 2], pose, groups=1 << i % 3)] = (trees[i % 2], pose, 1 << i % 3)
    return scene, bodies


@pytest.mark.parametrize("max_time, mask", [(np.inf, 0xFFFF_FFFF), (0.7, 0xFFFF_FFFF), (np.inf, 5), (np.inf, 8)])
def test_rays_beside_each_body(rng, grouped, max_time, mask):
    scene, bodies = grouped
    origins, directions = rays(rng, 300)
    expected = [[] for _ in origins]
    for number, (tree, pose, groups) in bodies.items():
        if groups & mask:
            ends, hits = tree.all_hits(*into(pose, origins, directions), max_time=max_time)
            for i in range(len(origins)):
                expected[i] += [(hit["time"], number, hit["face"]) for hit in hits[ends[i] : ends[i + 1]]]
    asked = {"max_time": max_time, "mask": mask}
    offsets, found = scene.all_hits(origins, directions, **asked)
    first, any_hit = scene.closest_hit(origins, directions, **asked), scene.any_hit(origins, directions, **asked)
    assert offsets.shape == (301,) and offsets[-1] == len(found)
    assert (sum(map(len, expected)) > 30) == (mask != 8)
    for i in range(len(origins)):
        own = found[offsets[i] : offsets[i + 1]]
        assert {(hit["body"], hit["face"]) for hit in own} == {hit[1:] for hit in expected[i]}
        assert own["time"] == pytest.approx([hit[0] for hit in sorted(expected[i])], rel=1e-9)
        assert [(h["time"], h["body"], h["face"]) for h in own] == sorted((h["time"], h["body"], h["face"]) for h in own)
        assert own["point"] == pytest.approx(origins[i] + own["time"][:, None] * directions[i], abs=1e-6)
        assert any_hit[i] == (len(own) > 0)
        for row in (first[i], scene.closest_hit(origins[i], directions[i], **asked)):
            if len(own) == 0:
                assert row is None or row["body"] == row["face"] == -1 and row["time"] == np.inf
            else:
                assert (row["time"], row["body"], row["face"]) == (own[0]["time"], own[0]["body"], own[0]["face"])
        assert (scene.all_hits(origins[i], directions[i], **asked) == own).all()
        assert scene.any_hit(origins[i], directions[i], **asked) is bool(any_hit[i])


@pytest.mark.parametrize("max_distance, mask", [(np.inf, 0xFFFF_FFFF), (0.5, 0xFFFF_FFFF), (np.inf, 2), (np.inf, 8)])
def test_points_beside_each_body(rng, grouped, max_distance, mask):
    scene, bodies = grouped
    points = 3 * rng.normal(size=(300, 3))
    told = {n: tree.closest_point(into(pose, points)) for n, (tree, pose, groups) in bodies.items() if groups & mask}
    found = scene.closest_point(points, max_distance=max_distance, mask=mask)
    for i, (point, row) in enumerate(zip(points, found)):
        distances = {number: rows["distance"][i] for number, rows in told.items()}
        least = min(distances.values(), default=np.inf)
        one = scene.closest_point(point, max_distance=max_distance, mask=mask)
        if least > max_distance or least == np.inf:
            assert one is None and row["body"] == row["face"] == -1 and row["distance"] == np.inf
            continue
        assert row["distance"] == pytest.approx(least) == pytest.approx(distances[row["body"]])
        assert np.linalg.norm(row["point"] - point) == pytest.approx(least)
        _, pose, _ = bodies[row["body"]]
        own = told[row["body"]][i]
        assert own["face"] == row["face"] and into(pose, row["point"]) == pytest.approx(own["point"], abs=1e-9)
        assert one == row


def test_convex_casts_beside_each_tree(rng, grouped):
    scene, bodies = grouped
    crate, count = bvtree.ConvexShape.box([0.2, 0.3, 0.1]), 60
    starts, ways = rng.normal(size=(count, 3)) * 3, rng.normal(size=(count, 3)) * 4
    poses = np.broadcast_to(np.eye(4), (count, 4, 4)).copy()
    poses[:, :3, 3] = starts
    for mask in (0xFFFF_FFFF, 1):
        found = scene.cast_convex(crate, ways, poses, mask=mask)
        told = {}
        for number, (tree, pose, groups) in bodies.items():
            if groups & mask:
                pose = np.asarray(pose, float)
                into = np.linalg.inv(pose)
                told[number] = tree.cast_convex(crate, ways @ pose[:3, :3], into @ poses)["time"]
        first = np.min(list(told.values()), axis=0)
        assert (np.isinf(first) == (found["body"] == -1)).all() and np.isfinite(first).any() and np.isinf(first).any()
        hits = found[np.isfinite(first)]
        assert hits["time"] == pytest.approx(first[np.isfinite(first)], abs=1e-9)
        assert np.linalg.norm(hits["normal"], axis=1) == pytest.approx(1)
    assert scene.cast_convex(crate, [0, 0, 1], bvtree.pose_from_translation([0, 0, 1e4])) is None
    with pytest.raises(TypeError, match="ConvexShape"):
        scene.cast_convex("crate", [0, 0, 1])

    class Way:
        """A displacement that looks at the scene when it is read."""

        def __array__(self, dtype=None, copy=None):
            return np.array([0.0, 0.0, len(scene)])

    assert scene.cast_convex(crate, Way(), bvtree.pose_from_translation([0, 0, 1e4])) is None


def test_relations_beside_each_pair(rng, grouped):
    scene, bodies = grouped
    big = bvtree.Tree(box((-9, -9, -9), (9, 9, 9)))
    for tree, pose in [(big, np.eye(4)), (big, moved(x=1e-4))]:
        bodies[scene.add(tree, pose, static=True)] = (tree, pose, 1)
    numbers = list(bodies)
    pairs = [(a, b) for a in numbers for b in numbers if a != b]
    first, second = np.transpose(pairs)
    scene.set_ignored(numbers[0], numbers[1])
    found = scene.relation(first, second, tolerance=1e-3)
    assert found.shape == (len(pairs),) and found.dtype.kind == "U"
    expected = []
    for a, b in pairs:
        (tree_a, pose_a, _), (tree_b, pose_b, _) = bodies[a], bodies[b]
        expected.append(bvtree.relation(tree_a, tree_b, bvtree.relative_pose(pose_a, pose_b)))
    twins = {(numbers[-2], numbers[-1]), (numbers[-1], numbers[-2])}
    assert [relation for relation, pair in zip(found, pairs) if pair not in twins] == [
        relation for relation, pair in zip(expected, pairs) if pair not in twins
    ]
    assert {pair for relation, pair in zip(found, pairs) if relation == "coincident"} == twins
    assert {"separate", "crossing", "a_in_b", "b_in_a"} <= set(found)
    a, b = numbers[-2:]
    assert scene.relation(a, b, tolerance=1e-3) == "coincident" and scene.relation(a, b) == "crossing"
    assert scene.relation(a, a) == "coincident" and scene.relation(a, a, tolerance=-1) != "coincident"
    assert scene.relation(a, numbers[:3]).tolist() == [scene.relation(a, n) for n in numbers[:3]]
    assert scene.relation(numbers[:3], a).tolist() == [scene.relation(n, a) for n in numbers[:3]]
    assert scene.relation(np.int32(a), np.array(b), tolerance=1e-3) == "coincident"
    assert scene.relation([], a).shape == (0,)


def test_questions_that_are_wrong(grouped):
    scene, bodies = grouped
    known = max(bodies)
    for a, b in [(0, known), (known, 0), ([known, 0], known), (10**9, known)]:
        with pytest.raises(KeyError, match="no body"):
            scene.relation(a, b)
    for a, b in [([known], [known, known]), ([[known]], known), (1.5, known), ("a", known), (known, [-1]), (-1, known), (None, known)]:
        with pytest.raises(ValueError):
            scene.relation(a, b)
    for ask in (scene.closest_hit, scene.any_hit, scene.all_hits):
        for wrong in [([0, 0, 0], [0, 0, 0]), ([0, 0, np.nan], [1, 0, 0]), ([0, 0], [1, 0, 0]), ([[0, 0, 0]] * 2, [[1, 0, 0]] * 3)]:
            with pytest.raises(ValueError):
                ask(*wrong)
    nowhere = np.zeros((0, 3))
    assert len(scene.closest_hit(nowhere, [1, 0, 0])) == len(scene.any_hit(nowhere, [1, 0, 0])) == 0
    assert [part.tolist() for part in scene.all_hits(nowhere, [1, 0, 0])] == [[0], []]
    for wrong in ([0, 0], [0, 0, np.inf], "point", np.zeros((2, 2))):
        with pytest.raises(ValueError):
            scene.closest_point(wrong)
    assert scene.closest_point(nowhere).shape == (0,)
    assert scene.closest_hit([1e300, 0, 0], [0, 1, 0]) is None
    assert scene.closest_point([1e200, 0, 0]) is None or scene.closest_point([1e200, 0, 0]).distance > 1e199


def test_threads_ask_at_a_time(rng, grouped):
    """The answers are one thread's, while another changes the scene."""
    scene, bodies = grouped
    points, (origins, directions) = rng.normal(size=(20000, 3)), rays(rng, 2000)
    expected = scene.closest_point(points), scene.all_hits(origins, directions)
    numbers = sorted(bodies)
    with ThreadPoolExecutor(4) as pool:
        asked = [
            (pool.submit(scene.closest_point, points), pool.submit(scene.all_hits, origins, directions))
            for _ in range(4)
        ]
        for _ in range(50):
            scene.set_pose(numbers[0], bodies[numbers[0]][1])
        for found, hits in asked:
            assert (found.result() == expected[0]).all()
            assert all((ours == one).all() for ours, one in zip(hits.result(), expected[1]))


def test_what_fails_uses_up_no_number():
    tree, scene = bvtree.Tree(box()), bvtree.Scene()
    assert scene.add(tree) == 0
    wrong = [(tree, np.zeros((4, 4))), (tree, "pose"), (tree, moved(x=np.nan)), (tree, moved(x=1e31)), (tree, np.eye(4)[None])]
    for arguments in wrong:
        with pytest.raises(ValueError):
            scene.add(*arguments)
    for arguments, options in [((box(),), {}), ((tree,), {"static": "yes"}), ((tree,), {"groups": "1"}), ((None,), {})]:
        with pytest.raises(TypeError):
            scene.add(*arguments, **options)
    with pytest.raises(OverflowError):
        scene.add(tree, mask=-1)
    assert len(scene) == 1 and scene.bodies == [0]
    assert scene.add(tree) == 1
    scene.remove(1)
    assert scene.add(tree) == 2


def test_nothing():
    scene = bvtree.Scene()
    assert scene.intersecting_pairs().shape == (0, 2) and scene.closest_pair() is None
    assert all(len(column) == 0 for column in scene.clash().values())
    assert scene.closest_body(bvtree.Tree(box())) is None
    assert scene.closest_point([0, 0, 0]) is None and scene.closest_hit([0, 0, 0], [1, 0, 0]) is None
    assert len(scene.all_hits([0, 0, 0], [1, 0, 0])) == 0 and scene.any_hit([0, 0, 0], [1, 0, 0]) is False
    assert scene.closest_point(np.zeros((3, 3)))["body"].tolist() == [-1] * 3


def test_measures(gear):
    table = bvtree.metrics(gear)
    assert table["level"].tolist() == [*range(gear.depth + 1), -1]
    assert table["volumes"][-1] == gear.node_count
    table = bvtree.compare([gear, bvtree.Tree(gear.to_mesh(), "aabb")], approaches=1, passes=1)
    assert table["kind"].tolist() == ["obb", "aabb"]
    assert table["volume_ratio"][0] < table["volume_ratio"][1]
    assert {len(column) for column in table.values()} == {2}
    with pytest.raises(ValueError):
        bvtree.compare([gear], passes=0)


def test_pandas(gear):
    pytest.importorskip("pandas")
    assert len(bvtree.to_pandas(bvtree.metrics(gear))) == gear.depth + 2
    frame = bvtree.to_pandas(bvtree.closest_points(gear, gear, np.stack([moved(x=100)] * 3)))
    for wrong in (None, 3, np.zeros(3), "table"):
        with pytest.raises(TypeError, match="structured array"):
            bvtree.to_pandas(wrong)
    assert list(frame.columns[:3]) == ["distance", "on_a_0", "on_a_1"] and len(frame) == 3
