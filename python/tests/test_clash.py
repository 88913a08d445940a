"""Clash reports of scenes, of clusters and of the program: the same rows from each."""

import csv
import json
import math
import subprocess
import sys

import bvtree
import bvtree.cluster
import numpy as np
import pytest
from conftest import box, moved

RULES = """
[groups]
pipes = { class = "Pipe*" }
[[rules]]
name = "pipes"
between = ["pipes", "*"]
different = ["class"]
clearance = 0.25
tolerance = 0.01
[[rules]]
between = ["*", "*"]
touching = true
"""


@pytest.fixture
def plant(tmp_path):
    """Cubes on a lattice of halves in two models, cooked, as bodies of a manifest for each model."""
    bvtree.Tree(box()).save(tmp_path / "cube.bvt")
    rng, models = np.random.default_rng(5), {"a": [], "b": []}
    for number in range(40):
        place = (rng.integers(0, 6, 3) / 2).tolist()
        properties = {"class": ["Pipe 1", "Wall"][number % 2], "storey": f"Level {int(place[2])}", "file": "ab"[number % 3 == 0]}
        body = {"name": f"body-{number}", "mesh": "cube.bvt", "translation": place, "properties": properties}
        models[properties["file"]].append(body)
    for name, bodies in models.items():
        (tmp_path / f"{name}.json").write_text(json.dumps({"bodies": bodies}))
    (tmp_path / "rules.toml").write_text(RULES)
    return tmp_path, models["a"] + models["b"]


def of_program(folder, *arguments):
    command = [sys.executable, "-m", "bvtree", "clash", "a.json", "b.json", "-q", "--format", "csv", *arguments]
    run = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    return list(csv.DictReader(run.stdout.splitlines()))


def of_scene(folder, bodies, **limits):
    tree, scene = bvtree.Tree.open(folder / "cube.bvt"), bvtree.Scene(include_static_pairs=True)
    properties = {}
    for body in bodies:
        number = scene.add(tree, moved(*body["translation"]), static=True)
        properties[number] = {**body["properties"], "body": body["name"]}
    table = scene.clash(properties=properties, **limits)
    rows = [dict(zip(table, values)) for values in zip(*(column.tolist() for column in table.values()))]
    return [{**row, "a": bodies[row["a"]]["name"], "b": bodies[row["b"]]["name"]} for row in rows]


def alike(rows, others):
    assert len(rows) == len(others)
    for row, other in zip(rows, others):
        same(row, other)


def same(row, other):
    for key in ("a", "b", "relation", "class", "rule", "issue"):
        assert row[key] == other[key], (key, row, other)
    for key in ("pairs", "distance", "depth", "moved", "x", "y", "z"):
        number, known = row[key], other[key]
        known = math.nan if known in ("", None) else float(known)
        assert number == known or math.isnan(number) and math.isnan(known), (key, row, other)


@pytest.mark.parametrize("has_rules", [True, False])
def test_scene_and_cluster_report_what_the_program_does(plant, has_rules):
    folder, bodies = plant
    rules = ["--rules", "rules.toml"] if has_rules else ["--clearance", "0.1"]
    limits = {"rules": folder / "rules.toml"} if has_rules else {"clearance": 0.1}
    expected, found = of_program(folder, *rules), of_scene(folder, bodies, **limits)
    assert len(found) > 30
    classes = {row["class"] for row in found}
    assert {"duplicate", "moved", "protruding"} <= classes, classes
    alike(found, expected)
    tree = str(folder / "cube.bvt")
    about = [
        {"name": body["name"], "tree": tree, "pose": moved(*body["translation"]), "properties": body["properties"]}
        for body in bodies
    ]
    shared = bvtree.cluster.clash(about, folder / "shared", block=50, **limits)
    alike(found, shared)


def test_rules_are_files_objects_or_lists(plant):
    folder, bodies = plant
    rules = [{"between": ["*", "*"], "same": "class", "report": ["hard"], "name": "alike"}]
    as_list = of_scene(folder, bodies, rules=rules)
    alike(as_list, of_scene(folder, bodies, rules={"rules": rules}))
    assert {row["rule"] for row in as_list} == {"alike"} and len(as_list) > 5
    alike(as_list, of_scene(folder, bodies, rules={"rules": rules, "clearance": 0.5}))
    # Without rules every pair is compared; contacts may be left out.
    everything, overlaps = of_scene(folder, bodies), of_scene(folder, bodies, allow_touching=True)
    assert {row["class"] for row in everything} - {row["class"] for row in overlaps} == {"touching"}
    deep = of_scene(folder, bodies, tolerance=0.6, allow_touching=True)
    assert 0 < len(deep) < len(overlaps) and {row["class"] for row in deep} == {"duplicate"}
    with_moves = of_scene(folder, bodies, penetration=True)
    assert any(row["penetration"] > 0 for row in with_moves) and all(math.isnan(row["penetration"]) for row in everything)


def test_what_is_no_rule_is_refused(plant):
    folder, bodies = plant
    scene = bvtree.Scene()
    number = scene.add(bvtree.Tree(box()))
    for wrong, problem in [
        ({"tolerance": -1.0}, "tolerance: expected"),
        ({"clearance": math.inf}, "clearance: expected"),
        ({"rules": [{"between": ["*"]}]}, r"rules: rules\[0\]: between: expected two names"),
        ({"rules": {"rule": []}}, "unknown key 'rule'"),
        ({"rules": [{"between": ["pipes", "*"]}]}, "there is no group 'pipes'"),
        ({"rules": [{"between": ["*", "*"], "report": "soft"}]}, "unknown class 'soft'"),
    ]:
        with pytest.raises(ValueError, match=problem):
            scene.clash(**wrong)
        with pytest.raises(ValueError, match=problem):
            bvtree.cluster.clash([], folder / "none", **wrong)
    with pytest.raises(OSError):
        scene.clash(rules=folder / "missing.toml")
    (folder / "bad.toml").write_text("[[rules]]\nbetween = [")
    with pytest.raises(ValueError, match="bad.toml, line 2"):
        scene.clash(rules=str(folder / "bad.toml"))
    with pytest.raises(KeyError):
        scene.clash(properties={number + 1: {}})
    again = scene.add(bvtree.Tree(box()))
    with pytest.raises(ValueError, match="two bodies have the name 'x'"):
        scene.clash(properties={number: {"body": "x"}, again: {"body": "x"}})


def test_the_same_part_is_found_wherever_it_is(tmp_path):
    square = bvtree.Tree(([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], [[0, 1, 2], [0, 2, 3]]))
    of_one_id = [{"GlobalId": "2O2Fr$t4X7Zf8NOew3FNtn", "file": file} for file in "ab"]
    for places, about, found_as in [((0, 50), of_one_id, "moved"), ((0, 0.0005), [{}, {}], "duplicate")]:
        scene, poses = bvtree.Scene(), [moved(z=z) for z in places]
        numbers = [scene.add(square, pose) for pose in poses]
        properties = dict(zip(numbers, about))
        table = scene.clash(properties=properties, tolerance=0.002)
        assert table["class"].tolist() == [found_as]
        assert np.isclose(table["moved"][0], 50) == (found_as == "moved")
        bodies = [
            {"name": number, "tree": square, "pose": pose, "properties": known} for number, pose, known in zip(numbers, poses, about)
        ]
        (row,) = bvtree.cluster.clash(bodies, tmp_path / found_as, tolerance=0.002)
        same({key: table[key].tolist()[0] for key in table}, row)
        scene.set_ignored(*numbers)
        assert len(scene.clash(properties=properties, tolerance=0.002)["a"]) == 0
