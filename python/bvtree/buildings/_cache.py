"""A cache of converted files: a folder for each, which appears whole or not at all."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import tempfile
import time
from typing import Callable, Optional

# Entries that were used so recently may be in use by another process.
_RECENT = 600
# Older unfinished folders were left behind by a process that was killed.
_ABANDONED = 86_400
_UNFINISHED = ".unfinished-"


def default_folder() -> str:
    """Returns the folder named by `BVTREE_CACHE`, or `bvtree` in the user's folder for caches."""
    chosen = os.environ.get("BVTREE_CACHE")
    if chosen:
        return chosen
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or os.path.expanduser("~")
    elif sys.platform == "darwin":
        base = os.path.expanduser("~/Library/Caches")
    else:
        base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return os.path.join(base, "bvtree")


class Cache:
    """Folders, each with a key. The least recently used ones are deleted when all together exceed a size.

    Args:
        folder: Where the folders are kept; by default the folder that `BVTREE_CACHE` names, or the user's folder for
            caches.
        size: The size in bytes.

    Raises:
        Nothing: The folder is made by `get`.
    """

    def __init__(self, folder: Optional[str] = None, size: int = 4 << 30) -> None:
        self.folder = folder or default_folder()
        self.size = size

    def get(self, key: str, make: Callable[[str], object]) -> str:
        """Returns the path of a key's folder. If the key has none yet, calls `make` with an empty folder to fill.

        An exception in `make` leaves nothing behind. If two processes make the same folder at the same time, both
        succeed.

        Raises:
            OSError: If the cache's folder cannot be written.
            Exception: What `make` raises.
        """
        path = os.path.join(self.folder, key)
        with contextlib.suppress(FileNotFoundError):
            os.utime(path)
            return path
        os.makedirs(self.folder, exist_ok=True)
        unfinished = tempfile.mkdtemp(prefix=_UNFINISHED, dir=self.folder)
        try:
            make(unfinished)
            os.chmod(unfinished, 0o755)
            try:
                os.rename(unfinished, path)
            except OSError:
                if not os.path.isdir(path):
                    raise
        finally:
            shutil.rmtree(unfinished, ignore_errors=True)
        self.trim(keep=key)
        return path

    def trim(self, keep: str = "") -> None:
        """Deletes the least recently used folders until all together are within the size.

        Args:
            keep: The key of a folder that stays.

        Raises:
            OSError: If the cache's folder cannot be read. What cannot be deleted stays.
        """
        entries, now = [], time.time()
        for entry in os.scandir(self.folder):
            # Another process may delete or finish a folder meanwhile.
            with contextlib.suppress(FileNotFoundError):
                age = now - entry.stat().st_mtime
                if entry.name.startswith(_UNFINISHED):
                    if age > _ABANDONED:
                        shutil.rmtree(entry.path, ignore_errors=True)
                elif entry.is_dir():
                    entries.append((age, _size(entry.path), entry))
        total = sum(size for _, size, _ in entries)
        for age, size, entry in sorted(entries, key=lambda entry: -entry[0]):
            if total <= self.size or age < _RECENT:
                break
            if entry.name != keep:
                shutil.rmtree(entry.path, ignore_errors=True)
                total -= size


def _size(folder):
    return sum(file.stat().st_size for file in os.scandir(folder) if file.is_file())
