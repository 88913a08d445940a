"""Cooking, sweeps and clash on many machines: work is divided into tasks for Dask, and what they give is files.

    client = dask.distributed.Client(...)            # None asks in this process, with the same results
    bvtree.cluster.cook(paths, "s3://bucket/cooked", client=client)
    bvtree.cluster.sweep("a.bvt", "b.bvt", poses, "sweep", question="distance", client=client)
    bvtree.cluster.clash(bodies, "clash", clearance=0.01, client=client)

`out` is a folder of any store that fsspec knows. A task's files are named by a digest of all that it depends on, and appear whole or not at
all. So a task that is done twice, because a worker was lost or late, gives the same file; a run that was broken off goes on where it was; and one
that is complete does nothing when it is run again. Files hold no times and do not depend on who wrote them: they are the same bytes for any number of workers.

Needs fsspec, which Dask brings; `format="parquet"` needs pyarrow.
"""

import functools
import hashlib
import io
import json
import os
import posixpath
import tempfile
import uuid

import numpy as np

from bvtree import _bvtree as bv

__all__ = ["clash", "cook", "sweep"]

_QUESTIONS = {
    "intersects": bv.intersects,
    "count_pairs": bv.count_pairs,
    "distance": bv.distance,
    "relation": bv.relation,
    "closest": bv.closest,
}


def cook(paths, out, *, kind="obb", preset="balanced", block=16, client=None, progress=None, retries=5, **options):
    """Cooks meshes into trees, `<stem>.<kind>.bvt` each.

    Args:
        paths: Mesh files, local or of any store.
        out: The folder.
        kind, preset, options: As of `bvtree.Tree`.
        block: Meshes of a task.
        client: A `dask.distributed.Client`; None for this process.
        progress: Called with the number of tasks done and of all.
        retries: How often a task that fails is tried again. (Workers that are lost are Dask's to make up for.)

    Returns:
        A list of dicts in the order of the paths: `input`, `output`, `triangles`, `nodes`, `bytes`, `digest` of the output; or `input` and
        `error` for what is no mesh. `cooked.jsonl` in the folder has the same.

    Raises:
        ValueError: If two meshes would have one output.
    """
    if block < 1:
        raise ValueError("block: expected at least 1")
    paths = [os.fspath(path) for path in paths]
    names = [f"{posixpath.splitext(posixpath.basename(path))[0]}.{kind}.bvt" for path in paths]
    if len(set(names)) < len(names):
        double = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"several meshes would be cooked into {double}")
    rules = {"kind": kind, "preset": preset, **options}
    parts = list(zip(paths, names))
    tasks = [(parts[first : first + block], str(out), rules) for first in range(0, len(parts), block)]
    rows = [row for rows in _run(_cook_block, tasks, client, progress, retries) for row in rows]
    _write(out, "cooked.jsonl", _lines(rows))
    return rows


def sweep(
    tree_a,
    tree_b,
    poses,
    out,
    *,
    question="intersects",
    block=65536,
    format="jsonl",
    client=None,
    progress=None,
    retries=5,
):
    """Asks a question about two trees at very many poses.

    Args:
        tree_a, tree_b: Trees, or the paths of cooked ones.
        poses: (N, 4, 4) or (N, 3, 4), or the path of an `.npy` file of such, which is mapped and never read as a whole.
        out: The folder.
        question: "intersects", "count_pairs", "distance", "relation" or "closest".
        block: Poses of a task.
        format: "jsonl" or "parquet".
        client, progress, retries: As of `cook`.

    Returns:
        The names of the files in the folder, in the order of the poses, each with rows of `pose` (its place among all) and the answer.
        `sweep.json` in the folder lists them, too.
    """
    if question not in _QUESTIONS:
        raise ValueError(f"question: expected one of {', '.join(_QUESTIONS)}, got {question!r}")
    if format not in ("jsonl", "parquet"):
        raise ValueError(f"format: expected jsonl or parquet, got {format!r}")
    if block < 1:
        raise ValueError("block: expected at least 1")
    poses = np.load(poses, mmap_mode="r") if isinstance(poses, (str, os.PathLike)) else np.asarray(poses)
    if poses.ndim != 3 or poses.shape[1:] not in ((3, 4), (4, 4)):
        raise ValueError(f"poses: expected an array of shape (N, 4, 4) or (N, 3, 4), got {poses.shape}")
    trees = [_stored(tree, out) for tree in (tree_a, tree_b)]
    digests = [_known(tree)[1] for tree in trees]

    # Made when they are sent, so that no more poses are in memory than are being asked about.
    def task(first):
        return trees, digests, np.array(poses[first : first + block], dtype=np.float64), first, question, format, str(out)

    firsts = range(0, len(poses), block)
    names = _run(_sweep_block, firsts, client, progress, retries, make=task)
    about = {"question": question, "poses": len(poses), "block": block, "files": names}
    _write(out, "sweep.json", json.dumps(about, indent=1).encode())
    return names


def clash(bodies, out, *, clearance=0.0, tolerance=0.0, block=256, client=None, progress=None, retries=5):
    """Finds everything that clashes in an assembly: what `Scene.clash` of all bodies would.

    Args:
        bodies: Dicts of `name`, `tree` (a tree, or the path of a cooked one) and `pose` (None for where it is).
        out: The folder.
        clearance, tolerance: As of `Scene.clash`.
        block: Pairs of bodies of a task.
        client, progress, retries: As of `cook`.

    Returns:
        A list of dicts `a`, `b` (names), `relation`, `pairs`, `distance`, in the order of the bodies. `clash.jsonl` in the folder
        has the same.
    """
    bodies = [dict(body) for body in bodies]
    stored = {}
    for body in bodies:
        tree = body["tree"]
        key = tree if isinstance(tree, (str, os.PathLike)) else id(tree)
        if key not in stored:
            stored[key] = _stored(tree, out)
        body_pose = body.get("pose")
        pose = np.eye(4) if body_pose is None else bv.relative_pose(np.eye(4), body_pose)
        body.update(_tree=stored[key], _pose=pose)
    unique = sorted(set(stored.values()))
    known = dict(zip(unique, _run(_known, unique, client, None, retries)))
    for body in bodies:
        body["_bounds"], body["_digest"] = known[body["_tree"]]
    pairs = _near(bodies, clearance)

    def task(first):
        parts = [(int(i), int(j)) for i, j in pairs[first : first + block]]
        places = sorted({place for pair in parts for place in pair})
        trees = {i: bodies[i]["_tree"] for i in places}
        about = [(i, bodies[i]["_digest"], bodies[i]["_pose"].tolist()) for i in places]
        return parts, trees, about, clearance, tolerance, str(out)

    blocks = _run(_clash_block, range(0, len(pairs), block), client, progress, retries, make=task)
    rows = []
    for i, j, relation, count, distance in (row for rows in blocks for row in rows):
        names = {"a": bodies[i]["name"], "b": bodies[j]["name"]}
        rows.append({**names, "relation": relation, "pairs": count, "distance": distance})
    _write(out, "clash.jsonl", _lines(rows))
    return rows


def _run(task, items, client, progress, retries, make=None):
    """What the task gives for each item, in order; no more items are under way than keep the workers busy."""
    results, done = [None] * len(items), 0
    if client is None:
        for place, item in enumerate(items):
            results[place] = task(make(item) if make else item)
            done += 1
            if progress:
                progress(done, len(items))
        return results
    from dask.distributed import as_completed

    places, waiting = {}, iter(enumerate(items))

    def submit():
        for place, item in waiting:
            # Not by a digest of Dask's own: tasks know by themselves what is done already.
            future = client.submit(task, make(item) if make else item, retries=retries, pure=False)
            places[future.key] = place
            return future
        return None

    under_way = 4 * max(sum(client.nthreads().values()), 1)
    futures = as_completed([future for future in (submit() for _ in range(min(under_way, len(items)))) if future])
    for future in futures:
        results[places.pop(future.key)] = future.result()
        future.release()
        done += 1
        if progress:
            progress(done, len(items))
        more = submit()
        if more is not None:
            futures.add(more)
    return results


def _cook_block(task):
    parts, out, rules = task
    return [_cook_one(path, name, out, rules) for path, name in parts]


def _cook_one(path, name, out, rules):
    data = _read(path)
    digest = _digest(data, json.dumps(rules, sort_keys=True), bv.__version__)
    receipt = f"_done/{digest}.{name}.json"
    found = _read_if_there(out, receipt)
    if found is not None:
        row = json.loads(found)
        if _size(out, name) == row["bytes"]:
            return {**row, "input": path}
    try:
        with tempfile.TemporaryDirectory() as folder:
            # A file's name may tell its format; glTF's buffers lie beside the original.
            local = path if os.path.exists(path) else os.path.join(folder, posixpath.basename(path))
            if local is not path:
                with open(local, "wb") as file:
                    file.write(data)
            mesh = bv.Mesh.read(local)
        tree = bv.Tree(mesh, threads=1, **rules)
    except bv.Error as error:
        return {"input": path, "error": str(error)}
    cooked = tree.to_bytes()
    row = {
        "input": path,
        "output": name,
        "triangles": len(tree),
        "nodes": tree.node_count,
        "bytes": len(cooked),
        "digest": _digest(cooked),
    }
    _write(out, name, cooked)
    _write(out, receipt, json.dumps(row).encode())
    return row


def _sweep_block(task):
    trees, digests, poses, first, question, format, out = task
    digest = _digest(*digests, poses.tobytes(), question, bv.__version__)
    name = f"part-{first:012d}-{digest[:16]}.{format}"
    if _size(out, name) is not None:
        return name
    a, b = (_open(tree) for tree in trees)
    answers = _QUESTIONS[question](a, b, poses, threads=1)
    columns = {"pose": np.arange(first, first + len(poses))}
    if answers.dtype.names is None:
        columns[question] = answers
    else:
        columns.update({field: answers[field] for field in answers.dtype.names})
    columns = {field: values.tolist() for field, values in columns.items()}
    if format == "parquet":
        import pyarrow
        import pyarrow.parquet

        buffer = io.BytesIO()
        pyarrow.parquet.write_table(pyarrow.table(columns), buffer)
        data = buffer.getvalue()
    else:
        data = _lines(dict(zip(columns, row)) for row in zip(*columns.values()))
    _write(out, name, data)
    return name


def _clash_block(task):
    pairs, trees, about, clearance, tolerance, out = task
    digest = _digest(json.dumps([pairs, about, clearance, tolerance, bv.__version__]))
    name = f"_done/clash-{digest}.json"
    found = _read_if_there(out, name)
    if found is not None:
        return json.loads(found)
    rows, poses = [], {i: np.array(pose) for i, _, pose in about}
    for i, j in pairs:
        scene = bv.Scene(threads=1)
        for body in (i, j):
            scene.add(_open(trees[body]), poses[body])
        table = scene.clash(clearance=clearance, tolerance=tolerance)
        if len(table["a"]):
            row = str(table["relation"][0]), int(table["pairs"][0]), float(table["distance"][0])
            rows.append([i, j, *row])
    _write(out, name, json.dumps(rows).encode())
    return rows


def _known(path):
    """The box of a tree, and a digest of its file."""
    return _open(path).bounds, _digest(_read(path))


def _near(bodies, clearance):
    """Pairs of bodies whose boxes in the world are as near as the clearance, in order: by their intervals along x."""
    lower, upper = np.empty((len(bodies), 3)), np.empty((len(bodies), 3))
    for place, body in enumerate(bodies):
        low, high = body["_bounds"]
        rotation, translation = body["_pose"][:3, :3], body["_pose"][:3, 3]
        if not (low <= high).all():
            lower[place], upper[place] = np.inf, -np.inf
            continue
        center, half = rotation @ ((low + high) / 2) + translation, np.abs(rotation) @ ((high - low) / 2)
        # Room for rounding: pairs too many are told apart later.
        room = clearance / 2 + 1e-9 * (np.abs(center) + half) + 1e-4 * half.max()
        lower[place], upper[place] = center - half - room, center + half + room
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


def _stored(tree, out):
    """The path of a tree that every worker can open; with its content's digest in the name, if it was in memory."""
    if isinstance(tree, (str, os.PathLike)):
        return os.fspath(tree)
    data = tree.to_bytes()
    name = f"_trees/{_digest(data)}.bvt"
    if _size(out, name) != len(data):
        _write(out, name, data)
    return posixpath.join(str(out), name)


@functools.lru_cache(maxsize=256)
def _open(path):
    """A worker keeps the trees that it used last."""
    if os.path.exists(path):
        return bv.Tree.open(path, mmap=True)
    return bv.Tree.from_bytes(_read(path))


def _digest(*parts):
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        digest.update(len(data).to_bytes(8, "little"))
        digest.update(data)
    return digest.hexdigest()


def _lines(rows):
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def _store(path):
    import fsspec

    return fsspec.core.url_to_fs(str(path))


def _read(path):
    store, place = _store(path)
    return store.cat_file(place)


def _size(out, name):
    """Of a file in the folder; None if it is not there."""
    store, root = _store(out)
    try:
        return store.info(posixpath.join(root, name))["size"]
    except FileNotFoundError:
        return None


def _read_if_there(out, name):
    store, root = _store(out)
    try:
        return store.cat_file(posixpath.join(root, name))
    except FileNotFoundError:
        return None


def _write(out, name, data):
    """Writes a file that appears whole or not at all."""
    store, root = _store(out)
    place = posixpath.join(root, name)
    store.makedirs(posixpath.dirname(place), exist_ok=True)
    part = f"{place}.{uuid.uuid4().hex}.part"
    store.pipe_file(part, data)
    store.mv(part, place)
