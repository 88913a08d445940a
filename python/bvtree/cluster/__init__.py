"""Cooking, sweeps and clash on many machines: work is divided into tasks for Dask, and what they give is files.

    client = dask.distributed.Client(...)            # None asks in this process, with the same results
    bvtree.cluster.cook(paths, "s3://bucket/cooked", client=client)
    bvtree.cluster.sweep("a.bvt", "b.bvt", poses, "sweep", question="distance", client=client)
    bvtree.cluster.clash(bodies, "clash", clearance=0.01, client=client)

`out` is a folder of any store that fsspec knows and every worker can write to; credentials and endpoints are those of fsspec's configuration or the
environment, on each of them. A task's files are named by a digest of all that it depends on, and appear whole or not at
all. So a task that is done twice, because a worker was lost or late, gives the same file; a run that was broken off goes on where it was; and one
that is complete does nothing when it is run again. Files hold no times and do not depend on who wrote them: they are the same bytes for any number of workers.

Needs fsspec, which Dask brings, and what fsspec needs for a store, such as s3fs; `format="parquet"` needs pyarrow.
"""

from bvtree.cluster._clash import clash
from bvtree.cluster._cook import cook
from bvtree.cluster._sweep import sweep

__all__ = ["clash", "cook", "sweep"]
