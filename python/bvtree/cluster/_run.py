"""Tasks, in this process or on a cluster's workers."""


def run(task, items, client, progress, retries, make=None):
    """What the task gives for each item, in order; no more items are under way than keep the workers busy."""
    results, done = [None] * len(items), 0
    if client is None:
        for place, item in enumerate(items):
            results[place] = task(make(item) if make else item)
            done += 1
            if progress:
                progress(done, len(items))
        return results
    from dask.distributed import as_completed

    places, waiting = {}, iter(enumerate(items))

    def submit():
        for place, item in waiting:
            # Not by a digest of Dask's own: tasks know by themselves what is done already.
            future = client.submit(task, make(item) if make else item, retries=retries, pure=False)
            places[future.key] = place
            return future
        return None

    under_way = 4 * max(sum(client.nthreads().values()), 1)
    futures = as_completed([future for future in (submit() for _ in range(min(under_way, len(items)))) if future])
    for future in futures:
        results[places.pop(future.key)] = future.result()
        future.release()
        done += 1
        if progress:
            progress(done, len(items))
        more = submit()
        if more is not None:
            futures.add(more)
    return results
