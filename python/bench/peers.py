"""bvtree beside python-fcl, trimesh and coal's bindings, in one run: `python python/bench/peers.py [PAIR...]`.

Every pair of the dataset's meshes is asked about at all its poses, by each library in turn, on one thread: single calls from a Python loop, each
with a pose of its own, and batches of 10,000 poses in a call, where a library has such a thing. Times are the processor's, the best of several passes (where threads share work the wall clock's); what is told is the
geometric mean over the pairs. Answers must agree.

Needs numpy and, for whatever is to be compared, python-fcl, trimesh, coal.
"""

import argparse
import math
import os
import pathlib
import platform
import time

import numpy as np

import bvtree
import bvtree.trimesh

try:
    import fcl
except ImportError:
    fcl = None
try:
    import coal
except ImportError:
    coal = None
try:
    import trimesh
    import trimesh.collision
except ImportError:
    trimesh = None

DATASET = pathlib.Path(os.environ.get("BVTREE_DATASET", pathlib.Path(__file__).parents[2] / "../shared/dataset"))
BATCH = 10_000


class Bvtree:
    name = "bvtree"

    def __init__(self, a, b, poses):
        self.a, self.b = bvtree.Tree(a), bvtree.Tree(b)
        self.poses = poses

    def calls(self, question):
        a, b, ask = self.a, self.b, {"hit": bvtree.intersects, "pairs": bvtree.count_pairs, "distance": bvtree.distance}[question]
        return [ask(a, b, pose) for pose in self.poses]

    def batch(self, question, poses, threads):
        ask = {"hit": bvtree.intersects, "pairs": bvtree.count_pairs, "distance": bvtree.distance}[question]
        return ask(self.a, self.b, poses, threads=threads)


class Fcl:
    """python-fcl: BVHModel is of OBBRSS."""

    name = "python-fcl"

    def __init__(self, a, b, poses):
        self.a = fcl.CollisionObject(self.model(a))
        self.b = fcl.CollisionObject(self.model(b))
        self.poses = [(np.ascontiguousarray(pose[:3, :3]), pose[:3, 3].copy()) for pose in poses]

    @staticmethod
    def model(mesh):
        model = fcl.BVHModel()
        model.beginModel(len(mesh.vertices), len(mesh.faces))
        model.addSubModel(mesh.vertices.astype(np.float64), mesh.faces.astype(np.int32))
        model.endModel()
        return model

    def calls(self, question):
        answers = []
        for rotation, translation in self.poses:
            self.b.setTransform(fcl.Transform(rotation, translation))
            if question == "distance":
                answers.append(max(fcl.distance(self.a, self.b, fcl.DistanceRequest(), fcl.DistanceResult()), 0.0))
            else:
                most = 1 if question == "hit" else 10_000_000
                request = fcl.CollisionRequest(num_max_contacts=most, enable_contact=question == "pairs")
                found = fcl.collide(self.a, self.b, request, fcl.CollisionResult())
                answers.append(found > 0 if question == "hit" else found)
        return answers


class Coal:
    """coal's bindings, with OBBRSS."""

    name = "coal"

    def __init__(self, a, b, poses):
        self.a, self.b = self.model(a), self.model(b)
        self.at_origin = coal.Transform3s()
        self.poses = []
        for pose in poses:
            placed = coal.Transform3s()
            placed.setRotation(np.ascontiguousarray(pose[:3, :3]))
            placed.setTranslation(pose[:3, 3].copy())
            self.poses.append(placed)

    @staticmethod
    def model(mesh):
        model = coal.BVHModelOBBRSS()
        model.beginModel(len(mesh.faces), len(mesh.vertices))
        model.addVertices(mesh.vertices.astype(np.float64))
        model.addTriangles(mesh.faces.astype(np.int64))
        model.endModel()
        return model

    def calls(self, question):
        answers = []
        for placed in self.poses:
            if question == "distance":
                request, result = coal.DistanceRequest(), coal.DistanceResult()
                answers.append(max(coal.distance(self.a, self.at_origin, self.b, placed, request, result), 0.0))
            else:
                request, result = coal.CollisionRequest(), coal.CollisionResult()
                request.num_max_contacts = 1 if question == "hit" else 10_000_000
                found = coal.collide(self.a, self.at_origin, self.b, placed, request, result)
                answers.append(found > 0 if question == "hit" else found)
        return answers


def best(work, seconds, clock=time.process_time):
    """The best time of a few passes, and what the last one gave: the processor's time, but where threads are to share it."""
    least, spent = math.inf, 0.0
    while spent < seconds:
        began = clock()
        answer = work()
        took = clock() - began
        least, spent = min(least, took), spent + took
    return least, answer


def agree(question, ours, theirs, scale):
    if question == "hit":
        return sum(p != q for p, q in zip(ours, theirs))
    if question == "distance":
        return int((np.abs(np.subtract(ours, theirs)) > 1e-6 * scale).sum())
    # The peers' counts differ by pairs that only touch, and are capped at their limits.
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pairs", nargs="*", help="as in the dataset's poses; all by default")
    parser.add_argument("--seconds", type=float, default=1.0, help="for each measurement, at least")
    parser.add_argument("--questions", default="hit,pairs,distance", help="separated by commas; with `--questions=` builds alone")
    options = parser.parse_args()
    print(f"# {cpu()}, Python {platform.python_version()}, bvtree {bvtree.__version__}, {os.cpu_count()} cores")
    names = options.pairs or sorted(path.stem for path in (DATASET / "poses").glob("*.csv"))
    peers = [peer for peer, there in ((Fcl, fcl), (Coal, coal)) if there]
    ratios = {}
    for name in names:
        lines = (DATASET / "poses" / f"{name}.csv").read_text().splitlines()
        meshes = [bvtree.Mesh.open(DATASET / "meshes" / f"{part}.obj") for part in lines[1].split(",")[:2]]
        rows = np.genfromtxt(DATASET / "poses" / f"{name}.csv", delimiter=",")[:, 3:]
        poses = np.concatenate([rows, np.tile([0, 0, 0, 1.0], (len(rows), 1))], axis=1).reshape(-1, 4, 4)
        many = np.resize(poses, (BATCH, 4, 4))
        ours = Bvtree(*meshes, poses)
        others = [peer(*meshes, poses) for peer in peers]
        scale = np.ptp(meshes[0].bounds, axis=0).max()
        for question in filter(None, options.questions.split(",")):
            single, answers = best(lambda: ours.calls(question), options.seconds)
            single /= len(poses)
            batch, batched = best(lambda: ours.batch(question, many, 1), options.seconds)
            batch /= BATCH
            assert np.array_equal(batched[: len(poses)], answers)
            shared = [best(lambda: ours.batch(question, many, threads), options.seconds, time.perf_counter)[0] for threads in (1, 2)]
            line = f"{name:34} {question:9} bvtree {single * 1e6:8.2f} us a call, batch {batch * 1e6:8.2f}, two threads {shared[0] / shared[1]:.2f} times as fast"
            ratios.setdefault((question, "2 threads"), []).append(shared[0] / shared[1])
            for peer in others:
                took, theirs = best(lambda: peer.calls(question), options.seconds)
                took /= len(poses)
                differ = agree(question, answers, theirs, scale)
                line += f"; {peer.name} {took * 1e6:9.2f}: {took / single:6.1f}x, {took / batch:6.1f}x"
                line += f" ({differ} differ)" if differ else ""
                ratios.setdefault((question, peer.name), []).append(took / single)
                ratios.setdefault((question, peer.name + ", batch"), []).append(took / batch)
            print(line, flush=True)
    print("\n# geometric means of how much longer others took")
    for (question, what), values in sorted(ratios.items()):
        print(f"{question:9} {what:20} {math.exp(np.mean(np.log(values))):7.2f}x of {len(values)} pairs")
    builds()


def builds():
    """A tree of 344,000 triangles from arrays; and the collision manager's own questions."""
    print("\n# building from arrays of float64 and int64")
    steps = 415
    u, v = (grid.ravel() for grid in np.meshgrid(np.linspace(0, 1, steps), np.linspace(0, 1, steps)))
    vertices = np.stack([u, v, 0.1 * np.sin(9 * u) * np.cos(7 * v)], axis=1)
    corner = (np.arange(steps - 1)[:, None] * steps + np.arange(steps - 1)).ravel()
    faces = np.concatenate([np.stack([corner, corner + 1, corner + steps], axis=1), np.stack([corner + 1, corner + steps + 1, corner + steps], axis=1)])
    mesh = bvtree.Mesh(vertices, faces)
    ours = {}
    for kind in ("aabb", "obb"):
        for preset in ("fast", "balanced"):
            def build(threads):
                return bvtree.Tree(bvtree.Mesh(vertices, faces), kind, preset=preset, threads=threads)

            ours[kind, preset], _ = best(lambda: build(1), 2)
            one, all_cores = (best(lambda: build(threads), 2, time.perf_counter)[0] for threads in (1, None))
            print(
                f"bvtree {kind:4} {preset:9} {ours[kind, preset] * 1e3:8.1f} ms of {len(faces)} triangles,"
                f" all {os.cpu_count()} cores {one / all_cores:.2f} times as fast"
            )
    for peer, there in ((Fcl, fcl), (Coal, coal)):
        if there:
            took, _ = best(lambda: peer.model(mesh), 3)
            text = ", ".join(f"{took / value:.1f}x {kind} {preset}" for (kind, preset), value in ours.items())
            print(f"{peer.name:21} {took * 1e3:8.1f} ms: {text}")
    if trimesh is None or fcl is None:
        return
    print("\n# trimesh's manager and ours, microseconds a call: 50 tori, asked about one more")
    rng = np.random.default_rng(1)
    torus = trimesh.creation.torus(1.0, 0.3)
    places = np.tile(np.eye(4), (50, 1, 1))
    places[:, :3, 3] = rng.uniform(-6, 6, (50, 3))
    asked = np.eye(4)
    times = {}
    for module in (trimesh.collision, bvtree.trimesh):
        manager = module.CollisionManager()
        for i, place in enumerate(places):
            manager.add_object(str(i), torus, place)
        work = {
            "in_collision_single": lambda: manager.in_collision_single(torus, asked),
            "in_collision_single, names": lambda: manager.in_collision_single(torus, asked, return_names=True),
            "in_collision_internal, names": lambda: manager.in_collision_internal(return_names=True),
            "min_distance_single": lambda: manager.min_distance_single(torus, asked),
            "min_distance_internal": lambda: manager.min_distance_internal(),
        }
        for name, ask in work.items():
            times.setdefault(name, []).append(best(ask, 1)[0])
    for name, (theirs, own) in times.items():
        print(f"{name:30} {theirs * 1e6:10.1f} {own * 1e6:10.1f} {theirs / own:7.1f}x")


def cpu():
    try:
        lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
        return next(line.split(":")[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


if __name__ == "__main__":
    main()
