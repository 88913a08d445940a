"""Rays, points and balls against one tree."""

import numpy as np
import pytest

import bvtree
from conftest import box

TREE = bvtree.Tree(box())


def test_rays(rng):
    origins = rng.uniform(-1, 2, (200, 3))
    directions = rng.normal(size=(200, 3))
    first = TREE.closest_hit(origins, directions)
    offsets, every = TREE.all_hits(origins, directions)
    # Slabs.
    t = np.sort(np.stack([(0 - origins) / directions, (1 - origins) / directions]), axis=0)
    enter, leave = t[0].max(axis=1), t[1].min(axis=1)
    hits = (enter <= leave) & (leave >= 0)
    expected = np.where(hits, np.where(enter >= 0, enter, leave), np.inf)
    assert first["time"] == pytest.approx(expected)
    assert TREE.any_hit(origins, directions).tolist() == hits.tolist()
    for i in range(200):
        own = every[offsets[i] : offsets[i + 1]]
        assert (np.diff(own["time"]) >= 0).all()
        assert (own["time"][0] == first["time"][i]) if len(own) else not hits[i]
    assert TREE.closest_hit(origins[0], directions).shape == (200,)
    assert TREE.closest_hit(origins, directions[0], max_time=1e-9).shape == (200,)


def test_one_ray():
    hit = TREE.closest_hit([0.25, 0.5, -2], [0, 0, 2])
    assert hit.time == 1 and hit.point.tolist() == [0.25, 0.5, 0] and hit.normal.tolist() == [0, 0, -1]
    assert TREE.closest_hit([0.25, 0.5, -2], [0, 0, -1]) is None
    assert TREE.any_hit([0.25, 0.5, -2], [0, 0, 1]) is True
    assert TREE.all_hits([0.25, 0.5, -2], [0, 0, 1])["time"].tolist() == [2, 3]


def test_points(rng):
    points = rng.uniform(-1, 2, (500, 3))
    outside = np.maximum(np.maximum(-points, points - 1), 0)
    inside = (outside == 0).all(axis=1)
    depth = np.minimum(points, 1 - points).min(axis=1)
    expected = np.where(inside, -depth, np.linalg.norm(outside, axis=1))
    assert TREE.signed_distance(points) == pytest.approx(expected)
    assert TREE.contains(points).tolist() == inside.tolist()
    assert TREE.closest_point(points)["distance"] == pytest.approx(np.abs(expected))
    assert TREE.winding_number(points) == pytest.approx(inside.astype(float), abs=1e-9)
    assert TREE.contains([1, 0.5, 0.5]) is True and TREE.contains([1, 0.5, 0.5], surface=False) is False
    near = TREE.closest_point([0.5, 0.5, 3])
    assert near.distance == 2 and near.point.tolist() == [0.5, 0.5, 1]
    assert TREE.closest_point([0.5, 0.5, 3], max_distance=1) is None


def test_open_meshes_have_no_inside():
    plate = bvtree.Tree(([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]]))
    assert not plate.is_closed
    for ask in (plate.contains, plate.signed_distance):
        with pytest.raises(bvtree.NotClosed, match="not closed"):
            ask([0, 0, 0])
    assert 0 < abs(plate.winding_number([0.2, 0.2, 0.1])) < 0.5


def test_balls_and_boxes():
    hit = TREE.cast_sphere([0.5, 0.5, 5], [0, 0, -10], 0.5)
    assert hit.time == pytest.approx(0.35) and hit.normal == pytest.approx([0, 0, 1])
    assert TREE.cast_sphere([5, 5, 5], [0, 0, -10], 0.5) is None
    assert TREE.cast_sphere([[0.5, 0.5, 5]] * 2, [0, 0, -10], 0.5).shape == (2,)
    lower = TREE.to_mesh()
    found = TREE.faces_in_aabb([-1, -1, -1], [2, 2, 0.5])
    touching = (lower.vertices[lower.faces][:, :, 2].min(axis=1) <= 0.5).nonzero()[0]
    assert found.tolist() == touching.tolist()
    assert len(TREE.faces_in_aabb([1, 1, 1], [0, 0, 0])) == 0
    assert len(TREE.faces_in_sphere([0.5, 0.5, 0.5], 0.4)) == 0
    assert len(TREE.faces_in_sphere([0.5, 0.5, 0.5], 0.5)) > 0
