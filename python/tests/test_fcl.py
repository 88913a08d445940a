"""The stand-in for python-fcl, beside it where it is installed."""

import sys

import numpy as np
import pytest

import bvtree
from bvtree import fcl as ours
from conftest import box, moved, random_poses, soup

VERTICES, FACES = box()


def model(fcl, vertices=VERTICES, faces=FACES):
    made = fcl.BVHModel()
    made.beginModel(len(faces), len(vertices))
    made.addSubModel(np.asarray(vertices, dtype=np.float64), np.asarray(faces))
    made.endModel()
    return made


def at(fcl, geometry, pose):
    return fcl.CollisionObject(geometry, fcl.Transform(pose[:3, :3], pose[:3, 3]))


def test_beside_python_fcl(rng):
    theirs = pytest.importorskip("fcl")
    shapes = [soup(rng, 20), (VERTICES, FACES)]
    for pose_a, pose_b in zip(random_poses(rng, 40, 1.0), random_poses(rng, 40, 1.0)):
        found = []
        for fcl in (ours, theirs):
            a, b = (at(fcl, model(fcl, *shape), pose) for shape, pose in zip(shapes, (pose_a, pose_b)))
            distance = fcl.DistanceResult()
            least = fcl.distance(a, b, fcl.DistanceRequest(True), distance)
            contacts = fcl.CollisionResult()
            fcl.collide(a, b, fcl.CollisionRequest(10**6, True), contacts)
            pairs = {(c.b1, c.b2) for c in contacts.contacts}
            found.append((least, fcl.collide(a, b) > 0, contacts.is_collision, pairs))
            if least > 0:
                assert np.linalg.norm(np.subtract(*distance.nearest_points)) == pytest.approx(least)
        (least, hit, collides, pairs), theirs_found = found
        assert least == pytest.approx(max(theirs_found[0], 0), abs=1e-6)
        assert hit == collides == bool(pairs) and [hit, collides] == list(theirs_found[1:3])
        assert pairs == theirs_found[3]


def test_results_add_up():
    a, b, far = (at(ours, model(ours), pose) for pose in (moved(), moved(x=0.5), moved(x=9)))
    result = ours.CollisionResult()
    assert ours.collide(a, far, ours.CollisionRequest(), result) == 0 and not result.is_collision
    assert ours.collide(a, b, ours.CollisionRequest(3, True), result) == 3 and len(result.contacts) == 3
    assert ours.collide(a, b, ours.CollisionRequest(3, True), result) == 3 and len(result.contacts) == 6
    assert result.contacts[0].o1 is a.geom and result.is_collision
    result = ours.DistanceResult()
    assert result.min_distance == sys.float_info.max
    assert ours.distance(a, far, None, result) == 8 == result.min_distance
    assert ours.distance(a, b, None, result) == 0 == result.min_distance
    time = ours.continuousCollide(a, ours.Transform(), far, ours.Transform([-1.0, 0, 0]))
    assert time == pytest.approx(0.8)


def test_contacts_without_details():
    """As python-fcl's, contacts are counted and in the result whether or not the request enables them."""
    a, b = (at(ours, model(ours), pose) for pose in (moved(), moved(x=0.5)))
    result = ours.CollisionResult()
    assert ours.collide(a, b, ours.CollisionRequest(), result) == 1 == len(result.contacts)
    assert ours.collide(a, b, ours.CollisionRequest(3), result) == 3 and len(result.contacts) == 4
    for contact in result.contacts:
        assert contact.o1 is a.geom and min(contact.b1, contact.b2) >= 0 and np.isnan(contact.penetration_depth)
    inside, hollow = at(ours, convex(ours), np.eye(4)), at(ours, ours.Box(9, 9, 9), moved())
    for pair in ((a, b), (a, hollow), (hollow, b), (inside, b), (inside, hollow), (inside, inside)):
        found = [ours.CollisionResult(), ours.CollisionResult()]
        counts = [ours.collide(*pair, ours.CollisionRequest(100, bool(k)), found[k]) for k in (0, 1)]
        assert counts[0] == counts[1] == len(found[0].contacts) == len(found[1].contacts) > 0
    # As python-fcl's, the callback ends a query once there are more contacts than requested.
    data = ours.CollisionData()
    assert [ours.defaultCollisionCallback(a, b, data) for _ in range(3)] == [False, True, True]
    assert len(data.result.contacts) == 2
    made = ours.BVHModel()
    assert made.addSubModel(VERTICES, FACES) is True and made.addTriangle(*np.eye(3)) is True


def test_a_model_keeps_copies_of_its_meshes():
    made, vertices, faces = ours.BVHModel(), np.array(VERTICES, dtype=np.float64), np.array(FACES)
    made.addSubModel(vertices, faces)
    vertices += 10
    made.addSubModel(vertices, faces)
    faces[:] = 0
    made.endModel()
    assert np.unique(made.mesh.vertices, axis=0).tolist() == np.unique(np.concatenate([VERTICES, vertices]), axis=0).tolist()
    assert made.num_tries_() == 2 * len(FACES) and made.mesh.faces.max() > 0


def test_transforms(rng):
    for pose in random_poses(rng, 50):
        turn = ours.Transform(pose[:3, :3], pose[:3, 3])
        assert ours.Transform(turn.getQuatRotation(), pose[:3, 3])._pose == pytest.approx(pose)
    assert ours.Transform(ours.Transform([1, 2, 3])).getTranslation().tolist() == [1, 2, 3]
    for wrong in ([np.eye(2)], [np.eye(3), [1, 2]], [1, 2, 3]):
        with pytest.raises(ValueError):
            ours.Transform(*wrong)
    with pytest.raises(TypeError):
        ours.CollisionObject(ours.BVHModel())
    wrong = ours.BVHModel()
    wrong.addSubModel(VERTICES, FACES + 1)
    with pytest.raises(bvtree.InvalidMesh):
        wrong.endModel()


def test_managers(rng):
    geometry = model(ours)
    objects = [at(ours, geometry, pose) for pose in random_poses(rng, 12, 2)]
    manager = ours.DynamicAABBTreeCollisionManager()
    manager.registerObjects(objects[:8]), manager.setup()
    other = ours.DynamicAABBTreeCollisionManager()
    other.registerObjects(objects[8:])
    assert manager.size() == 8 and not manager.empty() and manager.getObjects() == objects[:8]

    def touching(first, second):
        return {(p, q) for p in first for q in second if p is not q and ours.collide(p, q)}

    def asked(*others):
        found = set()

        def callback(o1, o2, data):
            if ours.collide(o1, o2):
                found.add((o1, o2))
            return False

        manager.collide(*others, None, callback)
        return found

    expected = touching(objects[:8], objects[:8])
    assert asked() | {(q, p) for p, q in asked()} == expected
    assert asked(other) == touching(objects[:8], objects[8:])
    assert asked(objects[9]) == touching(objects[:8], [objects[9]])
    for others, rest in (((), objects[:8]), ((other,), objects[8:]), ((objects[9],), [objects[9]])):
        data = ours.DistanceData()
        manager.distance(*others, data, ours.defaultDistanceCallback)
        least = min(ours.distance(p, q) for p in objects[:8] for q in rest if p is not q)
        assert data.result.min_distance == pytest.approx(least)
        data = ours.CollisionData()
        manager.collide(*others, data, ours.defaultCollisionCallback)
        assert data.result.is_collision == bool(asked(*others))
    for obj in objects[:8]:
        obj.setTranslation([1000, 0, 0])
        manager.update(obj)
    assert asked(other) == set()
    manager.unregisterObject(objects[0])
    assert manager.size() == 7
    manager.clear()
    assert manager.empty()


def convex(fcl, vertices=VERTICES, faces=FACES):
    return fcl.Convex(np.asarray(vertices, dtype=np.float64), len(faces), np.insert(faces, 0, 3, axis=1).ravel())


def test_convex_ones_are_solid():
    small, big = box((1, 1, 1), (2, 2, 2)), box((0, 0, 0), (4, 4, 4))
    hollow, solid = at(ours, model(ours, *big), np.eye(4)), at(ours, convex(ours, *big), np.eye(4))
    inside = at(ours, model(ours, *small), np.eye(4))
    assert ours.collide(inside, hollow) == 0 and ours.distance(inside, hollow) == 1
    for a, b in [(inside, solid), (solid, inside)]:
        result = ours.CollisionResult()
        assert ours.collide(a, b) == 1 and ours.distance(a, b) == -1
        assert ours.distance(a, b, ours.DistanceRequest(enable_signed_distance=True)) < -1
        assert ours.collide(a, b, ours.CollisionRequest(9, True), result) == 1 == len(result.contacts)
        assert result.contacts[0].penetration_depth == pytest.approx(2)
        meeting = ours.ContinuousCollisionResult()
        assert ours.continuousCollide(a, ours.Transform(), b, ours.Transform(), None, meeting) == 0 and meeting.is_collide
    # A solid inside a hollow one is not in anything.
    assert ours.collide(at(ours, convex(ours, *small), np.eye(4)), hollow) == 0
    manager = ours.DynamicAABBTreeCollisionManager()
    manager.registerObjects([inside, solid])
    found = ours.CollisionData()
    manager.collide(found, ours.defaultCollisionCallback)
    assert found.result.is_collision


def test_depths_beside_python_fcl(rng):
    theirs = pytest.importorskip("fcl")
    pairs = list(zip(random_poses(rng, 60, 0.6), random_poses(rng, 60, 0.6)))
    told = []
    for fcl in (ours, theirs):
        request = fcl.DistanceRequest(enable_signed_distance=True)
        objects = [[at(fcl, convex(fcl), pose) for pose in pair] for pair in pairs]
        told.append([(fcl.distance(a, b, request), fcl.collide(a, b) > 0) for a, b in objects])
    collisions = 0
    for (distance, hit), (its, its_hit) in zip(*told):
        assert hit == its_hit and distance == pytest.approx(its, abs=1e-3)
        collisions += hit
    assert 10 < collisions < 50


def test_distances_of_shapes_beside_python_fcl(rng):
    """To meshes and to shapes. Where they touch, ours is -1, and theirs -1 or almost 0."""
    theirs = pytest.importorskip("fcl")
    pairs = list(zip(random_poses(rng, 60, 1.5), random_poses(rng, 60, 1.5)))
    told = []
    for fcl in (ours, theirs):
        geoms = [fcl.Box(0.5, 0.75, 1.0), fcl.Sphere(0.5), model(fcl, *box((-1, -1, -1), (1, 1, 1)))]
        told.append([[fcl.distance(at(fcl, a, p), at(fcl, b, q)) for a, b in zip(geoms, geoms[1:])] for p, q in pairs])
    distances, its = np.array(told)
    assert np.maximum(distances, 0.0) == pytest.approx(np.maximum(its, 0.0), abs=1e-3)
    assert ((distances == -1) == (its < 1e-9)).all() and 10 < (distances == -1).sum() < 110


def test_managers_of_convex_ones():
    """One inside another touches it, though a third one's surface is nearer."""
    big, small, aside = (
        at(ours, convex(ours, np.asarray(VERTICES) * size), pose) for size, pose in ((4.0, moved()), (1.0, moved()), (1.0, moved(x=3.5)))
    )
    manager = ours.DynamicAABBTreeCollisionManager()
    manager.registerObjects([big, small, aside])
    data = ours.DistanceData()
    manager.distance(data, ours.defaultDistanceCallback)
    assert data.result.min_distance == -1
    others = ours.DynamicAABBTreeCollisionManager()
    others.registerObjects([big, aside])
    data = ours.DistanceData()
    others.distance(small, data, ours.defaultDistanceCallback)
    assert data.result.min_distance == -1
    assert [ours.collide(big, small, ours.CollisionRequest(100, enable)) for enable in (False, True)] == [1, 1]


def test_convex_ones_of_polygons():
    corners = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0.5, 0.5, 1]])
    made = ours.Convex(corners, 5, [4, 0, 3, 2, 1, 3, 0, 1, 4, 3, 1, 2, 4, 3, 2, 3, 4, 3, 3, 0, 4])
    assert len(made.tree) == 6 and made.tree.is_closed
    for count, faces in [(2, [3, 0, 1, 2]), (1, [3, 0, 1]), (1, [2, 0, 1]), (1, [0]), (1, [3, 0, 1, 9]), (1, [-1, 0, 1])]:
        with pytest.raises(ValueError):
            ours.Convex(corners, count, faces)


def test_shapes():
    """By closed forms."""
    fcl = ours
    cube = model(fcl, *box((-1, -1, -1), (1, 1, 1)))
    still = fcl.CollisionObject(cube)
    shapes = [(fcl.Box(1, 2, 3), 1.5), (fcl.Sphere(0.5), 0.5), (fcl.Cylinder(0.5, 2), 1.0)]
    shapes += [(fcl.Cone(0.5, 2), 1.0), (fcl.Capsule(0.25, 1), 0.75)]
    for shape, reach in shapes:
        far, near = (fcl.CollisionObject(shape, fcl.Transform(np.array([0, 0, z]))) for z in (1.5 + reach, 0.5 + reach))
        for pair in ((still, far), (far, still)):
            assert fcl.collide(*pair) == 0
            result = fcl.DistanceResult()
            assert fcl.distance(*pair, fcl.DistanceRequest(), result) == pytest.approx(0.5)
            assert result.min_distance == pytest.approx(0.5) and result.o1 is pair[0].geom
            assert sorted(point[2] for point in result.nearest_points) == pytest.approx([1.0, 1.5])
        rows = []
        for pair in ((still, near), (near, still), (near, near)):
            assert fcl.collide(*pair) == 1 and fcl.distance(*pair) == -1.0
            signed = fcl.DistanceResult()
            assert -2 * reach - 1 < fcl.distance(*pair, fcl.DistanceRequest(True, True), signed) < -0.1
            points = signed.nearest_points
            assert np.linalg.norm(points[0] - points[1]) == pytest.approx(-signed.min_distance)
            result = fcl.CollisionResult()
            count = fcl.collide(*pair, fcl.CollisionRequest(100, True), result)
            assert 1 <= count == len(result.contacts) and result.is_collision
            for contact in result.contacts:
                assert contact.o1 is pair[0].geom and contact.penetration_depth >= 0
                assert np.linalg.norm(contact.normal) == pytest.approx(1.0)
            assert max(contact.penetration_depth for contact in result.contacts) > 0.1
            rows.append(np.array([[*contact.normal, *contact.pos, contact.b1, contact.b2] for contact in result.contacts]))
        # The other way round, the normals are turned.
        assert rows[0][:, :3] == pytest.approx(-rows[1][:, :3]) and rows[0][:, 3:6] == pytest.approx(rows[1][:, 3:6])
        assert (rows[0][:, 6] == rows[1][:, 7]).all() and (rows[0][:, 7] == -1).all() and (rows[0][:, 6] >= 0).all()
        result = fcl.ContinuousCollisionResult()
        end = fcl.Transform(np.array([0.0, 0.0, 0.5 + reach]))
        time = fcl.continuousCollide(still, fcl.Transform(), far, end, fcl.ContinuousCollisionRequest(), result)
        assert result.is_collide and time == pytest.approx(0.5, abs=1e-6)
        manager = fcl.DynamicAABBTreeCollisionManager()
        manager.registerObjects([still, far])
        manager.setup()
        data = fcl.CollisionData()
        manager.collide(data, fcl.defaultCollisionCallback)
        assert not data.result.is_collision
        data = fcl.CollisionData()
        manager.collide(near, data, fcl.defaultCollisionCallback)
        assert data.result.is_collision
        data = fcl.DistanceData()
        manager.distance(data, fcl.defaultDistanceCallback)
        assert data.result.min_distance == pytest.approx(0.5)
    with pytest.raises(TypeError):
        fcl.CollisionObject(fcl.BVHModel())
    with pytest.raises(bvtree.Error):
        fcl.Sphere(-1.0)


def test_convex_shapes_have_depths():
    """By closed forms, and a `Convex` as the box that it is."""
    fcl = ours
    vertices, faces = box((-1, -1, -1), (1, 1, 1))
    convex = fcl.Convex(vertices, len(faces), np.column_stack([np.full(len(faces), 3), faces]).ravel())
    for below in (fcl.Box(2, 2, 2), convex):
        for above, reach in ((fcl.Box(1, 1, 1), 0.5), (fcl.Sphere(0.5), 0.5), (fcl.Cylinder(0.25, 1), 0.5)):
            turn = bvtree.pose_from_axis_angle([0, 1, 0], 0.5)[:3, :3]
            o1 = fcl.CollisionObject(below, fcl.Transform(turn, np.array([3.0, 2.0, 1.0])))
            o2 = fcl.CollisionObject(above, fcl.Transform(turn, o1.getTranslation() + turn[:, 2] * (0.9 + reach)))
            for pair, sign in (((o1, o2), 1.0), ((o2, o1), -1.0)):
                result = fcl.CollisionResult()
                assert fcl.collide(*pair, fcl.CollisionRequest(9, True), result) == 1
                (contact,) = result.contacts
                assert contact.penetration_depth == pytest.approx(0.1)
                assert contact.normal == pytest.approx(sign * turn[:, 2])
                request, result = fcl.DistanceRequest(True, True), fcl.DistanceResult()
                assert fcl.distance(*pair, request, result) == pytest.approx(-0.1)
                assert np.linalg.norm(result.nearest_points[0] - result.nearest_points[1]) == pytest.approx(0.1)
                assert fcl.distance(*pair) == -1.0


def test_half_spaces():
    """Above and below a slope, by closed forms."""
    fcl = ours
    slope = fcl.CollisionObject(fcl.Halfspace(np.array([0.0, 0.0, 2.0]), 1.0), fcl.Transform(np.array([9.0, 0.0, 1.0])))
    cube = model(fcl, *box((-1, -1, -1), (1, 1, 1)))
    for geom, reach in ((cube, 1.0), (fcl.Sphere(0.5), 0.5), (fcl.Box(1, 1, 3), 1.5), (fcl.Cone(1, 2), 1.0)):
        for gap in (0.25, -0.25):
            other = fcl.CollisionObject(geom, fcl.Transform(np.array([2.0, 0.0, 1.5 + reach + gap])))
            for pair, sign in (((slope, other), 1.0), ((other, slope), -1.0)):
                result = fcl.DistanceResult()
                assert fcl.distance(*pair, fcl.DistanceRequest(True, True), result) == pytest.approx(gap)
                assert sorted(point[2] for point in result.nearest_points) == pytest.approx(sorted([1.5, 1.5 + gap]))
                assert fcl.distance(*pair) == pytest.approx(max(gap, 0.0))
                result = fcl.CollisionResult()
                assert fcl.collide(*pair, fcl.CollisionRequest(9, True), result) == int(gap < 0)
                assert fcl.collide(*pair) == int(gap < 0)
                for contact in result.contacts:
                    assert contact.penetration_depth == pytest.approx(0.25)
                    assert contact.normal == pytest.approx([0, 0, sign]) and contact.pos[2] == pytest.approx(1.375)
                with pytest.raises(TypeError):
                    fcl.continuousCollide(pair[0], fcl.Transform(), pair[1], fcl.Transform())
    with pytest.raises(TypeError):
        fcl.collide(slope, slope)
    with pytest.raises(TypeError):
        fcl.DynamicAABBTreeCollisionManager().registerObject(slope)
    for normal, offset in (([0, 0, 0], 1.0), ([0, 0, np.nan], 1.0), ([0, 1], 1.0), ([0, 0, 1], np.inf)):
        with pytest.raises(ValueError):
            fcl.Halfspace(np.array(normal), offset)
