"""Files of any store that fsspec knows."""

import hashlib
import json
import posixpath
import uuid

# Stores of objects, where what is put is there as a whole or not at all. In others a file is written beside and then renamed.
_WHOLE = {"s3", "s3a", "gs", "gcs", "az", "abfs", "abfss", "oss", "memory"}


def _at(path):
    import fsspec

    return fsspec.core.url_to_fs(str(path))


def read(path):
    store, place = _at(path)
    return store.cat_file(place)


def size(out, name):
    """Of a file in the folder; None if it is not there."""
    store, root = _at(out)
    try:
        return store.info(posixpath.join(root, name))["size"]
    except FileNotFoundError:
        return None


def check_written(out, name):
    """That a file of a worker's is there for this process.

    Raises:
        FileNotFoundError: If it is not.
    """
    if size(out, name) is None:
        raise FileNotFoundError(f"{out}: a worker wrote {name}, but not to the same store: memory and local folders may be its own")


def read_if_there(out, name):
    store, root = _at(out)
    try:
        return store.cat_file(posixpath.join(root, name))
    except FileNotFoundError:
        return None


def write(out, name, data):
    """Writes a file that appears whole or not at all."""
    store, root = _at(out)
    place = posixpath.join(root, name)
    store.makedirs(posixpath.dirname(place), exist_ok=True)
    protocols = {store.protocol} if isinstance(store.protocol, str) else set(store.protocol)
    if protocols & _WHOLE:
        store.pipe_file(place, data)
        return
    # What a lost worker leaves of a file lies apart.
    part = posixpath.join(root, "_parts", uuid.uuid4().hex)
    store.makedirs(posixpath.dirname(part), exist_ok=True)
    store.pipe_file(part, data)
    store.mv(part, place)


def write_list(out, name, data):
    """Writes what a run gives as a whole, if it is not there already."""
    if read_if_there(out, name) != data:
        write(out, name, data)


def lines(rows):
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def digest(*parts):
    whole = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        whole.update(len(data).to_bytes(8, "little"))
        whole.update(data)
    return whole.hexdigest()
