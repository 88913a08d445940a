"""Clash detection in assemblies."""

from __future__ import annotations

import json
import os
from typing import Any, Callable, Dict, Iterable, List, Mapping, Optional

import numpy as np

from bvtree import _bvtree as bv
from bvtree.cluster._run import run
from bvtree.cluster._store import digest, lines, read_if_there, write, write_list
from bvtree.cluster._trees import known, opened, stored


def clash(
    bodies: Iterable[Mapping[str, Any]],
    out: Any,
    *,
    clearance: Optional[float] = None,
    tolerance: float = 0.0,
    allow_touching: bool = False,
    rules: Any = None,
    block: int = 256,
    client: Any = None,
    progress: Optional[Callable[[int, int], object]] = None,
    retries: int = 5,
) -> List[Dict[str, Any]]:
    """Finds all clashes of an assembly, like `Scene.clash`.

    Args:
        bodies: Dicts with the keys `name`, `tree` (a `Tree` or the path of a cooked one), `pose` (None is the identity)
            and, if rules or issues need them, `properties`.
        out: The folder for results.
        clearance, tolerance, allow_touching, rules: See `Scene.clash`.
        block: Number of pairs of bodies in a task.
        client, progress, retries: See `cook`.

    Returns:
        A list of dicts with the keys `a`, `b` (names), `relation`, `pairs`, `distance`, `class`, `depth` (None where it
        is unknown), `moved`, `x`, `y`, `z`, `rule` and `issue`, in the order of the bodies; see `Scene.clash`. The file
        `clash.jsonl` in the folder contains the same.

    Raises:
        ValueError: If a length is negative or not finite, two bodies have the same name, or the rules are invalid.
        InvalidPose: If a pose is not a rotation and a translation.
        OSError: If the file of rules cannot be read.
    """
    if block < 1:
        raise ValueError("block: expected at least 1")
    rules = None if rules is None else json.loads(bv._rules_as_json(rules))
    limits = {"clearance": clearance, "tolerance": tolerance, "allow_touching": allow_touching, "rules": rules}
    bv.Scene(threads=1).clash(**limits)  # Bad limits and rules are refused before anything runs.
    bodies = [dict(body) for body in bodies]
    paths = {}
    for body in bodies:
        tree = body["tree"]
        key = tree if isinstance(tree, (str, os.PathLike)) else id(tree)
        if key not in paths:
            paths[key] = stored(tree, out)
        body_pose = body.get("pose")
        pose = np.eye(4) if body_pose is None else bv.relative_pose(np.eye(4), body_pose)
        body.update(_tree=paths[key], _pose=pose)
    unique = sorted(set(paths.values()))
    about_trees = dict(zip(unique, run(known, unique, client, None, retries)))
    for body in bodies:
        body["_bounds"], body["_digest"] = about_trees[body["_tree"]]
    # Parts of one GlobalId may have moved however far.
    same = bv._same_parts([(str(body["name"]), body.get("properties", {})) for body in bodies])
    near = _near(bodies, _reach(limits))
    pairs = np.unique(np.concatenate([near, np.array(same, dtype=np.int64).reshape(-1, 2)]), axis=0)
    # Workers report the number of a rule, counted from 1, since several rules may have one name.
    named = (rules or {}).get("rules", [])
    unnamed = [{key: value for key, value in rule.items() if key != "name"} for rule in named]
    numbered = {**limits, "rules": None if rules is None else {**rules, "rules": unnamed}}

    def task(first):
        parts = [(int(i), int(j)) for i, j in pairs[first : first + block]]
        places = sorted({place for pair in parts for place in pair})
        trees = {i: bodies[i]["_tree"] for i in places}
        about = [(i, bodies[i]["_digest"], bodies[i]["_pose"].tolist(), _properties(bodies[i])) for i in places]
        return parts, trees, about, numbered, str(out)

    blocks = run(_clash_block, range(0, len(pairs), block), client, progress, retries, make=task)
    found = [row for rows in blocks for row in rows]
    issues = _issues(bodies, found)
    rows = []
    for (i, j, *values), issue in zip(found, issues):
        row = {"a": bodies[i]["name"], "b": bodies[j]["name"], **dict(zip(COLUMNS, values)), "issue": issue}
        if row["rule"]:
            row["rule"] = named[int(row["rule"]) - 1].get("name", row["rule"])
        rows.append(row)
    write_list(out, "clash.jsonl", lines(rows))
    return rows


COLUMNS = ("relation", "pairs", "distance", "class", "depth", "moved", "x", "y", "z", "rule")


def _properties(body):
    return {**body.get("properties", {}), "body": str(body["name"])}


def _reach(limits):
    """Returns the largest clearance or tolerance of any rule."""
    rules = limits["rules"] or {}
    least = rules.get("clearance", 0.0) if limits["clearance"] is None else limits["clearance"]
    lengths = [rule.get(key, 0.0) for rule in rules.get("rules", []) for key in ("clearance", "tolerance")]
    return max([least, limits["tolerance"], *lengths])


def _issues(bodies, rows):
    """Returns the title of each clash's issue."""
    about = []
    for body in bodies:
        low, high = np.asarray(body["_bounds"], dtype=np.float64).tolist()
        if not low <= high:
            low = high = [0.0, 0.0, 0.0]
        about.append((str(body["name"]), body.get("properties", {}), body["_digest"], low, high, body["_pose"]))
    clashes = []
    for i, j, *values in rows:
        row = dict(zip(COLUMNS, values))
        depth = np.nan if row["depth"] is None else row["depth"]
        rule = int(row["rule"]) - 1 if row["rule"] else None
        clashes.append(((i, j), row["class"], rule, (row["x"], row["y"], row["z"]), depth))
    return bv._clash_issues(about, clashes)


def _clash_block(task):
    pairs, trees, about, limits, out = task
    name = f"_done/clash-{digest(json.dumps([pairs, about, limits, bv.__version__]))}.json"
    found = read_if_there(out, name)
    if found is not None:
        return json.loads(found)
    rows, bodies = [], {i: (known_digest, np.array(pose), properties) for i, known_digest, pose, properties in about}
    for i, j in pairs:
        scene, properties = bv.Scene(threads=1), {}
        for body in (i, j):
            known_digest, pose, known = bodies[body]
            properties[scene.add(opened(trees[body], known_digest), pose)] = known
        table = scene.clash(properties=properties, **limits)
        if len(table["a"]):
            values = (table[column][0].item() for column in COLUMNS)
            rows.append([i, j, *(None if value != value else value for value in values)])
    write(out, name, json.dumps(rows).encode())
    return rows


def _near(bodies, clearance):
    """Returns the sorted pairs of bodies whose world boxes are within the clearance (sweep and prune along x)."""
    lower, upper = np.empty((len(bodies), 3)), np.empty((len(bodies), 3))
    for place, body in enumerate(bodies):
        low, high = body["_bounds"]
        rotation, translation = body["_pose"][:3, :3], body["_pose"][:3, 3]
        if not (low <= high).all():
            lower[place], upper[place] = np.inf, -np.inf
            continue
        center, half = rotation @ ((low + high) / 2) + translation, np.abs(rotation) @ ((high - low) / 2)
        # Margin for rounding errors: extra pairs do no harm.
        margin = clearance / 2 + 1e-9 * (np.abs(center) + half) + 1e-4 * half.max()
        lower[place], upper[place] = center - half - margin, center + half + margin
    order = np.argsort(lower[:, 0], kind="stable")
    ends = np.searchsorted(lower[order, 0], upper[order, 0], side="right")
    found = []
    for at, (body, end) in enumerate(zip(order, ends)):
        others = order[at + 1 : end]
        overlap = (lower[others] <= upper[body]) & (upper[others] >= lower[body])
        near = others[overlap.all(axis=1)]
        found.append(np.stack([np.minimum(near, body), np.maximum(near, body)], axis=1))
    found = np.concatenate(found) if found else np.zeros((0, 2), dtype=np.int64)
    return found[np.lexsort((found[:, 1], found[:, 0]))]
