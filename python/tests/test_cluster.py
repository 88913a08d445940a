"""Cooking, sweeps and clash in this process, on two workers, and with one of them killed."""

import json
import os
import pathlib
import signal
import struct
import subprocess
import sys
import time
import zipfile

import numpy as np
import pytest

fsspec = pytest.importorskip("fsspec")

import bvtree
import bvtree.cluster
from conftest import DATA, box, moved, random_poses

MESHES = sorted(DATA.glob("*.obj"))


def files(folder):
    """Everything in a folder, by name; but not what a killed worker had begun to write."""
    paths = (path for path in pathlib.Path(folder).rglob("*") if path.is_file() and path.parent.name != "_parts")
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths}


def killer(client):
    """Kills a worker of each run when the first task is done and another is alive."""
    killed = []

    def progress(done, of):
        if done != 1:
            return
        # Dask starts a worker anew in place of each, which takes its time; the scheduler may still count one that is dead.
        for _ in range(300):
            alive = [pid for pid in client.run(os.getpid, on_error="ignore").values() if pid not in killed]
            if len(alive) > 1:
                killed.append(alive[0])
                os.kill(alive[0], signal.SIGKILL)
                return
            time.sleep(0.1)

    return progress, killed


def works(folder, client=None, progress=None):
    """All three, into folders of one."""
    with_client = {"client": client, "progress": progress}
    rows = bvtree.cluster.cook(MESHES, f"{folder}/cooked", block=2, **with_client)
    trees = [f"{folder}/cooked/{row['output']}" for row in rows]
    poses = random_poses(np.random.default_rng(3), 400, 20)
    in_memory = [bvtree.Tree.from_bytes(fsspec.open(trees[i]).open().read()) for i in (0, -1)]
    parts = bvtree.cluster.sweep(*in_memory, poses, f"{folder}/sweep", question="distance", block=25, **with_client)
    cube = bvtree.Tree(box())
    bodies = [{"name": f"body-{i}", "tree": cube, "pose": pose} for i, pose in enumerate(random_poses(np.random.default_rng(4), 60, 2))]
    found = bvtree.cluster.clash(bodies, f"{folder}/clash", clearance=0.1, block=20, **with_client)
    return rows, parts, found


def test_here(tmp_path):
    rows, parts, found = works(tmp_path)
    for row, path in zip(rows, MESHES):
        tree = bvtree.Tree(bvtree.Mesh.open(path))
        assert (tmp_path / "cooked" / row["output"]).read_bytes() == tree.to_bytes()
        assert row["triangles"] == len(tree)
    lines = [json.loads(line) for name in parts for line in (tmp_path / "sweep" / name).read_text().splitlines()]
    assert [line["pose"] for line in lines] == list(range(400))
    a, b = (bvtree.Tree(bvtree.Mesh.open(MESHES[i])) for i in (0, -1))
    expected = bvtree.distance(a, b, random_poses(np.random.default_rng(3), 400, 20))
    assert [line["distance"] for line in lines] == expected.tolist()
    scene, cube = bvtree.Scene(), bvtree.Tree(box())
    for pose in random_poses(np.random.default_rng(4), 60, 2):
        scene.add(cube, pose)
    table = scene.clash(clearance=0.1, properties={i: {"body": f"body-{i}"} for i in range(60)})
    assert [(row["a"], row["b"]) for row in found] == [(f"body-{a}", f"body-{b}") for a, b in zip(table["a"], table["b"])]
    for column in ("relation", "pairs", "distance", "class", "x", "issue"):
        assert [row[column] for row in found] == table[column].tolist()
    # Again does nothing.
    times = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.*") if path.suffix in (".bvt", ".jsonl")}
    assert works(tmp_path) == (rows, parts, found)
    assert all(path.stat().st_mtime_ns == time for path, time in times.items())


def test_on_workers_of_which_one_is_killed(tmp_path, client):
    alone, shared = tmp_path / "alone", tmp_path / "shared"
    expected = works(alone)
    progress, killed = killer(client)
    rows, parts, found = works(shared, client, progress)
    assert len(killed) > 0
    assert (parts, found) == expected[1:]
    assert rows == expected[0]
    assert files(shared) == files(alone)
    assert works(shared, client) == (rows, parts, found)


def large(path, rows):
    """An STL file of a sheet, for which the least memory gives several tiles; returns that memory."""
    corners = np.stack(np.meshgrid(range(rows + 1), range(rows + 1), indexing="ij"), axis=-1)
    corners = np.dstack([corners, np.random.default_rng(7).random((rows + 1, rows + 1))]).astype("<f4")
    square = [corners[:-1, :-1], corners[1:, :-1], corners[:-1, 1:], corners[1:, 1:]]
    triangles = np.concatenate([np.stack(three, axis=2).reshape(-1, 3, 3) for three in (square[:3], square[:0:-1])])
    facets = np.zeros(len(triangles), dtype=[("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("pad", "<u2")])
    facets["corners"] = triangles
    path.write_bytes(bytes(80) + np.uint32(len(facets)).tobytes() + facets.tobytes())
    return 24 * (rows + 1) ** 2 + 128 * 1024


def test_meshes_larger_than_memory(tmp_path, client):
    memory = large(tmp_path / "sheet.stl", 70)
    program = [sys.executable, "-m", "bvtree", "cook", "sheet.stl", "--memory", str(memory), "--kind", "sphere", "--preset", "fast"]
    subprocess.run([*program, "-o", "program", "--quiet"], cwd=tmp_path, check=True)
    expected = (tmp_path / "program/sheet.sphere.bvt").read_bytes()

    class Stop(Exception):
        pass

    def stop(done, of):
        assert of > 5
        if done == 3:
            raise Stop

    rules = {"kind": "sphere", "preset": "fast", "memory": memory}
    paths = [tmp_path / "sheet.stl"]
    # Broken off, and taken up again with workers, of which one is killed.
    with pytest.raises(Stop):
        bvtree.cluster.cook(paths, tmp_path / "here", progress=stop, **rules)
    built = {name for name in files(tmp_path / "here") if name.endswith(".bvt")}
    assert len(built) == 3 and all(name.startswith("_tiles") for name in built)
    progress, killed = killer(client)
    for out in ("here", "there"):
        (row,) = bvtree.cluster.cook(paths, tmp_path / out, client=client, progress=progress, **rules)
        tree = bvtree.Tree.open(tmp_path / out / "sheet.sphere.bvt")
        assert (row["triangles"], row["nodes"], row["bytes"]) == (9800, tree.node_count, len(expected))
        assert (tmp_path / out / row["output"]).read_bytes() == expected
        assert bvtree.cluster.cook(paths, tmp_path / out, **rules) == [row]
    assert len(killed) > 0
    assert files(tmp_path / "here") == files(tmp_path / "there")
    assert sorted(name.split("/")[0] for name in files(tmp_path / "here")) == ["_done", "cooked.jsonl", "sheet.sphere.bvt"]
    # In memory, it is another tree.
    (row,) = bvtree.cluster.cook(paths, tmp_path / "here", kind="sphere", preset="fast")
    assert (tmp_path / "here" / row["output"]).read_bytes() != expected
    for name, memory, error in (("sheet.stl", 9, "memory"), ("gear.obj", 10**9, "convert the mesh to STL or PLY")):
        path = tmp_path / name if name == "sheet.stl" else DATA / name
        (row,) = bvtree.cluster.cook([path], tmp_path / "none", memory=memory)
        assert error in row["error"]


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
    for question in ("intersects", "count_pairs", "distance", "relation", "closest_points"):
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
    bodies = [{"name": i, "tree": cube, "pose": None} for i in range(2)]
    for wrong in ({"clearance": -1.0}, {"clearance": np.nan}, {"clearance": np.inf}, {"block": 0}, {"block": -1}):
        with pytest.raises(ValueError, match="expected"):
            bvtree.cluster.clash(bodies, tmp_path, **wrong)
    for wrong in ({"question": "what"}, {"format": "xml"}, {"block": 0}, {"poses": np.eye(4)}):
        with pytest.raises(ValueError):
            bvtree.cluster.sweep(cube, cube, **{"poses": np.eye(4)[None], "out": tmp_path, **wrong})


def test_trees_that_changed_are_asked_anew(tmp_path):
    path, pose = tmp_path / "tree.bvt", moved(x=1.5)[None]
    answers = []
    for size in (1, 2):
        bvtree.Tree(box(upper=(size, 1, 1))).save(path)
        (name,) = bvtree.cluster.sweep(path, path, pose, tmp_path / "out", question="distance")
        answers.append(json.loads((tmp_path / "out" / name).read_text())["distance"])
    assert answers == [0.5, 0.0]
    with pytest.raises(ValueError, match="has changed"):
        bvtree.cluster._trees.opened(str(path), "0" * 64)


def test_meshes_that_change_back_are_cooked_again(tmp_path):
    path, out = tmp_path / "m.obj", tmp_path / "out"
    rows = []
    for x in (1, 2, 1):
        path.write_text(f"v 0 0 0\nv {x} 0 0\nv 0 1 0\nf 1 2 3\n")
        rows += bvtree.cluster.cook([path], out)
        assert bvtree.Tree.open(out / "m.obb.bvt").bounds[1, 0] == x
    assert rows[0] == rows[2] != rows[1]
    assert sorted(files(out)) == ["_done/m.obb.bvt.json", "cooked.jsonl", "m.obb.bvt"]


def test_rules_of_one_name_make_issues_apart(tmp_path):
    cube = bvtree.Tree(box())
    # The same parts meet in the same way in two places.
    places = [("wall", "x", 0.0), ("pipe", "x", 0.9), ("wall", "y", 100.0), ("pipe", "y", 100.9)]
    about = [{"class": kind, "file": file, "body": f"{kind} {file}"} for kind, file, _ in places]
    of_x, others = {"between": ["x", "*"]}, {"between": ["*", "*"]}
    for listed in ([{**of_x, "name": "overlap"}, {**others, "name": "overlap"}], [of_x, {**others, "name": ""}], [others]):
        rules = {"groups": {"x": {"file": ["x"]}}, "rules": listed}
        scene = bvtree.Scene()
        numbers = [scene.add(cube, moved(x=x)) for _, _, x in places]
        table = scene.clash(rules=rules, properties=dict(zip(numbers, about)))
        bodies = [{"name": known["body"], "tree": cube, "pose": moved(x=x), "properties": known} for known, (_, _, x) in zip(about, places)]
        found = bvtree.cluster.clash(bodies, tmp_path / "out", rules=rules)
        for column in ("rule", "issue"):
            assert [row[column] for row in found] == table[column].tolist()
        assert len(set(table["issue"].tolist())) == len(listed) and len(found) == 2


def test_what_a_gltf_names_belongs_to_it(tmp_path):
    corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], dtype="<f4")
    gltf = {
        "asset": {"version": "2.0"},
        "buffers": [{"uri": "corners%20here.bin", "byteLength": 36}],
        "bufferViews": [{"buffer": 0, "byteLength": 36}],
        "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3", "min": [0, 0, 0], "max": [2, 2, 0]}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
        "nodes": [{"mesh": 0}],
        "scenes": [{"nodes": [0]}],
        "scene": 0,
    }
    text = json.dumps(gltf).encode()
    text += b" " * (-len(text) % 4)
    header = struct.pack("<4sIII4s", b"glTF", 2, 20 + len(text), len(text), b"JSON")
    for name, data in (("triangle.gltf", text), ("marked.gltf", b"\xef\xbb\xbf" + text), ("triangle.glb", header + text)):
        (tmp_path / name).write_bytes(data)
        digests = []
        for scale in (1, 2):
            (tmp_path / "corners here.bin").write_bytes((scale * corners).tobytes())
            (row,) = bvtree.cluster.cook([tmp_path / name], tmp_path / "out")
            assert "error" not in row, row
            digests.append(row["digest"])
        assert digests[0] != digests[1], name
    # Of a store, which the reader can't look into.
    archive = tmp_path / "meshes.zip"
    with zipfile.ZipFile(archive, "w") as file:
        for name in ("triangle.gltf", "corners here.bin"):
            file.write(tmp_path / name, name)
    (row,) = bvtree.cluster.cook([f"zip://triangle.gltf::{archive}"], tmp_path / "of-zip")
    assert (row["output"], row["digest"]) == ("triangle.obb.bvt", digests[1])
