"""Trees that every worker can open."""

import os
import posixpath
import threading
from collections import OrderedDict

from bvtree import _bvtree as bv
from bvtree.cluster._store import digest, read, size, write

# A worker keeps the trees that it used last, of so many bytes together.
_MOST = 1 << 29
_kept, _lock = OrderedDict(), threading.Lock()


def stored(tree, out):
    """The path of a tree; with its content's digest in the name, if it was in memory."""
    if isinstance(tree, (str, os.PathLike)):
        return os.fspath(tree)
    data = tree.to_bytes()
    name = f"_trees/{digest(data)}.bvt"
    if size(out, name) != len(data):
        write(out, name, data)
    return posixpath.join(str(out), name)


def known(path):
    """The box of a tree, and a digest of its file."""
    data = read(path)
    return bv.Tree.from_bytes(data).bounds, digest(data)


def opened(path, expected):
    """The tree of a file of that digest.

    Raises:
        ValueError: If the file has changed since the run began.
    """
    key = path, expected
    with _lock:
        if key in _kept:
            _kept.move_to_end(key)
            return _kept[key]
    data = read(path)
    if digest(data) != expected:
        raise ValueError(f"{path}: has changed since the run began")
    tree = bv.Tree.open(path, mmap=True) if os.path.exists(path) else bv.Tree.from_bytes(data)
    with _lock:
        _kept[key] = tree
        while len(_kept) > 2 and sum(tree.nbytes for tree in _kept.values()) > _MOST:
            _kept.popitem(last=False)
    return tree
