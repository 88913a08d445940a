"""Running tasks in this process or on the workers of a cluster."""


def run(task, items, client, progress, retries, make=None):
    """Runs a task on each item and returns the results in order.

    At any time, only as many items are submitted as keep the workers busy.
    """
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
            # `pure=False`: tasks recognize finished work themselves, so Dask need not hash them.
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
