"""Functions that choose the pairs of a scene, and that query other scenes in the midst of its queries."""

import concurrent.futures
import threading

import pytest

import bvtree
from conftest import box, random_poses, soup


@pytest.mark.parametrize("threads", [1, None])
def test_a_filter_chooses_pairs(rng, threads):
    tree = bvtree.Tree(box())
    scene, poses = bvtree.Scene(threads=threads), random_poses(rng, 40, 1.5)
    for pose in poses:
        scene.add(tree, pose)
    everything = scene.intersecting_pairs().tolist()
    for modulus in (2, 3):
        scene.set_pair_filter(lambda a, b: (a + b) % modulus)
        expected = [[a, b] for a, b in everything if (a + b) % modulus]
        assert scene.intersecting_pairs().tolist() == expected and len(expected) < len(everything)
        assert [[row["a"], row["b"]] for row in scene.pairs_within(0.0)] == expected
    # Exceptions end the query, and are those of the next one only if they are raised again.
    fails = True

    def accepts(a, b):
        assert a < b
        if fails and (a, b) == tuple(everything[-1]):
            raise LookupError("of the filter")
        return True

    scene.set_pair_filter(accepts)
    for _ in range(2):
        with pytest.raises(LookupError, match="of the filter"):
            scene.intersecting_pairs()
    fails = False
    assert scene.intersecting_pairs().tolist() == everything
    # Other questions are allowed, such as those of another scene, and of this one not.
    other = bvtree.Scene()
    other.add(tree), other.add(tree)
    scene.set_pair_filter(lambda a, b: len(other.intersecting_pairs()) == 1)
    assert scene.intersecting_pairs().tolist() == everything
    scene.set_pair_filter(lambda a, b: len(scene))
    with pytest.raises(RuntimeError, match="in the midst of the query"):
        scene.intersecting_pairs()
    scene.set_pair_filter(None)
    assert scene.intersecting_pairs().tolist() == everything
    with pytest.raises(TypeError, match="must be callable"):
        scene.set_pair_filter(3)


@pytest.mark.parametrize("threads", [1, 2, 8])
def test_filters_of_several_threads_wait_for_an_object(rng, threads):
    tree, dense = bvtree.Tree(box()), bvtree.Tree(soup(rng, 60))
    poses = random_poses(rng, 60, 1.5)

    def scene_of(mesh, count):
        scene = bvtree.Scene(threads=threads)
        for pose in poses[:count]:
            scene.add(mesh, pose)
        return scene

    outer, middle, inner = scene_of(tree, 60), scene_of(dense, 12), scene_of(dense, 6)
    everything, between, within = (scene.intersecting_pairs().tolist() for scene in (outer, middle, inner))
    def with_inner(a, b):
        return inner.intersecting_pairs().tolist() == within

    def with_middle(a, b):
        middle.set_pair_filter(with_inner)
        return middle.intersecting_pairs().tolist() == between

    outer.set_pair_filter(with_middle)
    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        asked = [pool.submit(scene.intersecting_pairs) for scene in (outer, middle, inner, outer, middle, outer)]
        answers = [ask.result(timeout=100).tolist() for ask in asked]
    assert answers == [everything, between, within, everything, between, everything]


@pytest.mark.parametrize("threads", [1, 2])
def test_filters_never_wait_for_each_other(rng, threads):
    tree = bvtree.Tree(box())
    first, second = bvtree.Scene(threads=threads), bvtree.Scene(threads=threads)
    for scene in (first, second):
        scene.add(tree), scene.add(tree)
    both = threading.Barrier(2)

    def asks(other):
        def accepts(a, b):
            both.wait(timeout=100)
            return len(other) == 2

        return accepts

    for _ in range(20):
        first.set_pair_filter(asks(second))
        second.set_pair_filter(asks(first))
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            asked = [pool.submit(scene.intersecting_pairs) for scene in (first, second)]
            errors = [ask.exception(timeout=100) for ask in asked]
        # One fails, and the other one gets what it waits for.
        failed = [error for error in errors if error is not None]
        assert len(failed) == 1 and "in the midst of the query" in str(failed[0])
