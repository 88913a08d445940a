"""Meshes and brute force for all tests."""

import os
import pathlib

import numpy as np
import pytest

import bvtree

DATA = pathlib.Path(__file__).parents[2] / "data"
DATASET = pathlib.Path(os.environ.get("BVTREE_DATASET", DATA.parent / ".." / "shared" / "dataset"))


def _must_not_skip(report):
    """Fails what was skipped, if `$BVTREE_MAY_SKIP` is set, as CI sets it, and none of its names between commas is in the reason."""
    names = os.environ.get("BVTREE_MAY_SKIP")
    if names is None or not report.skipped or hasattr(report, "wasxfail"):
        return
    reason = str(report.longrepr[2])
    if not any(name in reason for name in filter(None, names.split(","))):
        report.outcome, report.longrepr = "failed", f"{reason}; this must run, for BVTREE_MAY_SKIP is {names!r}"


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector):
    report = yield
    _must_not_skip(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    _must_not_skip(report)
    return report


@pytest.fixture
def rng():
    return np.random.default_rng(7)


@pytest.fixture(scope="session")
def data():
    return DATA


@pytest.fixture(scope="session")
def gear():
    return bvtree.Tree(bvtree.Mesh.open(DATA / "gear.obj"))


@pytest.fixture(scope="session")
def sword():
    return bvtree.Tree(bvtree.Mesh.open(DATA / "sword.obj"))


@pytest.fixture(scope="session")
def dataset():
    if not DATASET.is_dir():
        pytest.skip("no dataset")
    return DATASET


@pytest.fixture
def client():
    """Of a cluster of two workers, which tests may kill: of one that lost several, some were not started anew."""
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        with distributed.Client(cluster) as client:
            yield client


def box(lower=(0, 0, 0), upper=(1, 1, 1)):
    """A closed box of twelve triangles, normals outward."""
    corners = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], dtype=np.float64)
    faces = np.array(
        [[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1]]
        + [[2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3]]
    )
    return np.asarray(lower) + corners * (np.asarray(upper, dtype=float) - lower), faces


def soup(rng, count):
    """Triangles all over the unit cube."""
    corners = rng.random((count, 1, 3)) + 0.3 * rng.random((count, 3, 3))
    return corners.reshape(-1, 3).astype(np.float32), np.arange(3 * count).reshape(-1, 3)


def moved(x=0.0, y=0.0, z=0.0):
    pose = np.eye(4)
    pose[:3, 3] = x, y, z
    return pose


def random_poses(rng, count, spread=1.0):
    """Rotations by unit quaternions, and translations."""
    q = rng.normal(size=(count, 4))
    w, x, y, z = (q / np.linalg.norm(q, axis=1, keepdims=True)).T
    poses = np.zeros((count, 4, 4))
    poses[:, 0, :3] = np.stack([1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)], axis=1)
    poses[:, 1, :3] = np.stack([2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)], axis=1)
    poses[:, 2, :3] = np.stack([2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)], axis=1)
    poses[:, :3, 3] = spread * rng.normal(size=(count, 3))
    poses[:, 3, 3] = 1
    return poses


def triangle_pairs(a, b):
    """Trees of single triangles, each pair of which is asked about by itself: nothing is there for a volume to miss."""
    trees = [[bvtree.Tree((corners, [[0, 1, 2]])) for corners in mesh.vertices[mesh.faces]] for mesh in (a, b)]
    return trees
