"""Cooking, sweeps and clash in this process, on two workers, and with one of them killed."""

import json
import os
import pathlib
import signal

import numpy as np
import pytest

pytest.importorskip("fsspec")

import bvtree
import bvtree.cluster
from conftest import DATA, box, moved, random_poses

MESHES = sorted(DATA.glob("*.obj"))


@pytest.fixture(scope="module")
def client():
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        with distributed.Client(cluster) as client:
            yield client


def files(folder):
    """Everything in a folder, by name."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in pathlib.Path(folder).rglob("*") if path.is_file()}


def killer(client):
    """Kills a worker of each run when the first task is done."""
    killed = []

    def progress(done, of):
        if done == 1:
            killed.append(next(iter(client.run(os.getpid).values())))
            os.kill(killed[-1], signal.SIGKILL)

    return progress, killed


def works(folder, client=None, progress=None):
    """All three, into folders of one."""
    with_client = {"client": client, "progress": progress}
    rows = bvtree.cluster.cook(MESHES, f"{folder}/cooked", block=2, **with_client)
    trees = [f"{folder}/cooked/{row['output']}" for row in rows]
    poses = random_poses(np.random.default_rng(3), 400, 20)
    parts = bvtree.cluster.sweep(
        bvtree.Tree.open(trees[0]), bvtree.Tree.open(trees[-1]), poses, f"{folder}/sweep", question="distance", block=25, **with_client
    )
    cube = bvtree.Tree(box())
    bodies = [{"name": f"body-{i}", "tree": cube, "pose": pose} for i, pose in enumerate(random_poses(np.random.default_rng(4), 60, 2))]
    found = bvtree.cluster.clash(bodies, f"{folder}/clash", clearance=0.1, block=20, **with_client)
    return rows, parts, found


def test_here(tmp_path):
    rows, parts, found = works(tmp_path)
    for row, path in zip(rows, MESHES):
        tree = bvtree.Tree(bvtree.Mesh.read(path))
        assert (tmp_path / "cooked" / row["output"]).read_bytes() == tree.to_bytes()
        assert row["triangles"] == len(tree)
    lines = [json.loads(line) for name in parts for line in (tmp_path / "sweep" / name).read_text().splitlines()]
    assert [line["pose"] for line in lines] == list(range(400))
    a, b = (bvtree.Tree(bvtree.Mesh.read(MESHES[i])) for i in (0, -1))
    expected = bvtree.distance(a, b, random_poses(np.random.default_rng(3), 400, 20))
    assert [line["distance"] for line in lines] == expected.tolist()
    scene, cube = bvtree.Scene(), bvtree.Tree(box())
    for pose in random_poses(np.random.default_rng(4), 60, 2):
        scene.add(cube, pose)
    table = scene.clash(clearance=0.1)
    assert [(row["a"], row["b"]) for row in found] == [(f"body-{a}", f"body-{b}") for a, b in zip(table["a"], table["b"])]
    for column in ("relation", "pairs", "distance"):
        assert [row[column] for row in found] == table[column].tolist()
    # Again does nothing.
    times = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.*") if path.suffix in (".bvt", ".jsonl")}
    assert works(tmp_path) == (rows, parts, found)
    lists = {"cooked.jsonl", "clash.jsonl"}
    assert all(path.stat().st_mtime_ns == time for path, time in times.items() if path.name not in lists)


def test_on_workers_of_which_one_is_killed(tmp_path, client):
    alone, shared = tmp_path / "alone", tmp_path / "shared"
    expected = works(alone)
    progress, killed = killer(client)
    rows, parts, found = works(shared, client, progress)
    assert len(set(killed)) == 3
    assert (parts, found) == expected[1:]
    assert rows == expected[0]
    assert files(shared) == files(alone)
    assert works(shared, client) == (rows, parts, found)


def test_broken_off_runs_go_on(tmp_path):
    class Stop(Exception):
        pass

    def stop(done, of):
        if done == 2:
            raise Stop

    poses = np.stack([moved(x=x) for x in np.linspace(0, 3, 100)])
    cube = bvtree.Tree(box())
    with pytest.raises(Stop):
        bvtree.cluster.sweep(cube, cube, poses, tmp_path, block=10, progress=stop)
    first = files(tmp_path)
    assert sum(name.startswith("part-") for name in first) == 2
    np.save(tmp_path / "poses.npy", poses)
    names = bvtree.cluster.sweep(cube, cube, tmp_path / "poses.npy", tmp_path, block=10)
    assert len(names) == 10 and first.items() <= files(tmp_path).items()


def test_parquet_and_questions(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    cube, poses = bvtree.Tree(box()), np.stack([moved(x=x) for x in np.linspace(0, 3, 20)])
    for question in ("intersects", "count_pairs", "distance", "relation", "closest"):
        names = bvtree.cluster.sweep(cube, cube, poses, tmp_path / question, question=question, format="parquet", block=7)
        tables = [parquet.read_table(tmp_path / question / name) for name in names]
        assert sum(len(table) for table in tables) == 20
        assert tables[1]["pose"][0].as_py() == 7
    assert "on_a" in tables[0].column_names


def test_what_is_no_mesh_is_told(tmp_path):
    (tmp_path / "good.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    (tmp_path / "bad.obj").write_text("v 0 0\n")
    rows = bvtree.cluster.cook([tmp_path / "good.obj", tmp_path / "bad.obj"], tmp_path / "out")
    assert rows[0]["triangles"] == 1 and "line 1" in rows[1]["error"]
    with pytest.raises(ValueError, match="several meshes"):
        bvtree.cluster.cook([tmp_path / "good.obj", tmp_path / "out" / "good.obj"], tmp_path / "out")
    cube = bvtree.Tree(box())
    for wrong in ({"question": "what"}, {"format": "xml"}, {"block": 0}, {"poses": np.eye(4)}):
        with pytest.raises(ValueError):
            bvtree.cluster.sweep(cube, cube, **{"poses": np.eye(4)[None], "out": tmp_path, **wrong})


def test_other_stores():
    """Of fsspec's, one in memory."""
    cube = bvtree.Tree(box())
    names = bvtree.cluster.sweep(cube, cube, np.eye(4)[None], "memory://bvtree-sweep")
    assert len(names) == 1
    rows = bvtree.cluster.clash([{"name": "a", "tree": cube}, {"name": "b", "tree": cube}], "memory://bvtree-clash")
    assert rows == [{"a": "a", "b": "b", "relation": "coincident", "pairs": rows[0]["pairs"], "distance": 0.0}]
