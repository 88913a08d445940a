"""Robots of PyPI's `example-robot-data` beside pinocchio with Coal: what is read, whether verdicts and distances agree, whether proofs of free
motions hold for all samples, and how long loading and questions take.

`.ci/robots` runs it: `robots.py FOLDER [COUNT] [EDGES]`, with the folder that holds `example-robot-data/robots`, a number of configurations, and
one of random edges. It fails where a robot of the timed ones is not read or a proof is wrong.
"""

import collections
import pathlib
import sys
import tempfile
import time
import xml.etree.ElementTree as ElementTree

import coal
import numpy as np
import pinocchio as pin

import bvtree

# The robots whose questions are timed: URDF, and SRDF if it has one.
TIMED = [
    ("panda_description/urdf/panda.urdf", "panda_description/srdf/panda.srdf"),
    ("ur_description/urdf/ur5_robot.urdf", "ur_description/srdf/ur5.srdf"),
    ("talos_data/robots/talos_reduced.urdf", "talos_data/srdf/talos.srdf"),
    ("tiago_description/robots/tiago_no_hand.urdf", None),
    ("romeo_description/urdf/romeo.urdf", "romeo_description/srdf/romeo.srdf"),
]
OBJECTS = {"table": ([0.8, 1.2, 0.1], [0.7, 0.0, -0.05]), "post": ([0.1, 0.1, 1.5], [0.4, 0.4, 0.75])}


class Pinocchio:
    """A robot in pinocchio, with the world's objects, and configurations by our names."""

    def __init__(self, robots, urdf, robot):
        packages = [str(robots.parents[1]), str(robots.parent)]
        self.model = pin.buildModelFromUrdf(str(urdf))
        self.geometry = pin.buildGeomFromUrdf(self.model, str(urdf), pin.GeometryType.COLLISION, package_dirs=packages)
        own = len(self.geometry.geometryObjects)
        for name, (size, at) in OBJECTS.items():
            placed = pin.SE3(np.eye(3), np.array(at))
            self.geometry.addGeometryObject(pin.GeometryObject(name, 0, 0, placed, coal.Box(*size)))
        objects = self.geometry.geometryObjects
        link = lambda index: self.model.frames[objects[index].parentFrame].name if index < own else objects[index].name
        # The pairs that we compare, by their links, and each link with each object.
        compared = {frozenset(pair) for pair in robot.pairs}
        self.links = []
        for b in range(len(objects)):
            for a in range(b):
                pair = frozenset([link(a), link(b)])
                if pair in compared or a < own <= b:
                    self.geometry.addCollisionPair(pin.CollisionPair(a, b))
                    self.links.append(pair)
        self.data, self.results = self.model.createData(), self.geometry.createData()
        joints = ElementTree.parse(urdf).getroot().findall("joint")
        self.mimics = {joint.get("name"): joint.find("mimic") for joint in joints if joint.find("mimic") is not None}

    def configuration(self, values):
        """Of values by name."""

        def value(name):
            if name in values:
                return values[name]
            mimic = self.mimics[name]
            return float(mimic.get("multiplier", 1)) * value(mimic.get("joint")) + float(mimic.get("offset", 0))

        q = pin.neutral(self.model)
        for name, joint in zip(self.model.names[1:], self.model.joints[1:]):
            if joint.nq == 2:
                q[joint.idx_q : joint.idx_q + 2] = np.cos(value(name)), np.sin(value(name))
            else:
                q[joint.idx_q] = value(name)
        return q

    def set_margin(self, margin):
        """The distance at which later questions find a collision."""
        for request in self.results.collisionRequests:
            request.security_margin = margin

    def collides(self, q, first=True):
        return pin.computeCollisions(self.model, self.data, self.geometry, self.results, q, first)

    def pairs(self, q):
        self.collides(q, False)
        return {self.links[k] for k, result in enumerate(self.results.collisionResults) if result.isCollision()}

    def distance(self, q):
        nearest = pin.computeDistances(self.model, self.data, self.geometry, self.results, q)
        return max(self.results.distanceResults[nearest].min_distance, 0.0)


def random_configurations(robot, count, seed=1):
    limits = np.clip(robot.limits, -np.pi, np.pi)
    return np.random.default_rng(seed).uniform(limits[:, 0], limits[:, 1], (count, len(limits)))


def micros(ask, rows, repeats=5, block=100):
    """Microseconds for each of some rows: the best time of each hundred."""
    total = 0.0
    for start in range(0, len(rows), block):
        part, best = rows[start : start + block], np.inf
        for _ in range(repeats):
            began = time.perf_counter()
            ask(part)
            best = min(best, time.perf_counter() - began)
        total += best
    return total / len(rows) * 1e6


def load_all(robots):
    """How many files each reads, and what is wrong with the others."""
    urdfs = sorted(robots.glob("**/*.urdf"))
    read = 0
    for urdf in urdfs:
        try:
            bvtree.Robot.from_urdf(urdf, package_dirs=[robots.parents[1], robots.parent])
            read += 1
        except (ValueError, OSError) as error:
            print(f"not read: {error}")
    print(f"{read} of {len(urdfs)} URDF files read")


def load_times(robots, urdf, srdf, packages):
    """Loads as pinocchio does with its meshes' trees; from a cache that is new, and from one that has them."""

    def theirs(_):
        model = pin.buildModelFromUrdf(str(urdf))
        pin.buildGeomFromUrdf(model, str(urdf), pin.GeometryType.COLLISION, package_dirs=[str(package) for package in packages])

    once = [None]
    pinocchio, plain = micros(theirs, once), micros(lambda _: bvtree.Robot.from_urdf(urdf, srdf, packages), once)
    with tempfile.TemporaryDirectory() as cache:
        cached = lambda _: bvtree.Robot.from_urdf(urdf, srdf, packages, cache=cache)
        first, again = micros(cached, once, repeats=1), micros(cached, once, repeats=5)
    print(
        f"  loading: pinocchio {pinocchio / 1e3:.1f} ms; ours {plain / 1e3:.1f} ms, {first / 1e3:.1f} ms into a new cache, "
        f"{again / 1e3:.2f} ms from it, {pinocchio / again:.1f} times"
    )


def attack(robot, world, count, samples=200, tolerance=1e-5):
    """Proves random edges, and samples each: never free where a sample is too near, never late, and never blocked where nothing is near."""
    rng = np.random.default_rng(2)
    Q = random_configurations(robot, 50 * count, seed=3)
    found = collections.Counter()
    for clearance in [0.0, 0.005, 0.02]:
        starts = Q[robot.free(Q, world, clearance)][: count // 3]
        if len(starts) == 0:
            # Such as an arm whose base is nearer to the table.
            found[f"no free start at {clearance} m"] += 1
            continue
        far = random_configurations(robot, len(starts), seed=4)
        # Most motions of planners are short.
        parts = np.where(np.arange(len(starts)) % 3 == 0, 1.0, rng.uniform(0, 0.2, len(starts)))
        ends = starts + (far - starts) * parts[:, None]
        impacts = robot.first_impact(starts, ends, world, clearance, tolerance=tolerance)
        for start, end, impact in zip(starts, ends, impacts):
            is_free = np.isnan(impact)
            parts = np.linspace(0, 1 if is_free else impact, samples + 1)
            rows = start * (1 - parts[:, None]) + end * parts[:, None]
            clear = robot.free(rows if is_free else rows[:-1], world, clearance)
            assert clear.all() or impact == 0, (start, end, clearance, impact, parts[np.argmin(clear)])
            assert is_free or not robot.free(rows[-1], world, clearance + 3 * tolerance), (start, end, clearance, impact)
            found["free" if is_free else "blocked"] += 1
    print(f"  edges {dict(found)}: no sample of {samples} on each is against a proof")


def loaded(other, robot, values, world):
    """The robot of pinocchio's models gives the answers of the one of the URDF. Its objects are those of the world too."""
    again = bvtree.Robot.from_pinocchio(other.model, other.geometry, surfaces=True)
    joints = {name: joint for name, joint in zip(other.model.names[1:], other.model.joints[1:])}
    rows = []
    for row in values:
        q = other.configuration(dict(zip(robot.joints, row)))
        angle = lambda at, joint: np.arctan2(q[at + 1], q[at]) if joint.nq == 2 else q[at]
        rows.append([angle(joints[name].idx_q, joints[name]) for name in again.joints])
    free, expected = again.free(rows), robot.free(values, world)
    assert (free == expected).all(), np.flatnonzero(free != expected)
    apart = np.abs(again.distance(rows[:100]) - robot.distance(values[:100], world)).max()
    # Assimp, which reads meshes for pinocchio, rounds their coordinates to float32 before they are scaled; we do after.
    assert apart < 1e-7, apart
    print(f"  from pinocchio's models: {len(again.pairs)} pairs of objects, the same verdicts, distances within {apart:.0e}")


def compare(robots, urdf, srdf, count, edges):
    name = pathlib.Path(urdf).stem
    # Coal's meshes are surfaces.
    packages = [robots.parents[1], robots.parent]
    solid = bvtree.Robot.from_urdf(robots / urdf, srdf and robots / srdf, packages)
    robot = bvtree.Robot.from_urdf(robots / urdf, srdf and robots / srdf, packages, surfaces=True)
    if srdf is None:
        # Links that always touch are of no interest, and there is no list of them.
        sample = random_configurations(robot, 100, seed=5)
        found = collections.Counter(map(tuple, robot.colliding(sample)[1].tolist()))
        for a, b in (pair for pair, count in found.items() if count == len(sample)):
            robot.allow(robot.bodies[a], robot.bodies[b])
            solid.allow(robot.bodies[a], robot.bodies[b])
    other = Pinocchio(robots, robots / urdf, robot)
    world = bvtree.World()
    for object, (size, at) in OBJECTS.items():
        world.add_box(size, bvtree.pose_from_translation(at), name=object)
    Q = random_configurations(robot, count)
    qs = [other.configuration(dict(zip(robot.joints, row))) for row in Q]
    offsets, pairs = robot.colliding(Q, world, threads=1)
    names = robot.bodies + world.names
    agreed = collections.Counter()
    for k, q in enumerate(qs):
        ours = {frozenset(names[body] for body in pair) for pair in pairs[offsets[k] : offsets[k + 1]]}
        theirs = other.pairs(q)
        agreed["ours only"] += len(ours - theirs)
        agreed["theirs only"] += len(theirs - ours)
        agreed["same"] += len(other.links) - len(ours ^ theirs)
    distances = robot.distance(Q, world, threads=1)
    error = max(abs(distance - other.distance(q)) for distance, q in zip(distances[:50], qs))
    free = solid.free(Q, world, threads=1)
    print(f"{name}: {len(robot.pairs)} pairs, {free.mean():.0%} free; verdicts {dict(agreed)}; distances differ by at most {error:.1e}")

    load_times(robots, robots / urdf, srdf and robots / srdf, packages)
    loaded(other, robot, Q, world)
    attack(solid, world, edges)

    free = lambda robot: lambda rows: robot.free(rows, world, threads=1)
    colliding = lambda robot: lambda rows: robot.colliding(rows, world, threads=1)
    first, every = lambda qs: [other.collides(q) for q in qs], lambda qs: [other.collides(q, False) for q in qs]
    rows = [
        ("free", free(robot), first),
        ("free, solid links", free(solid), first),
        ("all pairs", colliding(robot), every),
        ("all pairs, solid links", colliding(solid), every),
        ("least distance", lambda rows: robot.distance(rows, world, threads=1), lambda qs: [other.distance(q) for q in qs]),
    ]
    for what, ours, theirs in rows:
        few = 20 if what == "least distance" else 400
        report(what, micros(ours, Q[:few]), micros(theirs, qs[:few]))
    other.set_margin(0.02)
    report(
        "within 20 mm",
        micros(lambda rows: robot.within(rows, 0.02, world, threads=1), Q[:400]),
        micros(first, qs[:40]),
    )
    other.set_margin(0.0)
    edges = list(zip(Q[0:40:2], Q[1:41:2]))
    sampled = [[other.configuration(dict(zip(robot.joints, row))) for row in np.linspace(a, b, 128)] for a, b in edges]
    report(
        "first blocked of 128",
        micros(lambda edges: robot.first_blocked(*zip(*edges), world, 128, threads=1), edges),
        micros(lambda edges: [next((k for k, q in enumerate(edge) if other.collides(q)), None) for edge in edges], sampled),
    )
    # Free edges, so that samples don't end early: the ends near each other, if the whole way is seldom free.
    clear = Q[solid.free(Q, world, 0.01, threads=1)]
    edges = [(a, a + (b - a) * part) for a, b in zip(clear, clear[1:]) for part in (0.5, 0.05)]
    edges = [edge for edge in edges if solid.first_impact(*edge, world, 0.005) is None][:20]
    if edges:
        sampled = [[other.configuration(dict(zip(robot.joints, row))) for row in np.linspace(a, b, 128)] for a, b in edges]
        other.set_margin(0.005)
        report(
            "proof, 5 mm, or 128 samples",
            micros(lambda edges: solid.first_impact(*zip(*edges), world, 0.005, threads=1), edges),
            micros(lambda edges: [[other.collides(q) for q in edge] for edge in edges], sampled),
        )
        other.set_margin(0.0)


def report(what, ours, theirs):
    print(f"  {what:28} {ours:10.1f} us {theirs:10.1f} us, {theirs / ours:6.1f} times", flush=True)


def main():
    robots = pathlib.Path(sys.argv[1]) / "example-robot-data" / "robots"
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 1000
    edges = int(sys.argv[3]) if len(sys.argv) > 3 else 200
    load_all(robots)
    for urdf, srdf in TIMED:
        compare(robots, urdf, srdf, count, edges)


if __name__ == "__main__":
    main()
