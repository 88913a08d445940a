"""Compounds, against a scene in which each part is a body of its own."""

import itertools

import numpy as np
import pytest

import bvtree
from conftest import box, moved, random_poses, soup

SHAPE = bvtree.ConvexShape


def close(number):
    """Numpy's products of poses are rounded otherwise."""
    return pytest.approx(number, rel=1e-9, abs=1e-12)


class Twins:
    """A scene with compounds, and one of their parts."""

    def __init__(self, rng, count=8):
        lidless = (box()[0], box()[1][2:])
        simple = [bvtree.Tree(box()), bvtree.Tree(lidless), bvtree.Tree(soup(rng, 12), "sphere")]
        simple += [SHAPE.sphere(0.4), SHAPE.cylinder(0.3, 0.8), SHAPE.box([1, 0.5, 0.2]), SHAPE(rng.normal(size=(9, 3)))]
        self.scene, self.apart, self.owners, self.poses = bvtree.Scene(), bvtree.Scene(), [], random_poses(rng, count, 2)
        for body, pose in enumerate(self.poses):
            parts = [simple[i] for i in rng.integers(len(simple), size=rng.integers(5))]
            own = random_poses(rng, len(parts), 1)
            is_compound = rng.random() < 0.7
            if not is_compound:
                parts, own = [simple[body % len(simple)]], [np.eye(4)]
            whole = bvtree.Compound(zip(parts, own)) if is_compound else parts[0]
            assert self.scene.add(whole, pose, solid="if_closed") == body
            # A compound is solid if all of its trees are closed.
            solid = self.scene.is_solid(body)
            first = len(self.owners)
            for index, (part, place) in enumerate(zip(parts, own)):
                self.apart.add(part, pose @ place, solid=solid and isinstance(part, bvtree.Tree))
                self.owners.append((body, index))
            pairs = np.array(list(itertools.combinations(range(first, len(self.owners)), 2))).reshape(-1, 2)
            self.apart.set_ignored(pairs[:, 0], pairs[:, 1])

    def owner(self, number):
        return self.owners[number]

    def nearest(self, rows, key):
        """For each pair of bodies, the numbers of the parts with the least key, which is the first field."""
        best = {}
        for row in rows:
            (a, part_a), (b, part_b) = self.owner(row["a"]), self.owner(row["b"])
            found = (key(row), part_a, part_b)
            best[a, b] = min(best.get((a, b), found), found)
        return best


@pytest.fixture(params=range(12))
def twins(request):
    return Twins(np.random.default_rng(request.param))


def test_pairs(twins):
    scene, apart = twins.scene, twins.apart
    touching = {(twins.owner(a)[0], twins.owner(b)[0]) for a, b in apart.intersecting_pairs()}
    assert [tuple(pair) for pair in scene.intersecting_pairs()] == sorted(touching)
    near = scene.pairs_within(1.0)
    expected = twins.nearest(apart.pairs_within(1.0), lambda row: row["distance"])
    assert [(row["a"], row["b"]) for row in near] == sorted(expected)
    for row in near:
        distance, *parts = expected[row["a"], row["b"]]
        assert row["distance"] == close(distance) and (distance == 0 or [row["part_a"], row["part_b"]] == parts)
    assert scene.closest_pair().distance == close(apart.closest_pair().distance)
    depths = scene.overlap_depths(relative_tolerance=1e-3)
    own = apart.overlap_depths(relative_tolerance=1e-3)
    expected = twins.nearest(own, lambda row: -row["lower"])
    assert {(row["a"], row["b"]) for row in depths} == set(expected)
    for row in depths:
        least, *_ = expected[row["a"], row["b"]]
        assert row["lower"] == pytest.approx(-least, rel=1e-3)
        parts = [(twins.owner(r["a"])[1], twins.owner(r["b"])[1]) for r in own if twins.owner(r["a"])[0] == row["a"]]
        assert (row["part_a"], row["part_b"]) in parts
    points = scene.contact_manifolds(0.1)
    expected = [(*twins.owner(row["a"]), *twins.owner(row["b"])) for row in apart.contact_manifolds(0.1)]
    assert sorted((row["a"], row["part_a"], row["b"], row["part_b"]) for row in points) == sorted(expected)
    assert {(row["a"], row["b"]) for row in scene.penetration_depths()} <= touching


def test_impacts(twins):
    scene, apart = twins.scene, twins.apart
    ends = twins.poses.copy()
    ends[:, :3, 3] *= -0.5
    movers = range(0, len(ends), 2)
    found = scene.impacts(movers, ends[::2], accuracy=1e-6)
    numbers = [n for n, (body, _) in enumerate(twins.owners) if body % 2 == 0]
    own = []
    for number in numbers:
        pose = apart.pose(number)
        body = twins.owner(number)[0]
        pose[:3, 3] += ends[body, :3, 3] - twins.poses[body, :3, 3]
        own.append(pose)
    expected = {}
    if numbers:
        expected = twins.nearest(apart.impacts(numbers, np.array(own), accuracy=1e-6), lambda row: row["time"])
    assert {(row["a"], row["b"]) for row in found} == set(expected)
    for row in found:
        assert row["time"] == pytest.approx(expected[row["a"], row["b"]][0], abs=1e-4)
        assert 0 <= row["part_a"] < 5 and 0 <= row["part_b"] < 5


def test_questions_from_outside(twins, rng):
    scene, apart = twins.scene, twins.apart
    origins = 4 * rng.normal(size=(60, 3))
    offsets, hits = scene.all_hits(origins, -origins)
    own_offsets, own = apart.all_hits(origins, -origins)
    assert offsets.tolist() == own_offsets.tolist()
    found = [(hit["body"], hit["part"], hit["face"]) for hit in hits]
    for i in range(len(origins)):
        expected = [(*twins.owner(hit["body"]), hit["face"]) for hit in own[own_offsets[i] : own_offsets[i + 1]]]
        assert sorted(found[offsets[i] : offsets[i + 1]]) == sorted(expected)
    first, own = scene.closest_hit(origins, -origins), apart.closest_hit(origins, -origins)
    assert first["time"] == pytest.approx(own["time"], rel=1e-9)
    assert ((first["part"] == -1) == (own["body"] == -1)).all()
    nearest, own = scene.closest_point(origins), apart.closest_point(origins)
    assert nearest["distance"] == pytest.approx(own["distance"], rel=1e-9, abs=1e-12)
    assert [(row["body"], row["part"]) for row in nearest] == [twins.owner(row["body"]) for row in own]
    for tree, solid in [(bvtree.Tree(box()), False), (bvtree.Tree(box((-3, -3, -3), (3, 3, 3))), True)]:
        for pose in random_poses(rng, 5, 2):
            touching = sorted({twins.owner(n)[0] for n in apart.bodies_intersecting(tree, pose, solid=solid)})
            assert scene.bodies_intersecting(tree, pose, solid=solid).tolist() == touching
            assert scene.bodies_intersecting(tree, pose, solid=solid, first=True).tolist() == touching[:1]
            distances = {}
            for row in apart.bodies_within(tree, np.inf, pose):
                body, part = twins.owner(row["b"])
                distances[body] = min(distances.get(body, (np.inf, 0)), (row["distance"], part))
            found = scene.bodies_within(tree, np.inf, pose)
            assert found["b"].tolist() == sorted(distances)
            for row in found:
                distance, part = distances[row["b"]]
                assert row["distance"] == close(distance) and (distance == 0 or row["part_b"] == part)
            for ignored in (None, min(distances, key=distances.get)):
                others = [(distance, body) for body, (distance, _) in distances.items() if body != ignored]
                closest = scene.closest_body(tree, pose, ignore=ignored)
                least, nearest = min(others)
                assert closest.distance == close(least) and (least == 0 or closest.b == nearest)
                if least > 0:
                    assert scene.closest_body(tree, pose, ignore=ignored, max_distance=least / 2) is None


def test_relations():
    cube, small = bvtree.Tree(box((-2, -2, -2), (2, 2, 2))), bvtree.Tree(box((-0.5,) * 3, (0.5,) * 3))
    scene = bvtree.Scene()
    both = scene.add(bvtree.Compound([(cube, moved(x=-5)), (cube, moved(x=5))]), solid=True)
    inside = scene.add(bvtree.Compound([(small, moved(x=-5)), (small, moved(x=5))]))
    across, apart = scene.add(small, moved(x=3)), scene.add(small)
    assert scene.relation(both, [inside, across, apart, both]).tolist() == ["b_in_a", "crossing", "separate", "coincident"]
    assert scene.intersecting_pairs().tolist() == [[both, inside], [both, across]]
    assert len(scene.clash()["a"]) == 0


def test_parts():
    tree, ball = bvtree.Tree(box()), SHAPE.sphere(1.0)
    compound = bvtree.Compound([tree, (ball, None), (tree, (np.eye(3), [1.0, 2.0, 3.0])), (ball, moved(x=4))])
    assert len(compound) == 4 and repr(compound) == "<bvtree.Compound: 4 parts>"
    geometries, poses = zip(*compound.parts)
    assert all(part is own for part, own in zip(geometries, [tree, ball, tree, ball]))
    assert np.array(poses)[:, :3, 3].tolist() == [[0, 0, 0], [0, 0, 0], [1, 2, 3], [4, 0, 0]]
    scene = bvtree.Scene()
    assert scene.add(bvtree.Compound([])) == 0 and scene.closest_hit([0, 0, 9], [0, 0, -1]) is None
    scene.set_tree(0, compound)
    assert scene.closest_hit([4, 0, 9], [0, 0, -1]).part == 3
    scene.set_tree(0, tree)
    assert scene.closest_hit([0.5, 0.2, 9], [0, 0, -1]).part == 0


def test_what_is_refused():
    tree, ball = bvtree.Tree(box()), SHAPE.sphere(1.0)
    lidless = bvtree.Tree((box()[0], box()[1][2:]))
    for parts, error, text in [
        ([tree, "ball"], TypeError, "argument 'part 1' must be a bvtree.Tree"),
        ([(tree,)], ValueError, "part 0: expected a tuple of two"),
        ([bvtree.Compound([tree])], TypeError, "part 0 is a compound itself"),
        ([ball, (ball, np.diag([2, 2, 2, 1]))], bvtree.InvalidPose, "part 1: the matrix is not a rotation"),
        ([ball, (ball, np.stack([np.eye(4)] * 2))], ValueError, "pose of part 1"),
        ([ball, (ball, moved(x=1e31))], bvtree.Error, "a coordinate of part 1 exceeds 1e30"),
        (tree, TypeError, "not iterable"),
    ]:
        with pytest.raises(error, match=text):
            bvtree.Compound(parts)
    scene = bvtree.Scene()
    half_open = bvtree.Compound([ball, tree, lidless])
    with pytest.raises(bvtree.NotClosed) as raised:
        scene.add(half_open, solid=True)
    assert raised.value.open_edges == 4 and len(scene) == 0
    assert scene.is_solid(scene.add(bvtree.Compound([ball, tree]), solid=True))
    body = scene.add(half_open, solid="if_closed")
    assert not scene.is_solid(body)
    with pytest.raises(TypeError, match="must be a bvtree.Tree"):
        scene.bodies_intersecting(half_open)
    # A shape's body that is not said to be solid may become an open mesh.
    body = scene.add(ball)
    scene.set_tree(body, lidless)
    assert not scene.is_solid(body)


def test_many_pairs_are_ignored():
    scene, ball = bvtree.Scene(), SHAPE.sphere(1.0)
    for _ in range(5):
        scene.add(ball)
    scene.set_ignored(0, [1, 2, 3, 4])
    scene.set_ignored([1, 2], np.array([2, 3], dtype=np.int32))
    assert scene.intersecting_pairs().tolist() == [[1, 3], [1, 4], [2, 4], [3, 4]]
    with pytest.raises(KeyError):
        scene.set_ignored([1, 9], [3, 4])
    assert scene.intersecting_pairs().tolist() == [[1, 3], [1, 4], [2, 4], [3, 4]]
    with pytest.raises(ValueError):
        scene.set_ignored([1, 2], [3, 4, 0])
    scene.set_ignored(0, [1, 2, 3, 4], False)
    assert len(scene.intersecting_pairs()) == 8
