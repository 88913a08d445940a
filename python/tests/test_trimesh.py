"""The drop-in for trimesh's collision manager; beside python-fcl where that is installed and right."""

import sys

import numpy as np
import pytest

trimesh = pytest.importorskip("trimesh")

import bvtree
from bvtree import fcl
from bvtree.trimesh import CollisionManager, mesh_to_BVH, mesh_to_convex, scene_to_collision
from conftest import moved, random_poses

BOX = trimesh.creation.box()
BIG = trimesh.creation.box(extents=[4, 4, 4])
TORUS = trimesh.creation.torus(1.0, 0.25)


def test_names_and_answers():
    manager = CollisionManager()
    assert manager.in_collision_internal() is False
    manager.add_object("a", BOX)
    manager.add_object("b", BOX, moved(x=3))
    assert manager.in_collision_internal(return_names=True) == (False, set())
    manager.set_transform("b", moved(x=0.5))
    assert manager.in_collision_internal(True) == (True, {("a", "b")})
    hit, names, contacts = manager.in_collision_internal(True, True)
    assert hit is True and names == {("a", "b")} and len(contacts) == 1
    assert contacts[0].names == {"a", "b"}
    assert contacts[0].depth == pytest.approx(0.5) and contacts[0].normal == pytest.approx([1, 0, 0])
    assert abs(contacts[0].point[0] - 0.25) < 1e-6
    assert 0 <= contacts[0].index("a") < 12 and 0 <= contacts[0].index("b") < 12
    manager.add_object("b", BOX, moved(x=9))
    assert manager.in_collision_internal() is False
    manager.remove_object("b")
    for ask in (manager.remove_object, lambda name: manager.set_transform(name, np.eye(4))):
        with pytest.raises(ValueError, match="b not in collision manager"):
            ask("b")
    with pytest.raises(ValueError, match="b not in collision manager"):
        manager.min_distance_internal(name="b")
    with pytest.raises(ValueError, match="transform"):
        manager.add_object("c", BOX, np.eye(3))
    assert manager.in_collision_single(BOX, moved(x=0.2), return_names=True) == (True, {"a"})


def test_managers_against_each_other():
    one, other = CollisionManager(), CollisionManager()
    assert one.in_collision_other(other) is False
    one.add_object("a", BOX), one.add_object("b", BOX, moved(x=5))
    other.add_object("a", BOX, moved(x=5.5)), other.add_object("c", TORUS, moved(y=9))
    hit, names, contacts = one.in_collision_other(other, True, True)
    assert hit and names == {("b", "a")} and contacts[0].names == {"a", "b"}
    distance, names, data = one.min_distance_other(other, True, True)
    assert distance == pytest.approx(-0.5) and names == ("b", "a")
    other.remove_object("a")
    distance, names, data = one.min_distance_other(other, True, True)
    assert names == ("a", "c")
    assert np.linalg.norm(data.point("a") - data.point("c")) == pytest.approx(distance) == data.distance


def test_empty_managers():
    manager = CollisionManager()
    assert manager.min_distance_single(BOX) == sys.float_info.max
    assert manager.min_distance_internal(return_names=True) == (sys.float_info.max, None)
    assert manager.min_distance_single(BOX, return_name=True) == (sys.float_info.max, None)
    assert manager.in_collision_single(BOX, return_names=True, return_data=True) == (False, set(), [])


def test_convex_meshes_are_solid():
    manager = CollisionManager()
    manager.add_object("big", BIG)
    hit, names, contacts = manager.in_collision_single(BOX, return_names=True, return_data=True)
    assert hit and names == {"big"}
    assert contacts[0].depth == pytest.approx(2.5)
    assert manager.min_distance_single(BOX) == pytest.approx(-2.5)
    # One that is not convex is a surface, with something inside it or not.
    manager = CollisionManager()
    manager.add_object("torus", TORUS)
    assert not manager.in_collision_single(trimesh.creation.icosphere(radius=0.1), moved(x=1))
    assert manager.in_collision_single(BIG, return_data=True)[0]
    assert manager.min_distance_single(trimesh.creation.icosphere(radius=0.1), moved(x=1)) > 0


def test_depth_of_boxes_is_exact(rng):
    """Against the separating axes of boxes (Gottschalk 1996)."""
    manager = CollisionManager()
    manager.add_object("a", BOX)
    for pose in random_poses(rng, 40, 0.4):
        rotation, t = pose[:3, :3], pose[:3, 3]
        axes = [*np.eye(3), *rotation.T, *(np.cross(p, q) for p in np.eye(3) for q in rotation.T)]
        depth = np.inf
        for axis in (axis / np.linalg.norm(axis) for axis in axes if np.linalg.norm(axis) > 1e-6):
            reach = 0.5 * np.abs(axis).sum() + 0.5 * np.abs(rotation.T @ axis).sum()
            depth = min(depth, reach - abs(axis @ t))
        distance = manager.min_distance_single(BOX, pose)
        if depth > 0:
            assert distance == pytest.approx(-depth, abs=1e-6)
            _, contacts = manager.in_collision_single(BOX, pose, return_data=True)
            normal = contacts[0].normal
            freed = pose.copy()
            freed[:3, 3] += normal * (contacts[0].depth + 1e-5)
            assert not manager.in_collision_single(BOX, freed)
        else:
            assert distance > 0


def test_meshes_have_a_contact_for_each_pair_of_triangles():
    manager = CollisionManager()
    manager.add_object("a", TORUS)
    pose = moved(x=0.5)
    hit, contacts = manager.in_collision_single(TORUS, pose, return_data=True)
    tree = bvtree.Tree(TORUS)
    pairs = bvtree.intersecting_pairs(tree, tree, pose)
    assert {(c.index("a"), c.index("__external")) for c in contacts} == {tuple(pair) for pair in pairs.tolist()}
    for contact in contacts:
        corners = TORUS.vertices[TORUS.faces[contact.index("a")]]
        closest = trimesh.triangles.closest_point(corners[None], contact.point[None])
        assert closest[0] == pytest.approx(contact.point, abs=1e-5)
        assert contact.depth >= 0 and np.linalg.norm(contact.normal) == pytest.approx(1)


def test_transforms_that_scale():
    manager = CollisionManager()
    manager.add_object("a", BOX, np.diag([10.0, 1, 1, 1]))
    assert manager.in_collision_single(BOX, moved(x=5))
    assert manager.min_distance_single(BOX, moved(x=8)) == pytest.approx(2.5)
    manager.set_transform("a", np.eye(4))
    assert not manager.in_collision_single(BOX, moved(x=5))
    manager.set_transform("a", np.diag([1.0, 10, 1, 1]))
    assert manager.in_collision_single(BOX, moved(y=5)) and len(manager._objs) == 1
    with pytest.raises(ValueError):
        manager.add_object("b", BOX, np.full((4, 4), np.nan))


def test_wrong_transforms_change_nothing():
    manager = CollisionManager()
    body = manager.add_object("a", BOX, moved(x=5))
    no_affine = np.diag([1.0, 1, 1, 2])
    for wrong in (np.eye(3), np.full((4, 4), np.nan), no_affine, 2.0 * np.eye(4), moved(x=1e31), "there"):
        for change in (manager.set_transform, lambda name, transform: manager.add_object(name, BIG, transform)):
            with pytest.raises(ValueError):
                change("a", wrong)
        assert (body.pose == moved(x=5)).all() and manager._objs["a"]["obj"] is body
        assert manager.min_distance_single(BOX) == 4 and len(manager._scene) == 1
    other = CollisionManager()
    other.add_object("b", BOX)
    assert other.min_distance_other(manager) == 4


def test_changed_meshes_are_seen():
    mesh = BOX.copy()
    manager = CollisionManager()
    manager.add_object("a", BOX)
    assert manager.in_collision_single(mesh)
    mesh.apply_translation([5, 0, 0])
    assert not manager.in_collision_single(mesh)


@pytest.mark.parametrize("transform", [np.eye(4), np.diag([2.0, 1, 1, 1])])
def test_meshes_that_change_once_they_are_added(transform):
    """Other transforms are of the mesh as it was."""
    mesh = BOX.copy()
    manager = CollisionManager()
    manager.add_object("a", mesh, transform)
    mesh.apply_translation([50, 0, 0])
    for pose, reach in ((moved(x=1), 1.5), (np.diag([3.0, 1, 1, 1]), 1.5), (np.eye(4), 0.5)):
        manager.set_transform("a", pose)
        assert manager.min_distance_single(BOX, moved(x=9)) == pytest.approx(8.5 - reach)


def test_scenes():
    scene = trimesh.Scene([BOX, BIG])
    manager, objects = scene_to_collision(scene)
    assert set(objects) == set(scene.graph.nodes_geometry)
    assert manager.in_collision_internal()


def test_models_of_the_stand_in_for_fcl():
    for make, solid in [(mesh_to_BVH, False), (mesh_to_convex, True)]:
        big, small = (fcl.CollisionObject(make(mesh)) for mesh in (BIG, BOX))
        assert len(big.geom.tree) == 12 and big.geom.solid == solid
        assert fcl.collide(big, small) == solid
        assert fcl.distance(big, small) == (-1 if solid else 1.5)
        torus = fcl.CollisionObject(mesh_to_BVH(TORUS))
        assert fcl.collide(big, torus) == solid
        torus.setTranslation([1.5, 0, 0])
        assert fcl.collide(big, torus) == 1
    with pytest.raises(bvtree.InvalidMesh):
        mesh_to_BVH(trimesh.Trimesh([[0, 0, 0]], [[0, 1, 2]], process=False, validate=False))


def test_the_most_contacts_of_a_pair(monkeypatch):
    manager = CollisionManager()
    manager.add_object("a", TORUS), manager.add_object("b", TORUS, moved(x=0.5)), manager.add_object("c", TORUS, moved(y=0.5))
    assert bvtree.trimesh.COLLISION_PER_PAIR_CAP == trimesh.collision.COLLISION_PER_PAIR_CAP
    _, contacts = manager.in_collision_internal(return_data=True)
    assert len(contacts) > 100
    monkeypatch.setattr(bvtree.trimesh, "COLLISION_PER_PAIR_CAP", 7)
    _, names, contacts = manager.in_collision_internal(True, True)
    assert len(names) == 3 and len(contacts) == 21
    assert len(manager.in_collision_single(TORUS, moved(x=0.2), return_data=True)[1]) == 21


def test_everything_of_trimesh_is_there():
    theirs = {name for name, thing in vars(trimesh.collision).items() if getattr(thing, "__module__", "") == "trimesh.collision"}
    assert {name for name in theirs if not name.startswith("_")} <= set(bvtree.trimesh.__all__)
    members = {name for name in vars(trimesh.collision.CollisionManager) if not name.startswith("_")}
    assert members <= set(dir(CollisionManager))


def test_random_beside_fcl(rng):
    pytest.importorskip("fcl")
    theirs = trimesh.collision.CollisionManager()
    ours = CollisionManager()
    shapes = [TORUS, BOX, trimesh.creation.icosphere(subdivisions=1), trimesh.creation.annulus(0.5, 1.0, 0.3)]
    for i, pose in enumerate(random_poses(rng, 24, 3)):
        for manager in (theirs, ours):
            manager.add_object(i, shapes[i % 4], pose)
    assert ours.in_collision_internal(True) == theirs.in_collision_internal(True)
    for pose, shape in zip(random_poses(rng, 60, 3), shapes * 15):
        assert ours.in_collision_single(shape, pose, True) == theirs.in_collision_single(shape, pose, True)
        mine, its = (manager.min_distance_single(shape, pose) for manager in (ours, theirs))
        # Theirs ends with the first pair that overlaps, and its depths of convex meshes are those of its solver.
        assert mine == pytest.approx(its, abs=1e-3) if its > 0 else mine <= 0
