"""Scenes, against questions about every pair."""

import numpy as np
import pytest

import bvtree
from conftest import box, moved, random_poses


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
    assert scene.touching_pairs().tolist() == touching
    distances = {pair: bvtree.distance(tree, tree, pose) for pair, pose in relative.items()}
    near = scene.pairs_within(0.5)
    assert {(row["a"], row["b"]) for row in near} == {pair for pair, d in distances.items() if d <= 0.5}
    assert scene.closest_pair().distance == min(distances.values())
    table = scene.clash(clearance=0.5)
    assert set(zip(table["a"], table["b"])) == {pair for pair, d in distances.items() if d <= 0.5}
    for a, b, pairs, distance in zip(table["a"], table["b"], table["pairs"], table["distance"]):
        assert pairs == bvtree.count_pairs(tree, tree, relative[a, b])
        assert distance == pytest.approx(distances[a, b])
    for row in scene.near(tree, 1.0):
        assert row["distance"] == pytest.approx(bvtree.distance(tree, tree, poses[row["b"]]))
    nearest = scene.nearest(tree, poses[3], ignore=3)
    others = [d for pair, d in distances.items() if 3 in pair]
    assert nearest.distance == pytest.approx(min(others)) and nearest.b != 3


def test_bodies_come_go_and_move(crowd):
    tree, poses, scene, numbers = crowd
    assert len(scene) == 40 and scene.bodies == numbers
    scene.remove(5)
    assert len(scene) == 39 and 5 not in scene.bodies
    assert scene.add(tree) == 40
    assert 5 not in scene.touching_pairs()
    for gone in (5, 41, 10**9):
        with pytest.raises(KeyError):
            scene.remove(gone)
        with pytest.raises(KeyError):
            scene.set_pose(gone, np.eye(4))
        with pytest.raises(KeyError):
            scene.impacts([gone], np.eye(4)[None])
    scene.set_poses(list(range(5)), np.stack([moved(x=100 * i) for i in range(1, 6)]))
    assert scene.touching_pairs()[:, 0].min() >= 6
    assert (scene.pose(2) == moved(x=300)).all()
    with pytest.raises(ValueError):
        scene.set_poses([1, 2], np.eye(4)[None])
    with pytest.raises(bvtree.Error, match="farther"):
        scene.add(tree, moved(x=1e31))


def test_solids():
    big, small = bvtree.Tree(box((-2, -2, -2), (2, 2, 2))), bvtree.Tree(box())
    for solid in (False, True):
        scene = bvtree.Scene()
        scene.add(big, solid=solid)
        scene.add(small)
        assert len(scene.touching_pairs()) == 0
        assert len(scene.colliding_pairs()) == solid
        assert scene.colliding(small).tolist() == ([0, 1] if solid else [1])
        assert len(scene.colliding(small, first=True)) == 1


def test_masks_statics_and_ignored():
    tree = bvtree.Tree(box())
    scene = bvtree.Scene()
    scene.add(tree, static=True), scene.add(tree, static=True), scene.add(tree, groups=2, mask=2), scene.add(tree)
    assert scene.touching_pairs().tolist() == [[0, 3], [1, 3]]
    scene.set_ignored(0, 3)
    assert scene.touching_pairs().tolist() == [[1, 3]]
    scene.set_ignored(3, 0, False)
    assert scene.touching_pairs().tolist() == [[0, 3], [1, 3]]
    scene = bvtree.Scene(compare_static=True, threads=1)
    scene.add(tree, static=True), scene.add(tree, static=True)
    assert scene.touching_pairs().tolist() == [[0, 1]]
    assert scene.clash()["relation"].tolist() == ["coincident"]


def test_motions_and_rays():
    tree = bvtree.Tree(box())
    scene = bvtree.Scene()
    scene.add(tree), scene.add(tree, moved(x=3))
    found = scene.impacts([1], moved(x=-1)[None])
    assert found["time"] == pytest.approx([0.5]) and found[0]["a"] == 0 and found[0]["b"] == 1
    hit = scene.first_hit([10, 0.3, 0.6], [-1, 0, 0])
    assert hit.body == 1 and hit.time == pytest.approx(6) and hit.point == pytest.approx([4, 0.3, 0.6])
    assert scene.first_hit([10, 0.3, 0.6], [1, 0, 0]) is None
    with pytest.raises(ValueError):
        scene.first_hit([10, 0, 0], [0, 0, 0])


def test_nothing():
    scene = bvtree.Scene()
    assert scene.touching_pairs().shape == (0, 2) and scene.closest_pair() is None
    assert all(len(column) == 0 for column in scene.clash().values())
    assert scene.nearest(bvtree.Tree(box())) is None


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
    frame = bvtree.to_pandas(bvtree.closest(gear, gear, np.stack([moved(x=100)] * 3)))
    for wrong in (None, 3, np.zeros(3), "table"):
        with pytest.raises(TypeError, match="structured array"):
            bvtree.to_pandas(wrong)
    assert list(frame.columns[:3]) == ["distance", "on_a_0", "on_a_1"] and len(frame) == 3
