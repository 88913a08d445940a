"""From elements of a building to a report: what needs no IFC. `.ci/buildings` tests with real files."""

import csv
import importlib.metadata
import json
import os
import random
import shutil
import subprocess
import sys
import zipfile

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bvtree import Tree
from bvtree.buildings import Cache, Element, _convert, convert, snapped, write_bodies
from bvtree.buildings.__main__ import main

CORNERS = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], dtype=float)
FACES = np.array(
    [[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1], [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4]]
    + [[1, 5, 7], [1, 7, 3]]
)


def box(name, low, size=(1, 1, 1), **properties):
    pose = np.eye(4)
    pose[:3, 3] = low
    known = {"GlobalId": f"{name:_<22}", "name": name, "class": "IfcWall", **properties}
    return Element(known, CORNERS * size, FACES, pose, f"box {size}")


def manifest(folder, elements, label="model", snap=0.0):
    folder.mkdir(exist_ok=True)
    for element in elements:
        element.properties.setdefault("file", f"{label}.ifc")
    write_bodies(elements, str(folder), label=label, snap=snap)
    return str(folder / "bodies.json")


def bodies(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)["bodies"]


def rows(folder):
    with open(folder / "clashes.csv", newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def report(folder, *arguments):
    """Runs the command; its exit code, and the report's rows by the last parts of the names."""
    code = main([*map(str, arguments), "-o", str(folder), "-q"])
    return code, {(row["a"].split("/")[-2], row["b"].split("/")[-2]): row for row in rows(folder)}


coordinates = st.floats(-30, 30).map(lambda x: round(x, 4))


@given(st.lists(st.tuples(*[coordinates] * 3), min_size=1, max_size=20), st.sampled_from([0.0001, 0.001, 0.01]))
def test_snapped_points_lie_on_a_grid_whatever_the_noise(points, step):
    world = np.rint(np.array(points) / step) * step
    noise = np.random.default_rng(1).uniform(-0.4 * step, 0.4 * step, world.shape)
    clean, origin = snapped(world, step)
    noisy, noisy_origin = snapped(world + noise, step)
    assert (clean + origin == noisy + noisy_origin).all()
    assert np.abs(clean + origin - world).max() <= step / 16
    assert (clean.astype(np.float32) == clean).all()


def test_snapping_far_from_the_origin_keeps_faces_together():
    base = np.array([233_000.1234, 581_000.4321, -3.2])
    left, at = snapped(CORNERS * [0.1, 1, 1] + base, 0.0001)
    right, to = snapped(CORNERS * [0.1, 1, 1] + base + [0.1 - 3e-6, 0, 0], 0.0001)
    assert (left + at)[:, 0].max() == (right + to)[:, 0].min()
    assert (left.astype(np.float32) == left).all()
    local, origin = snapped(np.zeros((0, 3)), 0.0001)
    assert local.shape == (0, 3) and (origin == 0).all()
    for step in (-1, np.inf, np.nan):
        with pytest.raises(ValueError, match="step"):
            snapped(CORNERS, step)


@pytest.mark.parametrize("snap", [0.0, 0.0001])
def test_bodies_do_not_depend_on_the_order_of_elements(tmp_path, snap):
    elements = [box(f"wall {i}", [2 * i, 0, 0], storey="Level 1") for i in range(20)]
    elements += [box("wall 3", [0, 7, 0], storey="Level 1"), box("flat", [0, 0, 9], (1, 1, 1e-6))]
    elements.append(Element({"name": "empty"}, np.zeros((0, 3)), np.zeros((0, 3), dtype=int)))
    first = manifest(tmp_path / "first", elements, snap=snap)
    random.Random(1).shuffle(elements)
    second = manifest(tmp_path / "second", elements, snap=snap)
    assert open(first).read() == open(second).read()
    assert sorted(os.listdir(tmp_path / "first")) == sorted(os.listdir(tmp_path / "second"))
    named = {body["name"]: body for body in bodies(first)}
    assert len(named) == 22
    twin = named["model/Level 1/IfcWall/wall 3/#2/wall 3________________"]
    assert twin["properties"]["name"] == "wall 3" and twin["translation"] == [6.5, 0.5, 0.5]
    # Unit cubes are one mesh, wherever they stand.
    assert len({body["mesh"] for body in named.values()}) == 2
    bounds = Tree.open(str(tmp_path / "first" / twin["mesh"])).bounds
    assert (bounds == [[-0.5] * 3, [0.5] * 3]).all()


def test_a_pose_that_scales_goes_into_the_mesh(tmp_path):
    element = box("wall", [5, 0, 0])
    element.pose[:3, :3] *= [2, 1, 1]
    [body] = bodies(manifest(tmp_path / "one", [element, ]))
    assert body["rotation"] == np.eye(3).ravel().tolist() and body["translation"] == [6, 0.5, 0.5]


@pytest.mark.parametrize("name, package", [("a.ifc", "ifcopenshell"), ("a.STEP", "cadquery-ocp-novtk")])
def test_a_package_that_is_missing_is_named(tmp_path, monkeypatch, capsys, name, package):
    def missing(name):
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "version", missing)
    (tmp_path / name).write_text("ISO-10303-21;")
    assert main([str(tmp_path / name), "-o", str(tmp_path / "report")]) == 2
    assert f'files need {package}: pip install "./python[' in capsys.readouterr().err


def test_a_cache_has_whole_folders_only(tmp_path, monkeypatch):
    cache = Cache(str(tmp_path / "cache"))

    def make(folder):
        (tmp_path / folder / "file").write_text("x" * 100)

    def fail(folder):
        make(folder)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        cache.get("a", fail)
    assert os.listdir(cache.folder) == []
    path = cache.get("a", make)
    assert os.listdir(path) == ["file"] and cache.get("a", fail) == path

    # Another process made it meanwhile.
    def late(folder):
        make(folder)
        cache.get("b", make)

    assert os.listdir(cache.get("b", late)) == ["file"]
    assert sorted(os.listdir(cache.folder)) == ["a", "b"]
    # The least recently used one goes, those in use stay.
    os.utime(path, (0, 0))
    cache.size = 150
    cache.get("c", make)
    assert sorted(os.listdir(cache.folder)) == ["b", "c"]

    # Another process deletes what is listed.
    scandir = os.scandir

    def late_scandir(folder):
        if folder != cache.folder:
            return scandir(folder)
        entries = list(scandir(folder))
        for entry in entries:
            shutil.rmtree(entry.path)
        return entries

    monkeypatch.setattr(os, "scandir", late_scandir)
    cache.trim()
    assert os.listdir(cache.folder) == []


def test_a_file_is_converted_again_when_anything_changes(tmp_path, monkeypatch):
    version = ["0.8.4"]
    monkeypatch.setattr(_convert.importlib.metadata, "version", lambda name: version[0])
    path = tmp_path / "a.ifc"
    path.write_text("ISO-10303-21;")

    def key(name=path, label="a", snap=0.0001, include=(), exclude=()):
        return _convert.cache_key(str(name), label, snap, list(include), list(exclude))

    keys = [key(), key(label="b"), key(snap=0), key(include=["IfcSpace"]), key(exclude=["IfcSpace"])]
    version[0] = "0.9.0"
    keys.append(key())
    path.write_text("ISO-10303-21; ")
    keys.append(key())
    assert len(set(keys)) == len(keys) and key() == keys[-1]
    with pytest.raises(FileNotFoundError):
        convert(str(tmp_path / "none.ifc"), cache=Cache(str(tmp_path / "cache")))


def test_a_report_of_two_models(tmp_path):
    # A door in its wall, a pipe through it by 0.5, walls that meet by 1 mm, two equal slabs.
    walls = [box("wall", [0, 0, 0], (4, 0.25, 3)), box("end", [3.999, 0, 0], (0.25, 4, 3))]
    door = box("door", [1, 0, 0], (1, 0.5, 2), host=f"{'wall':_<22}", **{"class": "IfcDoor"})
    slabs = [box("slab", [0, 0, -2], (9, 9, 1)), box("slab2", [0, 0, -2], (9, 9, 1))]
    pipe = box("pipe", [3, -1, 1], (0.5, 2.5, 0.5), **{"class": "IfcPipeSegment"})
    first = manifest(tmp_path / "a", [*walls, door, *slabs], "arch")
    second = manifest(tmp_path / "b", [pipe], "mep")
    code, found = report(tmp_path / "report", first, second)
    assert code == 0
    assert {pair: row["class"] for pair, row in found.items()} == {
        ("slab", "slab2"): "duplicate",
        ("wall", "pipe"): "piercing",
    }
    row = found["wall", "pipe"]
    assert row["rule"] == "clash" and row["id"]
    assert {"clashes.bcf", "clashes.csv", "clashes.html"} == set(os.listdir(tmp_path / "report"))
    with zipfile.ZipFile(tmp_path / "report" / "clashes.bcf") as bcf:
        markup = bcf.read(f"{row['id']}/markup.bcf").decode()
        view = bcf.read(f"{row['id']}/viewpoint.bcfv").decode()
    assert "piercing: wall and pipe" in markup and "rule: clash" in markup
    assert all(f'IfcGuid="{name:_<22}"' in view for name in ("wall", "pipe"))

    rules = tmp_path / "rules.toml"
    rules.write_text(
        """
        [groups]
        pipes = { class = "ifcpipe*", body = ["mep/*", "!*spare*"] }
        walls = { class = "IfcWall", name = ["wall", "end"] }
        [[rules]]
        name = "twins"
        between = ["*", "*"]
        same = "class"
        report = "duplicate"
        [[rules]]
        name = "pipes near walls"
        between = ["pipes", "walls"]
        clearance = 0.6
        different = "file"
        """
    )
    code, found = report(tmp_path / "ruled", first, second, "--rules", rules, "--exit-code")
    assert code == 1
    assert {pair: (row["class"], row["rule"]) for pair, row in found.items()} == {
        ("slab", "slab2"): ("duplicate", "twins"),
        ("wall", "pipe"): ("piercing", "pipes near walls"),
        ("end", "pipe"): ("too_near", "pipes near walls"),
    }

    # The next week the pipe is out of the wall by half and renamed, the wall has another name, and a slab is gone.
    pipe.pose[1, 3] += 1.15
    pipe.properties["name"] = "pipe 2"
    walls[0].properties["name"] = "wall 2"
    first = manifest(tmp_path / "a2", [*walls, door, slabs[0]], "arch v2")
    second = manifest(tmp_path / "b2", [pipe], "mep v2")
    baseline = tmp_path / "report" / "clashes.csv"
    code, found = report(tmp_path / "next", first, second, "--baseline", baseline, "--exit-code")
    assert code == 0
    assert {pair: row["change"] for pair, row in found.items()} == {
        ("wall 2", "pipe 2"): "better",
        ("slab", "slab2"): "gone",
    }
    assert found["wall 2", "pipe 2"]["id"] == row["id"]
    code, found = report(tmp_path / "back", tmp_path / "a" / "bodies.json", tmp_path / "b" / "bodies.json",
                         "--baseline", tmp_path / "next" / "clashes.csv", "--exit-code")  # fmt: skip
    assert code == 1 and [row["change"] for row in found.values()] == ["new", "worse"]


@pytest.mark.parametrize(
    "text, message",
    [
        ("[groups]\npipes = 1", "groups: pipes: expected an object"),
        ("[groups]\npipes = { class = 1 }", "class: expected text or a list of texts"),
        ('[groups]\npipes = { class = "[" }', "the pattern '['"),
        ('[[rules]]\nbetween = ["pipes", "*"]', "there is no group 'pipes'"),
        ('[[rules]]\nbetween = ["*", "*"]\nreport = "soft"', "unknown class 'soft'"),
        ("[[rules]]\nbetwen = 1", "unknown key 'betwen'"),
        ("[rules", "line 1"),
    ],
)
def test_rules_with_mistakes_are_refused(tmp_path, capfd, text, message):
    (tmp_path / "rules.toml").write_text(text)
    model = manifest(tmp_path / "a", [box("wall", [0, 0, 0])])
    assert main([model, "-o", str(tmp_path / "report"), "--rules", str(tmp_path / "rules.toml")]) == 2
    error = capfd.readouterr().err
    assert message in error and error.count("error:") == 1
    assert os.listdir(tmp_path / "report") == []


def test_the_same_global_ids_in_two_models(tmp_path):
    model = [box("wall", [0, 0, 0]), box("beam", [0.5, 0, 0])]
    paths = [manifest(tmp_path / name, model, name) for name in ("one", "two")]
    code, _ = report(tmp_path / "report", *paths)
    found = rows(tmp_path / "report")
    assert code == 0 and len(found) == 6 and len({row["id"] for row in found}) == 6
    with zipfile.ZipFile(tmp_path / "report" / "clashes.bcf") as bcf:
        views = [bcf.read(name).decode() for name in bcf.namelist() if name.endswith(".bcfv")]
    # Each of the two is selected and coloured; where something hides a clash, they are also all that is visible.
    hidden = ['DefaultVisibility="false"' in view for view in views]
    assert [view.count("IfcGuid=") for view in views] == [6 if only else 4 for only in hidden] and len(views) == 6


def test_the_commands(tmp_path, capsys):
    version = subprocess.run([sys.executable, "-m", "bvtree", "--version"], capture_output=True, text=True)
    assert (version.returncode, version.stderr) == (0, "") and version.stdout.startswith("bvtree ")
    assert main(["--print-rules"]) == 0
    rules = tmp_path / "rules.toml"
    rules.write_text(capsys.readouterr().out)
    model = manifest(tmp_path / "a", [box("wall", [0, 0, 0]), box("beam", [0.5, 0, 0])])
    assert report(tmp_path / "report", model, "--rules", rules)[1]["beam", "wall"]["rule"] == "clash"
    assert main([str(tmp_path / "none.ifc"), "-o", str(tmp_path / "report")]) == 2
    assert "error: " in capsys.readouterr().err
    for wrong in (["--snap", "-1", model], [], ["--threads", "0", model]):
        with pytest.raises(SystemExit) as stop:
            main(wrong)
        assert stop.value.code == 2
    # What follows -- is the program's.
    assert main([model, "-o", str(tmp_path / "limited"), "-q", "--", "--limit", "0"]) == 0
    assert rows(tmp_path / "limited") == []


def test_a_program_that_fails_leaves_the_earlier_report(tmp_path, capsys, monkeypatch):
    model, folder = manifest(tmp_path / "a", [box("wall", [0, 0, 0]), box("beam", [0.5, 0, 0])]), tmp_path / "report"
    report(folder, model)
    earlier = {path.name: path.read_bytes() for path in folder.iterdir()}
    # As Python ends where it cannot import the package.
    monkeypatch.setattr(sys, "executable", "false")
    assert main([model, "-o", str(folder)]) == 2
    assert "error: bvtree clash has ended without a report" in capsys.readouterr().err
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == earlier
