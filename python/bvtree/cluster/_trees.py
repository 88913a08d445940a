"""Trees in a store, opened and cached by workers."""

import os
import posixpath
import threading
from collections import OrderedDict

from bvtree import _bvtree as bv
from bvtree.cluster._store import digest, read, size, write

# Maximum size in bytes of the recently used trees that a worker caches; it always keeps the last two.
_MOST = 1 << 29
_kept, _lock = OrderedDict(), threading.Lock()


def stored(tree, out):
    """Returns the path of a tree. A tree in memory is written under its digest first."""
    if isinstance(tree, (str, os.PathLike)):
        return os.fspath(tree)
    data = tree.to_bytes()
    name = f"_trees/{digest(data)}.bvt"
    if size(out, name) != len(data):
        write(out, name, data)
    return posixpath.join(str(out), name)


def known(path):
    """Returns the bounds of a cooked tree and the digest of its file."""
    data = read(path)
    return bv.Tree.from_bytes(data).bounds, digest(data)


def opened(path, expected):
    """Returns the tree of a file that has the expected digest.

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
