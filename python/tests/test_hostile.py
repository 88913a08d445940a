"""Arguments that make no sense give exceptions."""

import re

import numpy as np
import pytest

import bvtree
from conftest import box, moved

VERTICES, FACES = box()


@pytest.mark.parametrize(
    "vertices, faces",
    [
        (VERTICES[:, :2], FACES),
        (VERTICES.ravel(), FACES),
        (VERTICES[None], FACES),
        (VERTICES, FACES[:, :2]),
        (VERTICES, FACES.ravel()),
        (VERTICES, np.column_stack([FACES, FACES[:, 0]])),
        (VERTICES, FACES - 1),
        (VERTICES, FACES + 1),
        (VERTICES, FACES.astype(np.float64)),
        (VERTICES, FACES.astype(bool)),
        (VERTICES, FACES.astype(np.uint64) + 2**63),
        (VERTICES, FACES + 2**40),
        (VERTICES, FACES.astype(object)),
        (VERTICES.astype(complex), FACES),
        (VERTICES.astype(str), FACES),
        (VERTICES.astype(object), FACES),
        (VERTICES * np.nan, FACES),
        (np.where(VERTICES == 1, np.inf, VERTICES), FACES),
        (VERTICES * 1e39, FACES),
        (VERTICES[:0], FACES),
        ([[1, 2, 3], [4, 5]], FACES),
        ("mesh", FACES),
        (None, FACES),
        (VERTICES, None),
        (VERTICES, "faces"),
        (3.0, 3),
        ({}, {}),
    ],
)
def test_no_mesh(vertices, faces):
    with pytest.raises(ValueError):
        bvtree.Mesh(vertices, faces)


def test_texts_are_the_librarys():
    with pytest.raises(bvtree.InvalidMesh, match="face 0 refers to vertex 9, but there are 8 vertices, counted from 0"):
        bvtree.Mesh(VERTICES, [[0, 1, 9]])
    with pytest.raises(bvtree.InvalidMesh, match="vertex 2 has a coordinate that is not finite"):
        bvtree.Mesh([[0, 0, 0], [1, 0, 0], [0, np.nan, 0]], [[0, 1, 2]])
    with pytest.raises(bvtree.InvalidMesh, match="beyond the range of f32"):
        bvtree.Mesh(VERTICES * 1e39, FACES)
    with pytest.raises(ValueError, match=r"faces: expected an array of shape \(M, 3\), got \(12, 2\)"):
        bvtree.Mesh(VERTICES, FACES[:, :2])
    with pytest.raises(bvtree.InvalidPose, match="pose 1: the matrix mirrors"):
        bvtree.intersects(TREE, TREE, np.stack([np.eye(4), np.diag([-1.0, 1, 1, 1])]))


TREE = bvtree.Tree((VERTICES, FACES))


@pytest.mark.parametrize(
    "pose",
    [
        np.eye(3),
        np.eye(4)[None, None],
        np.ones((4, 4)),
        2 * np.eye(4),
        np.diag([-1.0, 1, 1, 1]),
        np.eye(4) * np.nan,
        moved(x=np.inf),
        np.zeros((4, 4)),
        np.eye(4, dtype=complex),
        "pose",
        3,
        {},
        [np.eye(4), np.eye(3)],
        (np.eye(3), np.eye(3)),
        (np.eye(3), [0, 0]),
        (np.eye(2), [0, 0, 0]),
        (np.eye(3)[None], np.zeros((2, 3))),
        (np.eye(4), [0, 0, 0]),
    ],
)
def test_no_pose(pose):
    for ask in (bvtree.intersects, bvtree.distance, bvtree.intersecting_pairs, bvtree.relation, bvtree.penetration):
        with pytest.raises(ValueError):
            ask(TREE, TREE, pose)
    with pytest.raises(ValueError):
        bvtree.time_of_impact(TREE, TREE, np.eye(4), pose)
    with pytest.raises(ValueError):
        bvtree.relative_pose(np.eye(4), pose)
    with pytest.raises(ValueError):
        bvtree.Scene().add(TREE, pose)


@pytest.mark.parametrize("tree", [None, 3, "tree", VERTICES, bvtree.Mesh(VERTICES, FACES)])
def test_no_tree(tree):
    """The message names the argument and, for a mesh, says what to do."""
    advice = "bvtree.Mesh; build one with bvtree.Tree(mesh)" if isinstance(tree, bvtree.Mesh) else ""

    def message(argument):
        return pytest.raises(TypeError, match=re.escape(f"argument '{argument}' must be a bvtree.Tree, not {advice}"))

    more = {
        bvtree.contact_manifolds: {"margin": 0.1},
        bvtree.free_interval_along: {"direction": [0, 0, 1]},
        bvtree.pairs_within: {"tolerance": 1},
        bvtree.penetration_along: {"direction": [0, 0, 1]},
        bvtree.time_of_impact: {"start": np.eye(4), "end": np.eye(4)},
        bvtree.within: {"tolerance": 1},
    }
    others = [bvtree.closest_points, bvtree.contact_patches, bvtree.contacts, bvtree.count_pairs, bvtree.distance]
    others += [bvtree.intersecting_pairs, bvtree.intersection_curves, bvtree.intersects, bvtree.penetration]
    others += [bvtree.overlap_depth, bvtree.penetration_depth]
    others += [bvtree.relation, bvtree.DistanceTracker]
    for ask in [*more, *others]:
        with message("a"):
            ask(tree, TREE, **more.get(ask, {}))
        with message("b"):
            ask(TREE, tree, **more.get(ask, {}))
    scene = bvtree.Scene()
    body = scene.add(TREE)
    for ask in (bvtree.self_pairs, bvtree.metrics, scene.add, scene.bodies_near, scene.bodies_intersecting):
        with message("tree"):
            ask(tree)
    with message("tree"):
        scene.closest_body(tree)
    with message("tree"):
        scene.bodies_within(tree, 1)
    with message("tree"):
        scene.set_tree(body, tree)
    with message("trees[1]"):
        bvtree.compare([TREE, tree])


def test_no_list_of_trees():
    with pytest.raises(TypeError, match="argument 'trees' must be a list of bvtree.Tree, not bvtree.Tree"):
        bvtree.compare(TREE)
    with pytest.raises(TypeError, match="argument 'a' must be a bvtree.Tree, not bvtree.DeformingTree; pass its attribute `tree`"):
        bvtree.intersects(bvtree.DeformingTree(bvtree.Mesh(VERTICES, FACES)), TREE)


@pytest.mark.parametrize(
    "points", [[1, 2], [[1, 2]], np.zeros((2, 2, 3)), [np.nan, 0, 0], [[0, 0, 0], [0, 0, np.inf]], "point", None, [1j, 0, 0]]
)
def test_no_points(points):
    for ask in (TREE.closest_point, TREE.contains, TREE.signed_distance, TREE.winding_number):
        with pytest.raises(ValueError):
            ask(points)
    with pytest.raises(ValueError):
        TREE.closest_hit(points, [0, 0, 1])
    with pytest.raises(ValueError):
        TREE.closest_hit([0, 0, 0], points)


def test_no_rays():
    with pytest.raises(ValueError, match="length"):
        TREE.closest_hit([0, 0, 0], [0, 0, 0])
    with pytest.raises(ValueError, match="row 1 has no length"):
        TREE.any_hit([0, 0, 0], [[0, 0, 1], [0, 0, 0]])
    with pytest.raises(ValueError, match="2 origins and 3 directions"):
        TREE.any_hit(np.zeros((2, 3)), np.ones((3, 3)))
    with pytest.raises(ValueError, match="radius"):
        TREE.cast_sphere([0, 0, 0], [0, 0, 1], -1.0)
    with pytest.raises(ValueError):
        bvtree.penetration_along(TREE, TREE, [0, 0, 0])


def test_numbers_of_threads():
    for threads in (0, 10**6):
        with pytest.raises(ValueError, match="threads"):
            bvtree.relation(TREE, TREE, threads=threads)
    with pytest.raises(OverflowError):
        bvtree.intersects(TREE, TREE, threads=-1)


def test_nothing_is_within_a_tolerance_that_is_no_number():
    assert not bvtree.within(TREE, TREE, np.nan)
    assert len(bvtree.pairs_within(TREE, TREE, np.nan)) == 0
    assert bvtree.distance(TREE, TREE, moved(x=3), upper_bound=np.nan) == np.inf
    assert TREE.closest_hit([0, 0, -1], [0, 0, 1], max_time=np.nan) is None
    assert TREE.closest_point([5, 5, 5], max_distance=np.nan) is None


def test_bytes_that_are_no_tree():
    good = TREE.to_bytes()
    for bad in (b"", b"x" * 1000, good[:-1], good + b"\0", good[:100]):
        with pytest.raises(bvtree.InvalidFile):
            bvtree.Tree.from_bytes(bad)
    with pytest.raises(TypeError):
        bvtree.Tree.from_bytes("text")


class Endless:
    """Says that it is longer than any memory."""

    def __init__(self, *items):
        self.items = items

    def __len__(self):
        return 2**40

    def __getitem__(self, place):
        return self.items[place]


def test_lengths_that_are_not_true():
    scene, deforming = bvtree.Scene(), bvtree.DeformingTree((VERTICES, FACES))
    number, pose = scene.add(TREE), np.eye(4)
    endless = np.broadcast_to(np.eye(4), (2**40, 4, 4))
    for wrong in (endless, endless[:, 0, 0], Endless(1)):
        with pytest.raises((ValueError, TypeError, MemoryError)):
            bvtree.compare(wrong)
        for ask in (
            lambda: scene.set_poses(wrong, pose[None]),
            lambda: scene.impacts(wrong, pose[None]),
            lambda: deforming.refit_moved(wrong, VERTICES),
            lambda: bvtree.intersects(TREE, TREE, wrong),
            lambda: TREE.contains(wrong),
            lambda: bvtree.Mesh(wrong, FACES),
        ):
            with pytest.raises((ValueError, MemoryError)):
                ask()
    assert scene.pose(number).tolist() == pose.tolist()
    for wrong in ({"passes": 2**40}, {"approaches": 2**62}, {"passes": 0}):
        with pytest.raises(ValueError, match="passes"):
            bvtree.compare([TREE], **wrong)


def test_numbers_of_bodies_and_vertices():
    scene, deforming = bvtree.Scene(), bvtree.DeformingTree((VERTICES, FACES))
    number, pose = scene.add(TREE), moved(x=2)[None]
    for integers in ([number], (number,), np.array([number], dtype=np.uint8), np.array([number, 9], dtype=">i8")[::2]):
        scene.set_poses(integers, pose)
        assert len(scene.impacts(integers, pose)) == 0
    scene.set_poses([], np.zeros((0, 4, 4)))
    for wrong in ([-1], [0.0], ["0"], [[0]], 0, None, [True], np.array([2**64 - 1], dtype=np.uint64)):
        for ask in (scene.set_poses, scene.impacts):
            with pytest.raises(ValueError):
                ask(wrong, pose)
        with pytest.raises(ValueError):
            deforming.refit_moved(wrong, VERTICES[:1])
    for missing in (8, 2**32, 2**63 - 1):
        with pytest.raises(bvtree.Error, match="there is no vertex"):
            deforming.refit_moved([missing], VERTICES[:1])
        with pytest.raises(KeyError):
            scene.set_poses([missing], pose)


def test_errors_of_arrays_own_making():
    class Broken:
        def __array__(self, dtype=None, copy=None):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        bvtree.Mesh(Broken(), FACES)
