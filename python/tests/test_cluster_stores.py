"""The cluster's work in stores that are no folders: one in memory, and an S3 of which a worker is killed."""

import os

import pytest

fsspec = pytest.importorskip("fsspec")

import bvtree
import bvtree.cluster
from test_cluster import MESHES, files, killer, works

ACCESS = {
    "AWS_ACCESS_KEY_ID": "testing",
    "AWS_SECRET_ACCESS_KEY": "testing",
    "AWS_DEFAULT_REGION": "us-east-1",
    "AWS_EC2_METADATA_DISABLED": "true",
}


def stored(url):
    """Everything below a folder of a store, by name."""
    store, root = fsspec.core.url_to_fs(url)
    store.invalidate_cache()
    return {path[len(root) :].lstrip("/"): store.cat_file(path) for path in store.find(root)}


def test_in_memory(tmp_path):
    store = fsspec.filesystem("memory")
    store.pipe_file("/meshes/cube.obj", b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    (row,) = bvtree.cluster.cook(["memory://meshes/cube.obj"], "memory://cooked")
    assert row["output"] == "cube.obb.bvt" and row["triangles"] == 1
    expected = works(tmp_path)
    assert works("memory://all") == expected
    assert stored("memory://all") == files(tmp_path)
    made = {path: store.modified(path) for path in store.find("/all")}
    assert works("memory://all") == expected
    assert {path: store.modified(path) for path in store.find("/all")} == made


def test_workers_with_a_store_of_their_own(client):
    with pytest.raises(FileNotFoundError, match="not to the same store"):
        bvtree.cluster.cook(MESHES[:1], "memory://nobody-sees", client=client)


def test_in_s3_with_a_worker_killed(tmp_path, client, monkeypatch):
    moto = pytest.importorskip("moto.server")
    s3fs = pytest.importorskip("s3fs")
    server = moto.ThreadedMotoServer(port=0, verbose=False)
    server.start()
    try:
        host, port = server.get_host_and_port()
        access = {**ACCESS, "AWS_ENDPOINT_URL": f"http://{host}:{port}"}
        for name, value in access.items():
            monkeypatch.setenv(name, value)
        client.run(lambda: os.environ.update(access))
        store = s3fs.S3FileSystem()
        store.mkdir("bucket")
        expected = works(tmp_path)
        progress, killed = killer(client)
        assert works("s3://bucket/all", client, progress) == expected
        assert len(killed) > 0
        assert stored("s3://bucket/all") == files(tmp_path)
        times = {path: about["LastModified"] for path, about in store.find("bucket", detail=True, refresh=True).items()}
        assert works("s3://bucket/all", client) == expected
        again = store.find("bucket", detail=True, refresh=True)
        assert {path: about["LastModified"] for path, about in again.items()} == times
        # Meshes of a store, too.
        store.put(str(MESHES[0]), "bucket/meshes/")
        (row,) = bvtree.cluster.cook([f"s3://bucket/meshes/{MESHES[0].name}"], "s3://bucket/cooked", client=client)
        assert row["digest"] == expected[0][0]["digest"]
    finally:
        server.stop()
        s3fs.S3FileSystem.clear_instance_cache()
