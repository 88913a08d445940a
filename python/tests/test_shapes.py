"""Convex shapes against trees and as bodies of scenes, by closed forms."""

import numpy as np
import pytest

import bvtree
from conftest import box

SHAPE = bvtree.ConvexShape


def at(x=0.0, y=0.0, z=0.0):
    return bvtree.pose_from_translation([x, y, z])


def cube(half=1.0):
    return bvtree.Tree(box([-half] * 3, [half] * 3))


# How far each reaches from its origin along z, and along x.
REACHES = {
    "box": (SHAPE.box([1.0, 2.0, 3.0]), 1.5, 0.5),
    "sphere": (SHAPE.sphere(0.75), 0.75, 0.75),
    "cylinder": (SHAPE.cylinder(0.5, 2.0), 1.0, 0.5),
    "capsule": (SHAPE.capsule(0.25, 1.0), 0.75, 0.25),
    "cone": (SHAPE.cone(0.5, 2.0), 1.0, None),
    "hull": (SHAPE([[2, 0, 0], [-2, 0, 0], [0, 0, 1.25], [0, 1, -1], [0, -1, -1]]), 1.0, 2.0),
    "rounded": (SHAPE.box([1.0, 1.0, 1.0]).rounded(0.25), 0.75, 0.75),
}


@pytest.mark.parametrize("name", REACHES)
def test_shapes_reach_as_far_as_they_say(name):
    shape, below, aside = REACHES[name]
    tree = cube()
    gaps = np.array([-0.01, 0.01, 0.5, 2.0])
    poses = np.stack([at(z=1 + below + gap) for gap in gaps])
    assert tree.intersects_convex(shape, poses).tolist() == (gaps < 0).tolist()
    found = tree.closest_to_convex(shape, poses)
    assert found["distance"] == pytest.approx(np.maximum(gaps, 0), abs=1e-9)
    assert (found["face_b"] == -1).all() and (found["face_a"] >= 0).all()
    assert found["on_a"][2, 2] == pytest.approx(1.0) and found["on_b"][2, 2] == pytest.approx(1.5)
    near = tree.closest_to_convex(shape, poses, max_distance=1.0)
    assert np.isinf(near["distance"]).tolist() == (gaps > 1).tolist()
    assert tree.closest_to_convex(shape, poses[3], max_distance=1.0) is None
    assert not tree.intersects_convex(shape, at(x=9))
    if aside is not None:
        assert tree.closest_to_convex(shape, at(x=3 + aside)).distance == pytest.approx(2.0)


@pytest.mark.parametrize("name", REACHES)
def test_shapes_that_fall_stop_where_they_touch(name):
    shape, below, _ = REACHES[name]
    tree = cube()
    start = at(z=1 + below + 2.0)
    hit = tree.cast_convex(shape, [0, 0, -4], start)
    assert hit.time == pytest.approx(0.5) and hit.point[2] == pytest.approx(1.0) and hit.normal[2] == pytest.approx(1)
    assert tree.cast_convex(shape, [0, 0, -1.9], start) is None
    many = tree.cast_convex(shape, [[0, 0, -4], [0, 0, -1], [4, 0, 0]], start)
    assert many["time"] == pytest.approx([0.5, np.inf, np.inf]) and (many["face"][1:] == -1).all()
    falls = tree.cast_convex(shape, [0, 0, -8], np.stack([start, at(z=1 + below + 4.0)]))
    assert falls["time"] == pytest.approx([0.25, 0.5])
    # The top of a wide cube is two triangles, and the shape's lowest part is over its middle, which both have.
    wide = cube(4.0)
    assert len(wide.faces_in_convex(shape, at(z=4 + below + 0.01))) == 0
    faces = wide.faces_in_convex(shape, at(z=4 + below - 0.01))
    assert len(faces) == 2 and faces.tolist() == sorted(faces)
    with pytest.raises(ValueError, match="displacement"):
        tree.cast_convex(shape, [[0, 0, -4], [0, 0, -1]], np.stack([start] * 3))


def test_bodies_of_a_scene_are_shapes_and_trees():
    scene, tree = bvtree.Scene(), cube()
    floor = scene.add(tree, static=True)
    bodies = {name: scene.add(shape, at(x=10 * i)) for i, (name, (shape, _, _)) in enumerate(REACHES.items(), 1)}
    assert all(scene.is_solid(body) for body in bodies.values()) and not scene.is_solid(floor)
    assert len(scene.intersecting_pairs()) == 0
    for name, body in bodies.items():
        before = scene.pose(body)
        scene.set_pose(body, at(z=1.25 + REACHES[name][1]))
        (row,) = scene.pairs_within(0.5)
        assert (row["a"], row["b"]) == (floor, body) and row["distance"] == pytest.approx(0.25)
        assert row["face_a"] >= 0 and row["face_b"] == -1
        assert scene.closest_pair().distance == pytest.approx(0.25)
        scene.set_pose(body, at(z=0.75 + REACHES[name][1]))
        assert scene.intersecting_pairs().tolist() == [[floor, body]]
        assert scene.relation(floor, body) == "undefined"
        scene.set_pose(body, before)


def test_questions_from_outside():
    scene, tree = bvtree.Scene(), cube(0.5)
    ball = scene.add(SHAPE.sphere(2.0), at(x=10))
    box = scene.add(SHAPE.box([2.0, 2.0, 2.0]), at(y=10))
    assert scene.bodies_intersecting(tree, at(x=7.75)).tolist() == [ball]
    # Shapes are solid.
    assert scene.bodies_intersecting(tree, at(x=10)).tolist() == [ball]
    assert scene.bodies_within(tree, 0.6, at(y=8))["b"].tolist() == [box]
    found = scene.closest_body(tree, at(x=5))
    assert found.b == ball and found.distance == pytest.approx(2.5) and found.face_b == -1
    assert scene.closest_body(tree, at(x=5), ignore=ball).b == box
    assert scene.closest_body(tree, at(x=5), max_distance=2.0) is None
    assert scene.bodies_intersecting(cube(50.0), solid=True).tolist() == [ball, box]
    assert scene.bodies_intersecting(cube(50.0)).tolist() == []
    hit = scene.closest_hit([0, 0, 0], [1, 0, 0])
    assert (hit.body, hit.face) == (ball, -1) and hit.time == pytest.approx(8.0)
    assert hit.normal == pytest.approx([-1, 0, 0])
    assert scene.any_hit([0, 0, 0], [[1, 0, 0], [0, 1, 0], [0, 0, 1]]).tolist() == [True, True, False]
    assert scene.closest_point([0, 8.5, 0]).distance == pytest.approx(0.5)
    assert scene.closest_point([10, 0.5, 0]).distance == 0.0
    impacts = scene.impacts([ball], at(x=-10)[None])
    assert len(impacts) == 0
    (impact,) = scene.impacts([ball], (np.eye(3)[None], np.array([[0.0, 9.0, 0.0]])))
    assert impact["face_a"] == impact["face_b"] == -1 and 0 < impact["time"] < 1


def test_what_is_refused():
    scene, tree = bvtree.Scene(), cube()
    scene.add(tree)
    body = scene.add(SHAPE.sphere(1.0))
    (depth,) = scene.overlap_depths()
    assert depth["lower"] <= 1 - 3**-0.5 <= depth["upper"]
    assert len(scene.clash()["a"]) == 0
    scene.set_tree(body, SHAPE.box([1, 1, 1]))
    assert scene.is_solid(body)
    scene.set_tree(body, tree)
    assert not scene.is_solid(body)
    for wrong in (lambda: SHAPE.sphere(-1.0), lambda: SHAPE.cylinder(1.0, np.nan), lambda: SHAPE(np.zeros((0, 3)))):
        with pytest.raises(bvtree.Error):
            wrong()
    with pytest.raises(ValueError):
        SHAPE.box([1, 2])
    with pytest.raises(TypeError, match="must be a bvtree.ConvexShape, not bvtree.Tree"):
        tree.intersects_convex(tree)
    with pytest.raises(TypeError, match="must be a bvtree.Tree"):
        scene.add("sphere")
    with pytest.raises(bvtree.Error):
        scene.add(SHAPE.sphere(1e40))
    assert repr(SHAPE.sphere(0.5)).startswith("<bvtree.ConvexShape")


@pytest.mark.parametrize("name", REACHES)
def test_shapes_are_as_deep_as_they_reach(name):
    shape, below, _ = REACHES[name]
    tree, gaps = cube(), np.array([-0.1, 0.05, 0.5])
    poses = np.stack([at(z=1 + below + gap) for gap in gaps])
    found = tree.closest_convex_contact(shape, poses)
    assert found["distance"] == pytest.approx(gaps, abs=1e-9)
    assert found["normal"][:, 2] == pytest.approx(1.0) and found["on_a"][:, 2] == pytest.approx(1.0)
    assert found["on_b"][:, 2] == pytest.approx(1.0 + gaps)
    assert tree.closest_convex_contact(shape, poses[2], max_distance=0.4) is None
    offsets, rows = tree.convex_contacts(shape, poses, max_distance=0.2)
    assert offsets[3] == offsets[2] > offsets[1] > 0 and (np.diff(rows["face_a"][: offsets[1]]) > 0).all()
    assert rows["distance"][: offsets[1]].min() == pytest.approx(-0.1)
    assert len(tree.convex_contacts(shape, poses[1])) == 0
    block = SHAPE.box([2.0, 2.0, 2.0])
    found = block.contact(shape, poses)
    assert found["distance"] == pytest.approx(gaps, abs=1e-6) and found["normal"][:, 2] == pytest.approx(1.0)
    assert block.contact(shape, poses[2], max_distance=0.4) is None
    for manifolds in (tree.convex_contact_manifolds(shape, 0.2, poses), block.contact_manifolds(shape, 0.2, poses)):
        offsets, rows = manifolds
        assert offsets[1] > 0 and offsets[2] > offsets[1] and offsets[3] == offsets[2]
        assert rows["depth"][0] == pytest.approx(0.1) and rows["depth"][offsets[1]] == pytest.approx(-0.05)
        assert rows["normal"][:, 2] == pytest.approx(1.0) and (rows["face_b"] == -1).all()
    assert shape.support_point([0, 0, -1]).point[2] == pytest.approx(-below)


def test_shapes_have_mass_properties():
    mass = SHAPE.box([1.0, 2.0, 3.0]).mass_properties()
    assert mass["volume"] == pytest.approx(6.0) and mass["center"] == pytest.approx(np.zeros(3))
    assert np.diag(mass["inertia"]) == pytest.approx([6.5, 5.0, 2.5])
    with pytest.raises(bvtree.Error, match="no volume"):
        SHAPE.box([1.0, 2.0, 0.0]).mass_properties()


def test_support_points_are_the_farthest():
    tree = cube()
    assert tree.support_point([0, 0, -2]).point[2] == -1.0
    found = tree.support_point([[1, 1, 1], [-1, 0.5, 0.25], [0, 0, 0]])
    assert found["point"][:2].tolist() == [[1, 1, 1], [-1, 1, 1]] and found["face"][2] == -1
    assert tree.support_point([0, 0, 0]) is None
    assert bvtree.Tree((np.zeros((0, 3)), np.zeros((0, 3), int))).support_point([0, 0, 1]) is None


def test_scenes_have_manifolds_and_depths_of_shapes():
    scene = bvtree.Scene()
    scene.add(cube())
    scene.add(SHAPE.box([1.0, 1.0, 1.0]), at(z=1.45))
    scene.add(SHAPE.cylinder(0.25, 1.0), at(z=2.44))
    rows = scene.contact_manifolds(0.1)
    assert set(map(tuple, np.column_stack([rows["a"], rows["b"]]).tolist())) == {(0, 1), (1, 2)}
    assert rows["normal"][:, 2] == pytest.approx(1.0)
    depths = scene.penetration_depths()
    assert depths["upper"] == pytest.approx([0.05, 0.01], abs=1e-6)
    assert scene.overlap_depths()["upper"] == pytest.approx([0.05, 0.01], abs=0.01)
