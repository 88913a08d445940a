"""Cooking, pose sweeps and clash detection on many machines, with Dask.

    client = dask.distributed.Client(...)            # None runs in this process, with the same results
    bvtree.cluster.cook(paths, "s3://bucket/cooked", client=client)
    bvtree.cluster.cook(["scan.ply"], "cooked", memory=2_000_000_000, client=client)      # its tiles, on all workers
    bvtree.cluster.sweep("a.bvt", "b.bvt", poses, "sweep", question="distance", client=client)
    bvtree.cluster.clash(bodies, "clash", clearance=0.01, client=client)

`out` is a folder in any store that fsspec supports and every worker can write to. Credentials and endpoints come from
fsspec's configuration or the environment of each worker.

Runs can be resumed. A task's files are named by a digest of everything that they depend on, and appear whole or not at
all. A task that runs twice, because a worker was lost or late, writes the same file; an interrupted run continues where
it stopped; a complete run does nothing when it is repeated. Files contain no times, and their bytes do not depend on
the number of workers.

Requires fsspec, which Dask installs, and fsspec's package for the store, such as s3fs; `format="parquet"` requires
pyarrow.
"""

from bvtree.cluster._clash import clash
from bvtree.cluster._cook import cook
from bvtree.cluster._sweep import sweep

__all__ = ["clash", "cook", "sweep"]
