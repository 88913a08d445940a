"""Volumes of one's own have the figures of the library's where they are the same, and sets of poses are those of the other interfaces."""

import pathlib
import re
import subprocess
import sys

import numpy as np
import pytest

import bvtree
from conftest import box, soup


def corners_of_box(points):
    lower, upper = points.min(axis=0), points.max(axis=0)
    return np.array([[x, y, z] for x in (lower[0], upper[0]) for y in (lower[1], upper[1]) for z in (lower[2], upper[2])])


def capsule(points):
    """Around the longest middle line of the points' box."""
    lower, upper = points.min(axis=0), points.max(axis=0)
    middle, axis = (lower + upper) / 2, np.argmax(upper - lower)
    ends = np.stack([middle, middle])
    ends[:, axis] = lower[axis], upper[axis]
    way = ends[1] - ends[0]
    along = np.clip((points - ends[0]) @ way / max(way @ way, 1e-300), 0, 1)
    radius = np.linalg.norm(points - ends[0] - along[:, None] * way, axis=1).max()
    return bvtree.ConvexShape(ends).rounded(radius * (1 + 1e-12))


def test_boxes_have_the_figures_of_the_library_s_boxes(rng):
    for mesh in [box(upper=(3, 2, 1)), soup(rng, 60)]:
        tree = bvtree.Tree(mesh, "aabb")
        ours, theirs = bvtree.volume_metrics(tree, corners_of_box), bvtree.metrics(tree)
        assert list(ours) == list(theirs)
        for name in ["volume_ratio", "mesh_volume_ratio", "area_ratio", "sah_cost", "sibling_overlap"]:
            # Stored boxes are rounded to f32, outward.
            np.testing.assert_allclose(ours[name], theirs[name], rtol=2e-5, atol=2e-5, err_msg=name)
        np.testing.assert_array_equal(ours["volumes"], theirs["volumes"])
        for name in ["hausdorff_max", "hausdorff_mean"]:
            assert np.all(ours[name + "_lower"] <= theirs[name] + 1e-5) and np.all(theirs[name + "_lower"] <= ours[name] + 1e-5)
        for name in ["epo", "lcv", "line_tests"]:
            error = np.hypot(ours[name + "_standard_error"], theirs[name + "_standard_error"])
            assert np.all(np.abs(ours[name] - theirs[name]) <= 5 * error + 2e-3 * theirs[name]), name


def test_boxes_cost_what_the_library_s_boxes_cost():
    """Of integer coordinates, so that stored boxes are exact but for their margin."""
    tree = bvtree.Tree(box(upper=(4, 4, 4)), "aabb", max_leaf_triangles=1)
    poses = np.tile(np.eye(4), (4, 1, 1))
    poses[:, :3, 3] = [[0.5, 0.25, 1], [3.5, 0.5, 1.5], [9, 0, 0], [2.5, 2.5, 2.5]]
    ours = bvtree.volume_query_cost(tree, tree, poses, corners_of_box)
    stored = bvtree.volume_query_cost(tree, tree, poses)
    for name in ["hit", "volume_tests", "triangle_tests"]:
        np.testing.assert_array_equal(ours[name], stored[name])
    np.testing.assert_array_equal(ours["hit"], bvtree.intersects(tree, tree, poses))
    assert ours["volume_tests"][2] == 1 and ours["triangle_tests"][2] == 0 and ours["volume_tests"][0] > 10


def test_hulls_are_the_tightest(gear):
    poses = bvtree.PoseSet.sample(gear, gear, approaches=2).poses
    hull, capsules, stored = (bvtree.volume_query_cost(gear, gear, poses, fit) for fit in (lambda points: points, capsule, None))
    for other in (capsules, stored):
        assert np.all(hull["triangle_tests"] <= other["triangle_tests"]) and hull["volume_tests"].sum() < other["volume_tests"].sum()
    assert np.all(hull["triangle_tests"] >= bvtree.count_pairs(gear, gear, poses))


def test_capsules_have_the_figures_of_their_formulas():
    corners, faces = box(upper=(6, 2, 1))
    tree = bvtree.Tree((corners, faces), "aabb")
    table = bvtree.volume_metrics(tree, capsule)
    radius, length = np.hypot(1, 0.5), 6
    volume = np.pi * radius**2 * (length + 4 / 3 * radius)
    area = 2 * np.pi * radius * (length + 2 * radius)
    np.testing.assert_allclose(table["mesh_volume_ratio"][0], volume / 12)
    np.testing.assert_allclose(table["area_ratio"][0], area / 40)
    assert np.isnan(table["hausdorff_max"][0]) and np.isnan(table["sibling_overlap"][-1])
    outside = table["outside_ratio"][0] - (volume / 12 - 1)
    assert abs(outside) <= 5 * table["outside_standard_error"][0]
    again = bvtree.volume_metrics(tree, capsule, threads=1)
    finer = bvtree.volume_metrics(tree, capsule, samples=1 << 16)
    np.testing.assert_allclose(finer["lcv_standard_error"][-1] / table["lcv_standard_error"][-1], 0.5, rtol=0.1)
    other = bvtree.volume_metrics(tree, capsule, seed=1)
    np.testing.assert_array_equal(table["epo"], again["epo"])
    assert np.any(table["lcv"] != other["lcv"])


class OwnSphere:
    """Around the middle of the points' box, by formulas and not by a `ConvexShape`."""

    def __init__(self, points):
        self.center = (points.min(axis=0) + points.max(axis=0)) / 2
        self.radius = np.linalg.norm(points - self.center, axis=1).max()
        self.volume, self.surface_area = 4 / 3 * np.pi * self.radius**3, 4 * np.pi * self.radius**2
        self.aabb = np.array([self.center - self.radius, self.center + self.radius])

    def contains(self, point):
        return np.linalg.norm(point - self.center) <= self.radius

    def meets_line(self, point, direction):
        return np.linalg.norm(np.cross(point - self.center, direction)) <= self.radius

    def intersection_volume(self, other):
        big, small = sorted([self.radius, other.radius], reverse=True)
        apart = np.linalg.norm(self.center - other.center)
        if apart <= big - small:
            return 4 / 3 * np.pi * small**3
        lens = np.pi * (big + small - apart) ** 2 * (apart**2 + 2 * apart * (big + small) - 3 * (big - small) ** 2) / (12 * max(apart, 1e-300))
        return lens if apart < big + small else 0.0


class Cube(OwnSphere):
    """The cube around the sphere: a polytope by its tetrahedra."""

    def __init__(self, points):
        super().__init__(points)
        self.volume, self.surface_area = 8 * self.radius**3, 24 * self.radius**2
        signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
        self.corners = self.center + self.radius * signs
        # One along each path over the edges from the first corner to the last.
        self.tetrahedra = self.corners[[[0, p, p + q, 7] for p in (1, 2, 4) for q in (1, 2, 4) if p != q]]

    def contains(self, point):
        return np.abs(point - self.center).max() <= self.radius

    def meets_line(self, point, direction):
        with np.errstate(divide="ignore", invalid="ignore"):
            ends = (self.aabb - point) / direction
        return np.nanmax(ends.min(axis=0)) <= np.nanmin(ends.max(axis=0))

    intersection_volume = None


def test_objects_of_one_s_own_have_the_figures_of_the_same_shapes():
    tree = bvtree.Tree(box(upper=(3, 2, 1)), "aabb")

    def as_shape(points):
        own = OwnSphere(points)
        return bvtree.ConvexShape([own.center]).rounded(own.radius)

    few = {"samples": 128, "threads": 1}
    ours, theirs = bvtree.volume_metrics(tree, OwnSphere, **few), bvtree.volume_metrics(tree, as_shape, **few)
    for name in ["volumes", "volume_ratio", "mesh_volume_ratio", "area_ratio", "sah_cost"]:
        np.testing.assert_allclose(ours[name], theirs[name], rtol=1e-12, err_msg=name)
    for name in ["outside_ratio", "epo", "lcv", "line_tests"]:
        np.testing.assert_allclose(ours[name], theirs[name], rtol=1e-6, atol=1e-9, err_msg=name)
    assert np.all(np.isfinite(ours["sibling_overlap"][1:])) and np.isnan(ours["hausdorff_max"][0])
    cubes, corners = bvtree.volume_metrics(tree, Cube, **few), bvtree.volume_metrics(tree, lambda points: Cube(points).corners, **few)
    for name in ["hausdorff_max", "hausdorff_mean", "volume_ratio"]:
        np.testing.assert_allclose(cubes[name], corners[name], atol=2e-3, err_msg=name)
    for fit in (Cube, lambda points: Cube(points).corners):
        tests = bvtree.volume_query_cost(tree, tree, np.eye(4), fit)["volume_tests"]
        assert tests == bvtree.volume_query_cost(tree, tree, np.eye(4), Cube)["volume_tests"] and tests > 1
    with pytest.raises(ValueError, match="neither a shape nor"):
        bvtree.volume_query_cost(tree, tree, np.eye(4), OwnSphere)


@pytest.mark.parametrize(
    "attributes, error, message",
    [
        ({"volume": -1.0}, ValueError, "volume: -1 is not"),
        ({"aabb": [0, 0, 0]}, ValueError, "aabb: expected"),
        ({"tetrahedra": np.zeros((2, 3))}, ValueError, "tetrahedra: expected"),
        ({"shape": "round"}, TypeError, "ConvexShape"),
        ({"surface_area": None}, TypeError, "real number"),
        ({"contains": lambda point: {}["mine"]}, KeyError, "mine"),
        ({"meets_line": lambda point, direction: {}["mine"]}, KeyError, "mine"),
    ],
)
def test_what_is_wrong_with_an_object_is_told(attributes, error, message):
    def fit(points):
        own = OwnSphere(points)
        vars(own).update(attributes)
        return own

    with pytest.raises(error, match=message):
        bvtree.volume_metrics(bvtree.Tree(box(upper=(3, 2, 1)), "aabb"), fit, samples=16)


def test_the_example_runs():
    folder = pathlib.Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "examples/own_volume.py"], cwd=folder, stdout=subprocess.PIPE, text=True, check=True)
    assert re.search(r"ellipsoids: volume / hull \d.*\nboxes: .*\nvolume tests .* 100 poses: \[", done.stdout)


def test_fit_is_called_in_the_order_of_the_nodes(rng):
    tree = bvtree.Tree(soup(rng, 200))
    nodes, mesh = tree.nodes(), tree.to_mesh()
    seen = []
    bvtree.volume_query_cost(tree, tree, fit=lambda points: seen.append(points) or points)
    assert len(seen) == len(nodes)
    for node, points in zip(nodes, seen):
        faces = tree.leaf_order[node["first_triangle"] :][: node["triangles"]]
        np.testing.assert_array_equal(points, mesh.vertices[mesh.faces[faces]].reshape(-1, 3))


def test_what_fit_raises_or_returns_is_told(gear):
    def broken(points):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        bvtree.volume_metrics(gear, broken)
    with pytest.raises(ValueError, match="points"):
        bvtree.volume_metrics(gear, lambda points: "a sphere")
    with pytest.raises(ValueError):
        bvtree.volume_query_cost(gear, gear, fit=lambda points: np.zeros((0, 3)))
    with pytest.raises(TypeError, match="tree"):
        bvtree.volume_metrics(3, capsule)


def test_an_empty_mesh_has_no_volumes():
    tree = bvtree.Tree((np.zeros((0, 3)), np.zeros((0, 3), int)))
    assert len(bvtree.PoseSet.sample(tree, tree)) == 0
    cost = bvtree.volume_query_cost(tree, tree, fit=capsule)
    assert cost["volume_tests"].tolist() == [0] and bvtree.volume_metrics(tree, capsule)["level"].tolist() == [-1]


def test_pose_sets_are_those_of_compare(gear):
    """Which draws its own, and counts the poses that touch."""
    table = bvtree.compare([gear], approaches=3, passes=1)
    poses = bvtree.PoseSet.sample(gear, gear, approaches=3)
    assert len(poses) == table["queries"][0] == 12
    assert bvtree.intersects(gear, gear, poses.poses).sum() == table["hits"][0] == 3
    other = bvtree.Tree(gear.to_mesh(), "sphere")
    assert bvtree.PoseSet.sample(other, other, approaches=3) == poses
    assert bvtree.PoseSet.sample(gear, gear, approaches=3, seed=1) != poses and poses != 3
    with pytest.raises(ValueError, match="separations"):
        bvtree.PoseSet.sample(gear, gear, separations=[np.nan])


def test_pose_sets_are_read_as_they_were_written(gear, tmp_path):
    poses = bvtree.PoseSet.sample(gear, gear, approaches=3)
    path = tmp_path / "poses.csv"
    poses.save(path)
    assert bvtree.PoseSet.open(path) == poses
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert bvtree.PoseSet.open(path) == poses
    gear.save(tmp_path / "gear.bvt")
    command = [sys.executable, "-m", "bvtree", "query", "gear.bvt", "gear.bvt", "--poses", "poses.csv", "--mode", "hit"]
    done = subprocess.run(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    rows = [row.split(",")[:3] for row in done.stdout.splitlines()[1:]]
    assert rows == [[str(row), label, str(int(hit))] for row, label, hit in zip(range(12), poses.labels, bvtree.intersects(gear, gear, poses.poses))]
    named = bvtree.PoseSet(np.stack([np.eye(4)] * 2), ['a, "b"', "c"])
    named.save(path)
    assert bvtree.PoseSet.open(path) == named and bvtree.PoseSet(np.eye(4)).labels == [""]
    for label in ("two\nlines", "two\r"):
        with pytest.raises(ValueError, match="has a line break"):
            bvtree.PoseSet(np.eye(4), [label]).save(path)
    assert bvtree.PoseSet.open(path) == named
    bvtree.PoseSet(np.zeros((0, 4, 4))).save(path)
    assert len(bvtree.PoseSet.open(path)) == 0


@pytest.mark.parametrize(
    "text, error, message",
    [
        ("a,b,c\n", bvtree.InvalidFile, "line 1: 3 fields; expected 15"),
        ("# names\n\n,,," + ",".join(["1"] * 11) + ",x\n", bvtree.InvalidFile, "line 3: could not convert"),
        (",,," + ",".join(["2"] * 12) + "\n", bvtree.InvalidPose, "pose 0"),
    ],
)
def test_rows_that_are_no_poses_are_errors(text, error, message, tmp_path):
    (tmp_path / "poses.csv").write_text(text)
    with pytest.raises(error, match=message):
        bvtree.PoseSet.open(tmp_path / "poses.csv")
    with pytest.raises(ValueError, match="1 labels for 2 poses"):
        bvtree.PoseSet(np.stack([np.eye(4)] * 2), ["a"])
