"""Sweeps: one query on two trees at many poses."""

from __future__ import annotations

import io
import json
import os
from typing import TYPE_CHECKING, Any, Callable, List, Literal, Optional, Union

import numpy as np
from numpy.typing import ArrayLike

from bvtree import _bvtree as bv
from bvtree.cluster._run import run
from bvtree.cluster._store import check_written, digest, lines, size, write, write_list
from bvtree.cluster._trees import known, opened, stored

if TYPE_CHECKING:
    from bvtree._types import Path

_QUESTIONS = {
    "intersects": bv.intersects,
    "count_pairs": bv.count_pairs,
    "distance": bv.distance,
    "relation": bv.relation,
    "closest_points": bv.closest_points,
}


def sweep(
    tree_a: Union[bv.Tree, Path],
    tree_b: Union[bv.Tree, Path],
    poses: Union[ArrayLike, Path],
    out: Any,
    *,
    question: Literal["intersects", "count_pairs", "distance", "relation", "closest_points"] = "intersects",
    block: int = 65536,
    format: Literal["jsonl", "parquet"] = "jsonl",
    client: Any = None,
    progress: Optional[Callable[[int, int], object]] = None,
    retries: int = 5,
) -> List[str]:
    """Runs a query on two trees at very many poses.

    Args:
        tree_a, tree_b: Trees, or paths of cooked trees.
        poses: Poses of B in A's frame, (N, 4, 4) or (N, 3, 4), or the path of an `.npy` file with such an array, which
            is mapped into memory and never read as a whole.
        out: The folder for results.
        question: "intersects", "count_pairs", "distance", "relation" or "closest_points".
        block: Number of poses in a task.
        format: "jsonl" or "parquet".
        client, progress, retries: See `cook`.

    Returns:
        The names of the files in the folder, in the order of the poses. Their rows contain `pose`, its index among all
        poses, and the result. The file `sweep.json` in the folder lists the names too.

    Raises:
        ValueError: If the question or the format is unknown, the poses have another shape, or the block is less than 1.
        InvalidPose: If a pose is not a rotation and a translation.
        OSError: If a file cannot be read or written.
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
    trees = [stored(tree, out) for tree in (tree_a, tree_b)]
    digests = [known(tree)[1] for tree in trees]

    # Tasks are created when they are sent, so that only the poses of current tasks are in memory.
    def task(first):
        part = np.array(poses[first : first + block], dtype=np.float64)
        return trees, digests, part, first, question, format, str(out)

    firsts = range(0, len(poses), block)
    names = run(_sweep_block, firsts, client, progress, retries, make=task)
    for name in names[:1]:
        check_written(out, name)
    about = {"question": question, "poses": len(poses), "block": block, "files": names}
    write_list(out, "sweep.json", json.dumps(about, indent=1).encode())
    return names


def _sweep_block(task):
    trees, digests, poses, first, question, format, out = task
    name = f"part-{first:012d}-{digest(*digests, poses.tobytes(), question, bv.__version__)[:16]}.{format}"
    if size(out, name) is not None:
        return name
    a, b = (opened(*tree) for tree in zip(trees, digests))
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
        data = lines(dict(zip(columns, row)) for row in zip(*columns.values()))
    write(out, name, data)
    return name
