"""Files in any store that fsspec supports."""

import hashlib
import json
import os
import posixpath
import uuid

# Object stores, where a file appears whole or not at all. In other stores, a file is written
# under another name and then renamed.
_WHOLE = {"s3", "s3a", "gs", "gcs", "az", "abfs", "abfss", "oss", "memory"}


def _at(path):
    import fsspec

    return fsspec.core.url_to_fs(str(path))


def read(path):
    store, place = _at(path)
    return store.cat_file(place)


def size(out, name):
    """Returns the size of a file in the folder, or None if it does not exist."""
    store, root = _at(out)
    try:
        return store.info(posixpath.join(root, name))["size"]
    except FileNotFoundError:
        return None


def check_written(out, name):
    """Checks that this process sees a file that a worker wrote.

    Raises:
        FileNotFoundError: If this process does not see the file.
    """
    if size(out, name) is None:
        text = f"{out}: a worker wrote {name}, but not to the same store: local folders may differ by machine"
        raise FileNotFoundError(text)


def read_if_there(out, name):
    store, root = _at(out)
    try:
        return store.cat_file(posixpath.join(root, name))
    except FileNotFoundError:
        return None


def write(out, name, data):
    """Writes a file that appears whole or not at all."""
    _put(out, name, lambda store, place: store.pipe_file(place, data))


def write_file(out, name, path):
    """Writes a local file, which may be larger than memory, so that it appears whole or not at all."""
    _put(out, name, lambda store, place: store.put_file(path, place))


def _put(out, name, put):
    store, root = _at(out)
    place = posixpath.join(root, name)
    store.makedirs(posixpath.dirname(place), exist_ok=True)
    protocols = {store.protocol} if isinstance(store.protocol, str) else set(store.protocol)
    if protocols & _WHOLE:
        put(store, place)
        return
    # A lost worker may leave part of a file here.
    part = posixpath.join(root, "_parts", uuid.uuid4().hex)
    store.makedirs(posixpath.dirname(part), exist_ok=True)
    put(store, part)
    store.mv(part, place)


def fetch(path, folder):
    """Returns the path of a local file with the contents of a file in any store: the file itself, or a copy."""
    from fsspec.implementations.local import LocalFileSystem

    store, place = _at(path)
    if isinstance(store, LocalFileSystem):
        return place
    copy = posixpath.join(folder, uuid.uuid4().hex + posixpath.splitext(place)[1])
    store.get_file(place, copy)
    return copy


def remove(out, name):
    """Removes a file, if it exists."""
    store, root = _at(out)
    try:
        store.rm_file(posixpath.join(root, name))
    except FileNotFoundError:
        pass


def write_list(out, name, data):
    """Writes the list of a run's results unless the file has these contents already."""
    if read_if_there(out, name) != data:
        write(out, name, data)


def lines(rows):
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def digest_of_file(path):
    """Returns the digest of a file's contents: that of `digest` with the contents as the only part."""
    whole = hashlib.sha256(os.path.getsize(path).to_bytes(8, "little"))
    with open(path, "rb") as file:
        while block := file.read(1 << 20):
            whole.update(block)
    return whole.hexdigest()


def digest(*parts):
    whole = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        whole.update(len(data).to_bytes(8, "little"))
        whole.update(data)
    return whole.hexdigest()
