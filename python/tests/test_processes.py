"""Threads, processes, signals and memory."""

import gc
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
import warnings

import numpy as np
import pytest

import bvtree
from conftest import box, moved, random_poses, soup


def test_threads_share_trees_and_run_at_once(gear, rng):
    poses = random_poses(rng, 200, 20)
    expected = bvtree.distance(gear, gear, poses).tolist()
    answers = [None] * 4

    def ask(i):
        answers[i] = [bvtree.distance(gear, gear, pose) for pose in poses]

    threads = [threading.Thread(target=ask, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [expected] * 4


def test_other_threads_run_while_one_asks(rng):
    """A pure Python thread goes on counting while another is in one long call."""
    mesh = bvtree.Mesh(*soup(rng, 4000))
    tree = bvtree.Tree(mesh)
    poses = random_poses(rng, 30, 0.1)
    during, stop = [0], threading.Event()

    def count():
        while not stop.is_set():
            during[0] += 1
            time.sleep(0.0005)

    counter = threading.Thread(target=count)
    counter.start()
    before = during[0]
    bvtree.count_pairs(tree, tree, poses, threads=1)
    counted = during[0] - before
    stop.set()
    counter.join()
    assert counted > 5


def test_threads_change_and_ask_one_scene(gear):
    """Each with bodies of its own, far from the others'."""
    scene, found = bvtree.Scene(), [None] * 4

    def work(i):
        place, told = 1000.0 * i, []
        for step in range(30):
            first, second = scene.add(gear, moved(x=place)), scene.add(gear, moved(x=place + 100))
            scene.set_pose(second, moved(x=place + 40))
            told.append(sorted(pair for pair in scene.intersecting_pairs().tolist() if first in pair) == [[first, second]])
            scene.remove(first), scene.remove(second)
        found[i] = told

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [[True] * 30] * 4 and len(scene) == 0


def _ask(tree):
    poses = np.tile(np.eye(4), (3000, 1, 1))
    poses[:, 0, 3] = np.linspace(0, 100, 3000)
    scene = bvtree.Scene()
    scene.add(tree), scene.add(tree, moved(x=40))
    return (
        bvtree.distance(tree, tree, poses).sum(),
        bvtree.relation(tree, tree, moved(x=40)),
        tree.contains([1, 2, 3]),
        len(bvtree.Tree(tree.to_mesh(), "aabb")),
        scene.intersecting_pairs().tolist(),
    )


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_processes(gear, method):
    if method not in multiprocessing.get_all_start_methods():
        pytest.skip(f"no {method} here")
    # The parent's pools have threads by now, which a forked child lacks.
    expected = _ask(gear)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        with multiprocessing.get_context(method).Pool(2) as pool:
            assert pool.map_async(_ask, [gear] * 4).get(timeout=120) == [expected] * 4
    assert _ask(gear) == expected


INTERRUPTED = """
import signal, sys, threading, time
import numpy as np
import bvtree

# Who starts tests in the background has it ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)

rng = np.random.default_rng(0)
corners = (rng.random((8000, 1, 3)) + 0.3 * rng.random((8000, 3, 3))).reshape(-1, 3)
tree = bvtree.Tree((corners, np.arange(24000).reshape(-1, 3)), preset="fast")
poses = np.tile(np.eye(4), (10000, 1, 1))
poses[:, 0, 3] = np.linspace(0, 0.1, 10000)

piled = np.tile(corners, (20, 1)), np.arange(480_000).reshape(-1, 3)
many = [bvtree.Tree(piled, preset="fast")] * 2 if "many" in {call!r} else None

def copies(corners):
    vertices = np.tile(np.float32(corners), (20_000, 1))
    # Of equal triangles one would stand for all.
    vertices[2::3, 0] += 1e-9 * np.arange(20_000)
    return bvtree.Tree((vertices, np.arange(60_000).reshape(-1, 3)), preset="fast")

# Volumes overlap, triangles do not.
near = "near" in {call!r} and [
    copies([[-1, 0, 0], [1, 0, 0], [0, 1.7, 0]]), copies([[-4, 0.3, -1], [4, 3.2, -1], [0, 1.75, 1]])
]

def crowd(*trees, threads=None):
    scene = bvtree.Scene(threads=threads)
    for pose in poses[:100]:
        for tree in trees:
            scene.add(tree, pose)
    return scene

print("ready", flush=True)
began = time.perf_counter()
try:
    {call}
except KeyboardInterrupt:
    print("interrupted", flush=True)
# The module is of use afterwards.
assert bvtree.intersects(tree, tree)
"""


AT_ONCE = """
import threading
import numpy as np
import bvtree

u, v = np.meshgrid(np.arange(300), np.arange(200), indexing="ij")
x, y = 2 * np.pi * u.ravel() / 300, 2 * np.pi * v.ravel() / 200
vertices = np.stack([(2 + np.cos(y)) * np.cos(x), (2 + np.cos(y)) * np.sin(x), np.sin(y)], axis=1)
number = lambda du, dv: ((u + du) % 300 * 200 + (v + dv) % 200).ravel()
a, b, c, d = number(0, 0), number(1, 0), number(1, 1), number(0, 1)
torus = bvtree.Mesh(vertices, np.concatenate([np.stack([a, b, c], axis=1), np.stack([a, c, d], axis=1)]))
poses = np.tile(np.eye(4), (16, 1, 1))
poses[:, 0, 3] = np.linspace(0, 7, 16)

def fresh():
    return bvtree.Tree(torus, "aabb", preset="fast")

def all_at_once(*asks, times=1):
    def work(ask):
        for _ in range(times):
            ask()
    threads = [threading.Thread(target=work, args=(ask,)) for ask in asks]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]

def crowd():
    scene, tree = bvtree.Scene(), fresh()
    for pose in poses:
        scene.add(tree, pose)
    return scene

{call}
print("done", flush=True)
"""


@pytest.mark.parametrize(
    "call",
    [
        "bvtree.relation(fresh(), fresh(), poses)",
        "fresh().winding_number(np.random.default_rng(0).random((1000, 3)))",
        "tree = fresh(); all_at_once(*[lambda: tree.is_closed] * 4)",
        "tree = fresh(); all_at_once(*[lambda: tree.winding_number(poses[:, :3, 3])] * 4)",
        "scene = crowd(); all_at_once(scene.intersecting_pairs, scene.closest_pair, scene.clash, scene.intersecting_pairs, times=3)",
        "scene = crowd(); all_at_once(lambda: scene.bodies_near(scene_tree), scene.clash, scene.intersecting_pairs, times=3)",
        "deforming = bvtree.DeformingTree(torus); all_at_once(*[lambda: deforming.refit(1.1 * vertices)] * 4, times=5)",
        "tracker = bvtree.DistanceTracker(fresh(), fresh()); all_at_once(*[lambda: tracker.distance(poses[8:])] * 4)",
    ],
)
def test_no_thread_waits_for_itself(call):
    """What is found out once about a tree, and what one call at a time may change, while all threads of the pool want it."""
    program = AT_ONCE.format(call=call.replace("scene_tree", "fresh()"))
    done = subprocess.run([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, timeout=120)
    assert (done.returncode, done.stdout) == (0, "done\n")


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent as on Unix")
@pytest.mark.parametrize(
    "call",
    [
        "bvtree.count_pairs(tree, tree, poses)",
        "bvtree.count_pairs(tree, tree, poses, threads=1)",
        "bvtree.penetration(tree, tree, poses)",
        "bvtree.compare([tree], passes=4 * 10**5)",
        "bvtree.Tree((np.tile(corners, (400, 1)), np.arange(9_600_000).reshape(-1, 3)), preset='tight')",
        "crowd(tree).clash()",
        "crowd(tree, threads=1).clash()",
        "crowd(*near, threads=1).intersecting_pairs()",
        "crowd(*near, threads=1).closest_pair()",
        "crowd(*near, threads=1).closest_body(near[1])",
        "crowd(*near).pairs_within(0.01)",
        # One question whose answer is long.
        "bvtree.intersecting_pairs(*many)",
        "bvtree.count_pairs(*many)",
        "bvtree.pairs_within(*many, 0.01)",
        "bvtree.contacts(*many)",
        "bvtree.contact_patches(*many)",
        "bvtree.relation(near[0], near[0])",
        # One whose answer is short.
        "bvtree.intersects(*near)",
        "bvtree.distance(*near)",
        "bvtree.closest_points(*near)",
        "bvtree.within(*near, 0.01)",
        "bvtree.time_of_impact(*near, poses[0], poses[-1])",
        "bvtree.penetration(near[0], near[0])",
        "bvtree.DistanceTracker(*near).distance()",
        "bvtree.distance(*near, poses[:4])",
    ],
)
def test_ctrl_c_ends_long_calls(call):
    asked = subprocess.Popen([sys.executable, "-c", INTERRUPTED.format(call=call)], stdout=subprocess.PIPE, text=True)
    try:
        assert asked.stdout.readline() == "ready\n"
        time.sleep(0.5)
        asked.send_signal(signal.SIGINT)
        assert asked.stdout.readline() == "interrupted\n"
        # Its work ends as well: who leaves waits for no thread.
        assert asked.wait(timeout=60) == 0
    finally:
        asked.kill()
        asked.wait()
        asked.stdout.close()


REENTERED = """
import signal
import numpy as np
import bvtree

def copies(corners):
    vertices = np.tile(np.float32(corners), (4000, 1))
    # Of equal triangles one would stand for all.
    vertices[2::3, 0] += 1e-9 * np.arange(4000)
    return bvtree.Tree((vertices, np.arange(12_000).reshape(-1, 3)), preset="fast")

one, other = copies([[-1, 0, 0], [1, 0, 0], [0, 1.7, 0]]), copies([[-4, 0.3, -1], [4, 3.2, -1], [0, 1.75, 1]])
tracker, scene, alone = bvtree.DistanceTracker(one, other), bvtree.Scene(), bvtree.Scene(threads=1)
for x in range(20):
    scene.add(one, ([[1, 0, 0], [0, 1, 0], [0, 0, 1]], [x, 0, 0]))
alone.add(one), alone.add(other)
rays = np.random.default_rng(0).random((20_000, 3)), np.array([0.1, 0, -1])
told = []

def handle(*_):
    try:
        told.append({within})
    except RuntimeError as error:
        told.append(str(error))

signal.signal(signal.SIGALRM, handle)
signal.setitimer(signal.ITIMER_REAL, 0.05)
answer = {call}
signal.setitimer(signal.ITIMER_REAL, 0)
print(told)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent as on Unix")
@pytest.mark.parametrize(
    "call, within, told",
    [
        ("scene.closest_hit(*rays)", "len(scene)", "[20]"),
        ("scene.closest_point(rays[0][:2000])", "len(scene)", "[20]"),
        ("alone.intersecting_pairs()", "len(alone)", "['it is in the midst of the call that the signal has interrupted']"),
        ("tracker.distance()", "tracker.distance()", "['it is in the midst of the call that the signal has interrupted']"),
        ("bvtree.distance(one, other)", "bvtree.intersects(one, one)", "[True]"),
    ],
)
def test_handlers_ask_what_is_being_asked(call, within, told):
    """Nobody waits for what the same thread is doing."""
    program = REENTERED.format(call=call, within=within)
    done = subprocess.run([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, timeout=120)
    assert (done.returncode, done.stdout.strip()) == (0, told)


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="memory is read as on Linux")
def test_memory_stays_flat():
    tree = bvtree.Tree(box())
    pose, poses = moved(x=0.5), np.stack([moved(x=x) for x in np.linspace(0, 3, 50)])
    vertices, faces = box()

    def work(times):
        scene = bvtree.Scene()
        body = scene.add(tree)
        for i in range(times):
            bvtree.intersects(tree, tree, pose)
            bvtree.closest_points(tree, tree, pose)
            tree.closest_hit([0.3, 0.4, -1], [0, 0, 1])
            if i % 20 == 0:
                bvtree.closest_points(tree, tree, poses)
                bvtree.intersecting_pairs(tree, tree, poses)
                bvtree.contacts(tree, tree, poses)
                bvtree.relation(tree, tree, poses[:3])
                bvtree.Tree(bvtree.Mesh(vertices, faces)).to_mesh().vertices.sum()
                scene.remove(body)
                body = scene.add(tree, pose)
                scene.intersecting_pairs()
                for wrong in (np.ones((4, 4)), "pose"):
                    with pytest.raises(ValueError):
                        bvtree.distance(tree, tree, wrong)

    work(4_000)
    gc.collect()
    before = resident()
    work(12_000)
    gc.collect()
    # A byte lost in each of the 36,000 calls is nothing; an array lost in each is megabytes.
    assert resident() - before < 2_000_000
