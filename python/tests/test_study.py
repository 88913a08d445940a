"""The study, `study/`: its pack is frozen, its statistics are right, and one command writes files that say what they should."""

import hashlib
import importlib.util
import json
import math
import pathlib
import re
import subprocess
import sys
import xml.etree.ElementTree
import zlib

import numpy as np
import pytest

import bvtree

FOLDER = pathlib.Path(__file__).parents[2] / "study"


def module(name):
    spec = importlib.util.spec_from_file_location(f"study_{name}", FOLDER / f"{name}.py")
    found = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(FOLDER))
    try:
        spec.loader.exec_module(found)
    finally:
        sys.path.remove(str(FOLDER))
    return found


def run(*arguments):
    return subprocess.run([sys.executable, FOLDER / "run.py", *map(str, arguments)], capture_output=True, text=True)


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    """The program that the package brings."""
    path = tmp_path_factory.mktemp("program") / "bvtree"
    path.write_text(f"#!{sys.executable}\nimport sys\nfrom bvtree.__main__ import main\nsys.exit(main())\n")
    path.chmod(0o755)
    return path


@pytest.fixture(scope="module")
def out(program, tmp_path_factory):
    folder = tmp_path_factory.mktemp("study")
    done = run(folder, "--program", program, "--meshes", "nonmanifold,crate", "--approaches", 1)
    assert done.returncode == 0, done.stderr
    return folder


def test_public_meshes_are_checked_and_may_be_missing(tmp_path, monkeypatch, capsys):
    meshes = module("meshes")
    assert all(name in meshes.CLASSES and len(digest) == 64 for name, (_, digest) in meshes.PUBLIC.items())
    monkeypatch.setattr(meshes, "COLLECTION", (tmp_path / "collection").as_uri())
    assert meshes.fetch("spot", tmp_path) is None and "spot.obj cannot be fetched" in capsys.readouterr().err
    (tmp_path / "collection").mkdir()
    (tmp_path / "collection/spot.obj").write_bytes(b"v 0 0 0\n")
    assert meshes.fetch("spot", tmp_path) is None and "has another digest" in capsys.readouterr().err
    assert not (tmp_path / "spot.obj").exists()
    monkeypatch.setitem(meshes.PUBLIC, "spot", ("character", hashlib.sha256(b"v 0 0 0\n").hexdigest()))
    assert meshes.fetch("spot", tmp_path) == tmp_path / "spot.obj"


def test_meshes_that_are_made_are_frozen(tmp_path):
    meshes = module("meshes")
    found = {name: bvtree.Mesh.open(meshes.write(name, tmp_path)) for name in meshes.MADE}
    digests = {name: (len(mesh), bvtree.Tree(mesh).mesh_digest) for name, mesh in found.items()}
    assert digests == DIGESTS
    assert all(meshes.write(name, tmp_path).exists() for name in meshes.PACK)


DIGESTS = {
    "scan": (8880, "277b03f5e731255e9fd92f7efd88df3d"),
    "rooms": (5484, "ee4412556156173171435292b00cfe49"),
    "soup": (1200, "3163852e29b4c09e1c52d1fbdb4cdfc8"),
}


def test_means_are_student_s():
    """Of three numbers whose logarithms are 0, 1 and 2: the mean is 1, its standard error the root of 1/3."""
    mean, lower, upper = module("report").geometric_mean([1, math.e, math.e**2])
    half = 4.303 * math.sqrt(1 / 3)
    np.testing.assert_allclose([mean, lower, upper], np.exp([1, 1 - half, 1 + half]))
    assert module("report").geometric_mean([3.0])[1:] == (None, None)


def test_one_command_writes_everything(out):
    names = {path.name for path in out.iterdir()}
    figures = {"beside", "errors-crate", "errors-nonmanifold", *(f"{kind}-{builder}" for kind in ("levels", "tests") for builder in ("top-down", "bottom-up"))}
    tables = {"beside", "classes", "times"}
    expected = {f"{name}.{end}" for name in figures for end in ("svg", "pdf")} | {f"{name}.{end}" for name in tables for end in ("csv", "tex")}
    assert names == expected | {"results.jsonl", "captions.md", "method.md"}
    rows = [json.loads(line) for line in (out / "results.jsonl").read_text().splitlines()]
    assert len(rows) == 2 * 2 * 4 and {row["class"] for row in rows} == {"level", "soup"}
    captions, method = ((out / name).read_text() for name in ("captions.md", "method.md"))
    assert all(f"`{name}" in captions for name in expected if name.endswith(("svg", "csv")))
    assert all(row["mesh_digest"] in method and row["cpu"] in method for row in rows)
    # A ratio of the table by hand.
    by_kind = {row["volume"]: row for row in rows if row["mesh"] == "crate" and row["builder"] == "top-down"}
    line = next(line for line in (out / "classes.csv").read_text().splitlines() if line.startswith("level,top-down,sphere,1,"))
    assert float(line.split(",")[4]) == pytest.approx(by_kind["sphere"]["all"]["volume_ratio"] / by_kind["obb"]["all"]["volume_ratio"])
    hulls = [line for line in (out / "beside.csv").read_text().splitlines() if line.startswith("hull,2,")]
    assert hulls == ["hull,2,1.0,1.0,1.0,1.0,1.0,1.0"]
    for line in (out / "classes.tex").read_text().splitlines():
        assert line.count("&") in (0, 10), line


def test_figures_are_whole(out):
    for path in out.glob("*.svg"):
        root = xml.etree.ElementTree.parse(path).getroot()
        kinds = [element.tag.split("}")[1] for element in root]
        assert kinds.count("polyline") > 8 and kinds.count("circle") > 3 and "run.py" in root[0].text
    for path in out.glob("*.pdf"):
        text = path.read_bytes()
        start = int(re.search(rb"startxref\n(\d+)", text)[1])
        assert text[start:].startswith(b"xref\n")
        for number, offset in enumerate(re.findall(rb"(\d{10}) 00000 n ", text), 1):
            assert text[int(offset) :].startswith(b"%d 0 obj" % number)
        content = re.search(rb"stream\n(.*)\nendstream", text, re.DOTALL)[1]
        assert b" Tj ET" in zlib.decompress(content)


def test_results_of_machines_merge_or_are_told_apart(out, tmp_path):
    rows = [json.loads(line) for line in (out / "results.jsonl").read_text().splitlines()]
    for row in rows:
        row["cpu"], row["micros_per_query"] = "another CPU", 2 * row["micros_per_query"]
    other = tmp_path / "other.jsonl"
    write = lambda: other.write_text("".join(json.dumps(row) + "\n" for row in rows))
    write()
    merged = tmp_path / "merged"
    done = run(merged, "--merge", out / "results.jsonl", other)
    assert done.returncode == 0, done.stderr
    assert (merged / "classes.csv").read_text() == (out / "classes.csv").read_text()
    assert (merged / "times.csv").read_text().count("another CPU") == 8
    rows[3]["all"]["epo"] *= 1 + 1e-12
    write()
    done = run(merged, "--merge", out / "results.jsonl", other)
    assert done.returncode != 0 and f"{rows[3]['mesh']} top-down {rows[3]['volume']}" in done.stderr


def test_a_mesh_that_is_not_in_the_pack_is_refused(tmp_path):
    done = run(tmp_path, "--meshes", "gear,dragon")
    assert done.returncode == 2 and "no mesh dragon" in done.stderr
