"""Rays, points and balls against one tree."""

import numpy as np
import pytest

import bvtree
from conftest import box, soup

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


def test_layers(rng):
    """A question with a mask is the question about the triangles that it lets through."""
    corners, faces = soup(rng, 60)
    layers, one_sided = rng.integers(0, 8, 60), rng.random(60) < 0.5
    tree = bvtree.Tree((corners, faces))
    tree.set_layers(layers, one_sided)
    with pytest.raises(bvtree.Error, match="already set"):
        tree.set_layers(1)
    origins, directions = rng.uniform(-1, 2, (100, 3)), rng.normal(size=(100, 3))
    a, b, c = corners[faces].transpose(1, 0, 2).astype(float)
    normals = np.cross(b - a, c - a)
    for mask in (1, 6, 0):
        kept = np.flatnonzero(layers & mask)
        part = bvtree.Tree((corners, faces[kept]))
        found = tree.closest_point(origins, mask=mask)
        expected = part.closest_point(origins)
        assert (found["distance"] == expected["distance"]).all()
        for origin, direction in zip(origins, directions):
            front = np.flatnonzero((layers & mask != 0) & (~one_sided | (normals @ direction < 0)))
            hit = bvtree.Tree((corners, faces[front])).closest_hit(origin, direction)
            found = tree.closest_hit(origin, direction, mask=mask)
            assert tree.any_hit(origin, direction, mask=mask) == (hit is not None)
            assert (found is None) == (hit is None)
            assert found is None or (found.time, found.face) == (hit.time, front[hit.face])
        shape = bvtree.ConvexShape.box([0.2, 0.2, 0.2])
        ball = tree.cast_sphere(origins, directions, 0.1, mask=0)
        assert (ball["face"] == -1).all() and tree.closest_to_convex(shape, mask=0) is None
        assert tree.cast_convex(shape, [1, 1, 1], mask=0) is None
    assert tree.closest_point([0, 0, 0]) is not None
    other = bvtree.Tree(box())
    for wrong in ([1, 2], 2**32, [[1] * 12]):
        with pytest.raises(ValueError):
            other.set_layers(wrong)
    with pytest.raises(ValueError):
        other.set_layers(1, [True])
    other.set_layers(2)
    scene = bvtree.Scene()
    scene.add(other)
    assert scene.any_hit([0.5, 0.5, 5], [0, 0, -1]) and not scene.any_hit([0.5, 0.5, 5], [0, 0, -1], mask=1)


def test_groups_have_numbers(tmp_path):
    file = tmp_path / "rooms.obj"
    file.write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\ng floor\nf 1 2 3\ng wall\nf 1 2 4\ng floor\nf 2 3 4\n")
    names, ids = bvtree.Tree(bvtree.Mesh.open(file)).group_ids
    assert names == ["floor", "wall"] and ids.tolist() == [0, 1, 0]
    file.write_text(file.read_text().replace("g wall\n", "g wall\nusemtl oak\n"))
    tree = bvtree.Tree(bvtree.Mesh.open(file, group_by="both"))
    for tree in (tree, bvtree.Tree.from_bytes(tree.to_bytes())):
        names, ids = tree.material_ids
        assert names == ["", "oak"] and ids.tolist() == [0, 1, 1] and tree.group_ids[0] == ["floor", "wall"]
    with pytest.raises(ValueError, match="both"):
        bvtree.Mesh.open(file, group_by="colour")


def test_masks_of_two_trees_leave_triangles_out():
    a, b = bvtree.Tree(box()), bvtree.Tree(box())
    shifted = np.tile(np.eye(4), (3, 1, 1))
    shifted[:, 0, 3] = [0.5, 0.9, 3]
    pairs = [bvtree.intersecting_pairs(a, b, pose) for pose in shifted]
    layers = [np.arange(12) % 3, np.arange(12) % 2]
    a.set_layers(1 << layers[0])
    b.set_layers(1 << layers[1])
    for masks in [(None, None), (1, None), (6, 2), (None, 1), (0, 3)]:
        kept = [np.ones(12, bool) if mask is None else (1 << of) & mask != 0 for mask, of in zip(masks, layers)]
        expected = [found[kept[0][found[:, 0]] & kept[1][found[:, 1]]] for found in pairs]
        for pose, found in zip(shifted, expected):
            assert bvtree.intersecting_pairs(a, b, pose, masks=masks).tolist() == found.tolist()
        some = [len(found) > 0 for found in expected]
        parts = []
        for tree, keep in zip((a, b), kept):
            mesh = tree.to_mesh()
            parts.append(bvtree.Tree((mesh.vertices, mesh.faces[keep])) if keep.any() else None)
        assert bvtree.intersects(a, b, shifted, masks=masks).tolist() == some
        assert bvtree.first_hit(a, b, shifted, masks=masks) == (some.index(True) if any(some) else None)
        assert bvtree.count_pairs(a, b, shifted, masks=masks).tolist() == [len(found) for found in expected]
        assert bvtree.within(a, b, 0, shifted, masks=masks).tolist() == some
        distances = bvtree.distance(a, b, shifted, masks=masks)
        wanted = [np.inf] * 3 if None in parts else bvtree.distance(*parts, shifted)
        assert np.array_equal(distances, wanted)
        assert np.array_equal(bvtree.closest_points(a, b, shifted, masks=masks)["distance"], wanted)
        near = bvtree.pairs_within(a, b, 2.5, shifted[2], masks=masks)
        assert all(kept[0][near["face_a"]]) and all(kept[1][near["face_b"]])
        whole = bvtree.pairs_within(a, b, 2.5, shifted[2])
        assert len(near) == np.count_nonzero(kept[0][whole["face_a"]] & kept[1][whole["face_b"]]) and len(whole) > 0
        offsets, contacts = bvtree.contacts(a, b, shifted, masks=masks)
        assert np.column_stack((contacts["face_a"], contacts["face_b"])).tolist() == np.concatenate(expected).tolist()
        assert np.diff(offsets).tolist() == [len(found) for found in expected]
        if None in parts:
            assert len(bvtree.contact_patches(a, b, shifted, masks=masks)[1]) == 0
            assert bvtree.intersection_curves(a, b, shifted[0], masks=masks) == []
            assert bvtree.time_of_impact(a, b, shifted[2], shifted[0], masks=masks) is None
            assert bvtree.penetration_along(a, b, [1, 2, 3], masks=masks) is None
            free = bvtree.free_interval_along(a, b, [1, 2, 3], masks=masks)
            assert (free["start"], free["end"]) == (0, np.inf)
            continue
        # The same questions about meshes of the triangles that are left.
        patches, of_parts = bvtree.contact_patches(a, b, shifted, masks=masks), bvtree.contact_patches(*parts, shifted)
        assert all(np.array_equal(*both) for both in zip(patches, of_parts))
        curves = [bvtree.intersection_curves(a, b, shifted[0], masks=masks), bvtree.intersection_curves(*parts, shifted[0])]
        assert [points.tolist() for points, _ in curves[0]] == [points.tolist() for points, _ in curves[1]]
        impacts = bvtree.time_of_impact(a, b, shifted[[2, 2]], shifted[:2], masks=masks)
        assert np.array_equal(impacts["time"], bvtree.time_of_impact(*parts, shifted[[2, 2]], shifted[:2])["time"])
        for direction in ([1, 2, 3], [-1, 0, 0]):
            depths = bvtree.penetration_along(a, b, direction, shifted, masks=masks)["depth"]
            of_parts = bvtree.penetration_along(*parts, direction, shifted)["depth"]
            assert np.allclose(depths, of_parts, rtol=1e-12, equal_nan=True)
            free = bvtree.free_interval_along(a, b, direction, shifted, masks=masks)
            of_parts = bvtree.free_interval_along(*parts, direction, shifted)
            assert np.allclose(free["start"], of_parts["start"], rtol=1e-12)
            assert np.allclose(free["end"], of_parts["end"], rtol=1e-12)
    assert bvtree.intersects(a, b, shifted).tolist() == [len(found) > 0 for found in pairs]
    for wrong in (1, (1, 2, 3), (-1, None)):
        with pytest.raises((TypeError, OverflowError, ValueError)):
            bvtree.intersects(a, b, masks=wrong)
