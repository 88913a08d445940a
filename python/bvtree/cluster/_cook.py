"""Cooking of meshes."""

from __future__ import annotations

import json
import os
import posixpath
import tempfile
import urllib.parse
from collections import Counter
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterable, List, Optional

from bvtree import _bvtree as bv
from bvtree.cluster._run import run
from bvtree.cluster._store import check_written, digest, lines, read, read_if_there, size, write, write_list

if TYPE_CHECKING:
    from bvtree._types import Kind, Path, Preset


def cook(
    paths: Iterable[Path],
    out: Any,
    *,
    kind: Kind = "obb",
    preset: Preset = "balanced",
    block: int = 16,
    client: Any = None,
    progress: Optional[Callable[[int, int], object]] = None,
    retries: int = 5,
    **options: Any,
) -> List[Dict[str, Any]]:
    """Cooks meshes into trees, each into a file `<stem>.<kind>.bvt`.

    Args:
        paths: Mesh files, local or in any store.
        out: The folder for results.
        kind, preset, options: See `bvtree.Tree`.
        block: Number of meshes in a task.
        client: A `dask.distributed.Client`; None runs in this process.
        progress: Called with the number of finished tasks and of all tasks.
        retries: How often a failed task is repeated. Dask itself repeats the tasks of lost workers.

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
    """Returns the names and bytes of the files that a glTF file refers to."""
    try:
        uris = [buffer.get("uri", "") for buffer in json.loads(data)["buffers"]] if data.lstrip()[:1] == b"{" else []
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
    receipt = f"_done/{digest(data, *parts, json.dumps(rules, sort_keys=True), bv.__version__)}.{name}.json"
    found = read_if_there(out, receipt)
    if found is not None:
        row = json.loads(found)
        if size(out, name) == row["bytes"]:
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
    write(out, receipt, json.dumps(row).encode())
    return row


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
