"""Cooking of meshes."""

from __future__ import annotations

import io
import json
import os
import posixpath
import tempfile
import urllib.parse
from collections import Counter
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterable, List, Optional

import numpy as np

from bvtree import _bvtree as bv
from bvtree.cluster._run import run
from bvtree.cluster._store import check_written, digest, digest_of_file, fetch, lines, read, read_if_there, remove, size
from bvtree.cluster._store import write, write_file, write_list

if TYPE_CHECKING:
    from bvtree._types import Kind, Path, Preset


def cook(
    paths: Iterable[Path],
    out: Any,
    *,
    kind: Kind = "obb",
    preset: Preset = "balanced",
    block: int = 16,
    memory: Optional[int] = None,
    client: Any = None,
    progress: Optional[Callable[[int, int], object]] = None,
    retries: int = 5,
    **options: Any,
) -> List[Dict[str, Any]]:
    """Cooks meshes into trees, each into a file `<stem>.<kind>.bvt`.

    Each mesh is cooked by one worker, in its memory. With `memory`, meshes may be larger: one after the other is read
    and divided into tiles by this process, workers build the trees of the tiles, and this process joins them.

    Args:
        paths: Mesh files, local or in any store.
        out: The folder for results.
        kind, preset, options: See `bvtree.Tree`.
        block: Number of meshes in a task.
        memory: If not None, the number of bytes of memory that reading and cooking a mesh may take in a process, as
            with `bvtree cook --memory`, which writes the same file. Meshes must be STL or PLY files. The folder of
            Python's `tempfile` must have room for the result, up to 60 bytes for each triangle, and copies of
            meshes and tiles that are not local files. A task is then a tile.
        client: A `dask.distributed.Client`; None runs in this process.
        progress: Called with the number of finished tasks and of all tasks; with `memory`, those of one mesh.
        retries: How many times a failed task is repeated. Dask itself repeats the tasks of lost workers.

    Returns:
        A list of dicts in the order of the paths, with the keys `input`, `output`, `triangles`, `nodes`, `bytes` and
        `digest` (of the output); or `input` and `error` for an invalid mesh. The file `cooked.jsonl` in the folder
        contains the same.

    Raises:
        ValueError: If two meshes would have the same output.
        FileNotFoundError: If a mesh does not exist, or the workers write to another store than this process reads.
    """
    if block < 1:
        raise ValueError("block: expected at least 1")
    paths = [os.fspath(path) for path in paths]
    names = [f"{posixpath.splitext(_file_name(path))[0]}.{kind}.bvt" for path in paths]
    double, count = next(iter(Counter(names).most_common(1)), (None, 0))
    if count > 1:
        raise ValueError(f"several meshes would be cooked into {double}")
    rules = {"kind": kind, "preset": preset, **options}
    parts = list(zip(paths, names))
    if memory is not None:
        rows = [_cook_large(*part, str(out), rules, memory, client, progress, retries) for part in parts]
    else:
        tasks = [(parts[first : first + block], str(out), rules) for first in range(0, len(parts), block)]
        rows = [row for rows in run(_cook_block, tasks, client, progress, retries) for row in rows]
    for row in [row for row in rows if "output" in row][:1]:
        check_written(out, row["output"])
    write_list(out, "cooked.jsonl", lines(rows))
    return rows


def _file_name(path):
    """Returns the last part of a path; in a chain such as `zip://gear.obj::s3://bucket/m.zip`, the first path's."""
    return posixpath.basename(path.split("::")[0])


def _beside(path, data):
    """Returns the names and bytes of the files that a glTF or GLB file refers to."""
    text = data
    if data[:4] == b"glTF":
        # The first chunk after the header of 12 bytes is the JSON; its length and its type precede it.
        text = data[20 : 20 + int.from_bytes(data[12:16], "little")]
    is_json = text.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] == b"{"
    try:
        uris = [buffer.get("uri", "") for buffer in json.loads(text)["buffers"]] if is_json else []
    except (ValueError, LookupError, AttributeError, TypeError):
        return {}
    names = {urllib.parse.unquote(uri) for uri in uris if isinstance(uri, str) and uri and ":" not in uri}
    near = {name for name in names if not name.startswith("/") and ".." not in name.split("/")}
    first, *rest = path.split("::")
    folder = first[: first.rfind("/") + 1]
    return {name: read("::".join([folder + name, *rest])) for name in sorted(near)}


def _cook_block(task):
    parts, out, rules = task
    return [_cook_one(path, name, out, rules) for path, name in parts]


def _cook_one(path, name, out, rules):
    data = read(path)
    try:
        beside = _beside(path, data)
    except FileNotFoundError as error:
        return {"input": path, "error": str(error)}
    parts = [part for name, data in beside.items() for part in (name, data)]
    key = _digest_by(rules, data, *parts)
    row = _row_if_done(out, name, key)
    if row is not None:
        return {**row, "input": path}
    try:
        tree = bv.Tree(_mesh(path, data, beside), threads=1, **rules)
    except bv.Error as error:
        return {"input": path, "error": str(error)}
    cooked = tree.to_bytes()
    row = {
        "input": path,
        "output": name,
        "triangles": len(tree),
        "nodes": tree.node_count,
        "bytes": len(cooked),
        "digest": digest(cooked),
    }
    write(out, name, cooked)
    _write_receipt(out, name, key, row)
    return row


def _digest_by(rules, *parts):
    """Returns a digest of everything that a tree depends on: what it is built from, the rules and the version."""
    return digest(*parts, json.dumps(rules, sort_keys=True), bv.__version__)


def _row_if_done(out, name, key):
    """Returns what its receipt says about an output, or None if the output is missing, incomplete or of another key.

    The receipt of another key is removed, so that it does not vouch for what is written next.
    """
    found = read_if_there(out, _receipt(name))
    if found is None:
        return None
    row = json.loads(found)
    if row.pop("key") != key:
        remove(out, _receipt(name))
        return None
    return row if size(out, name) == row["bytes"] else None


def _write_receipt(out, name, key, row):
    write(out, _receipt(name), json.dumps({"key": key, **row}).encode())


def _receipt(name):
    return f"_done/{name}.json"


def _cook_large(path, name, out, rules, memory, client, progress, retries):
    with tempfile.TemporaryDirectory() as folder:
        mesh = fetch(path, folder)
        key = _digest_by({**rules, "memory": memory}, digest_of_file(mesh))
        row = _row_if_done(out, name, key)
        if row is not None:
            return {**row, "input": path}
        try:
            divided = bv._DividedMesh(mesh, folder, memory, **rules)
        except bv.Error as error:
            return {"input": path, "error": str(error)}
        tiles = run(_build_tile, range(len(divided)), client, progress, retries, lambda i: _tile(divided, i, out, rules))
        check_written(out, f"{tiles[0]}.bvt")
        cooked = os.path.join(folder, name)
        trees = [fetch(posixpath.join(out, f"{tile}.bvt"), folder) for tile in tiles]
        triangles, nodes = divided.cook(cooked, trees)
        row = {
            "input": path,
            "output": name,
            "triangles": triangles,
            "nodes": nodes,
            "bytes": os.path.getsize(cooked),
            "digest": digest_of_file(cooked),
        }
        write_file(out, name, cooked)
    _write_receipt(out, name, key, row)
    for tile in set(tiles):
        remove(out, f"{tile}.npz")
        remove(out, f"{tile}.bvt")
    return row


def _tile(divided, number, out, rules):
    """Writes a tile for a worker, unless its tree is there; returns the task."""
    mesh, whole, max_depth = divided.tile(number)
    arrays = {"vertices": mesh.vertices, "faces": mesh.faces, "whole": whole, "max_depth": np.array(max_depth)}
    tile = f"_tiles/{_digest_by(rules, *(array.tobytes() for array in arrays.values()))}"
    if size(out, f"{tile}.bvt") is None:
        data = io.BytesIO()
        np.savez(data, **arrays)
        write(out, f"{tile}.npz", data.getvalue())
    return tile, out, rules


def _build_tile(task):
    tile, out, rules = task
    if size(out, f"{tile}.bvt") is None:
        with np.load(io.BytesIO(read(posixpath.join(out, f"{tile}.npz")))) as arrays:
            mesh = bv.Mesh(arrays["vertices"], arrays["faces"])
            rules = {**rules, "max_depth": int(arrays["max_depth"])}
            tree = bv._build_tile(mesh, arrays["whole"].tolist(), threads=1, **rules)
        write(out, f"{tile}.bvt", tree.to_bytes())
    return tile


def _mesh(path, data, beside):
    if os.path.exists(path):
        return bv.Mesh.open(path)
    with tempfile.TemporaryDirectory() as folder:
        for name, part in {**beside, _file_name(path): data}.items():
            local = os.path.join(folder, name)
            os.makedirs(os.path.dirname(local), exist_ok=True)
            with open(local, "wb") as file:
                file.write(part)
        return bv.Mesh.open(os.path.join(folder, _file_name(path)))
