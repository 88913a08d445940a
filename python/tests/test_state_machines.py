"""What remembers gives the answers of what does not: random sequences of calls, each answer beside that of fresh objects and of brute force."""

import math

import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, initialize, precondition, rule

import brute_force
import bvtree
from conftest import box

LIMIT = settings(
    derandomize=True, database=None, deadline=None, max_examples=40, stateful_step_count=40, suppress_health_check=list(HealthCheck)
)
FAR = [0.0, 5e-324, 1e-300, 1e-12, 0.25, 0.5, 1.0, 3.0, 9.0, 1e10, 1e300, math.inf]


def ball(radius, rings, segments):
    """A closed sphere of quads cut in two, with fans at the poles; normals outward."""
    vertices = [[0, 0, radius]]
    for i in range(1, rings):
        for j in range(segments):
            u, v = math.pi * i / rings, 2 * math.pi * j / segments
            vertices.append([radius * math.sin(u) * math.cos(v), radius * math.sin(u) * math.sin(v), radius * math.cos(u)])
    vertices.append([0, 0, -radius])
    at = lambda i, j: 1 + (i - 1) * segments + j % segments
    faces = []
    for j in range(segments):
        faces += [[0, at(1, j), at(1, j + 1)], [len(vertices) - 1, at(rings - 1, j + 1), at(rings - 1, j)]]
        for i in range(1, rings - 1):
            faces += [[at(i, j), at(i + 1, j), at(i + 1, j + 1)], [at(i, j), at(i + 1, j + 1), at(i, j + 1)]]
    # Sums with multiples of an eighth are exact: it makes no difference which of two meshes is posed.
    return np.round(np.array(vertices) * 2.0**16) / 2.0**16, np.array(faces)


TRIANGLE = np.array([[0.0, 0, 0], [2, 0, 0], [0, 2, 0]]), np.array([[0, 1, 2]])
MESHES = [box((-1, -1, -1), (1, 1, 1)), ball(0.8, 6, 8), box((-4, -4, -4), (4, 4, 4)), TRIANGLE]
OPEN = 3
# Half of what they measure along any axis.
SIDES = [1.0, 0.8, 4.0, 0.0]
TREES = [bvtree.Tree(mesh, kind) for mesh, kind in zip(MESHES, ["obb", "obb", "aabb", "sphere"])]
TURNS = [np.eye(3), np.diag([-1.0, -1, 1]), np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]])]

steps = st.sampled_from([-3.0, -2.375, -2.0, -1.5, -1.0, -0.75, -0.375, -0.25, 0.0, 0.5, 1.0, 1.75, 2.0, 3.0, 4.0, 7.0])
turns = st.sampled_from(TURNS)
nudges = st.sampled_from([1e-9, 1e-6, 1e-4, 1e-3, 0.25, 1.0]).flatmap(lambda x: st.sampled_from([x, -x]))
ways = st.sampled_from([1e3, 1e8, 1e10, 1e12, 1e16, 9e29])
axes = st.integers(0, 2)
meshes = st.integers(0, len(MESHES) - 1)


@st.composite
def poses(draw):
    """Multiples of an eighth, where meshes touch to the last bit."""
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = draw(turns), [draw(steps), draw(steps), draw(steps)]
    return pose


def moved_along(pose, axis, by):
    pose = pose.copy()
    pose[axis, 3] += by
    return pose


class Truth:
    """Two posed meshes, asked of brute force and of trees that nobody has asked before."""

    kept = {}

    def __init__(self, a, b, b_to_a):
        key = a, b, b_to_a.tobytes()
        if key not in self.kept:
            corners = brute_force.triangles(MESHES[a]), brute_force.triangles(MESHES[b], b_to_a)
            apart = brute_force.distance(*corners)
            inside = [False, False]
            if apart > 0:
                for i, mesh in enumerate((a, b)):
                    if mesh != OPEN:
                        inside[1 - i] = bool(brute_force.contains(corners[i], corners[1 - i][:1, 0])[0])
            self.kept[key] = apart, inside, bvtree.distance(TREES[a], TREES[b], b_to_a)
        self.distance, (self.a_in_b, self.b_in_a), cold = self.kept[key]
        assert cold == pytest.approx(self.distance, rel=1e-9) and (cold == 0) == (self.distance == 0)


def is_near(distance, clearance):
    """True, False or, where rounding decides, None."""
    if distance == 0:
        return clearance >= 0
    if abs(distance - clearance) <= 1e-9 * distance:
        return None
    return distance < clearance


@pytest.mark.parametrize("kind", ["obb", "aabb", "sphere"])
def test_a_tracker(kind):
    class Tracker(RuleBasedStateMachine):
        @initialize(a=meshes, b=meshes)
        def begin(self, a, b):
            self.meshes = a, b
            self.trees = [bvtree.Tree(MESHES[mesh], kind) for mesh in self.meshes]
            self.tracker = bvtree.DistanceTracker(*self.trees)
            self.pose = np.eye(4)

        def ask(self, pose):
            found, truth = self.tracker.closest_points(pose), Truth(*self.meshes, pose)
            assert found.distance == bvtree.distance(*self.trees, pose)
            assert found.distance == pytest.approx(truth.distance, rel=1e-9) and (found.distance == 0) == (truth.distance == 0)
            assert np.linalg.norm(found.on_a - found.on_b) == pytest.approx(found.distance, rel=1e-6, abs=1e-9)

        @rule(pose=poses())
        def goes(self, pose):
            self.pose = pose
            self.ask(pose)

        @rule(axis=axes, by=nudges)
        def is_nudged(self, axis, by):
            self.ask(moved_along(self.pose, axis, by))

        @rule(axis=axes, way=ways)
        def goes_far_and_back(self, axis, way):
            self.tracker.distance(moved_along(self.pose, axis, way))
            self.ask(self.pose)

        @rule(many=st.lists(poses(), max_size=5))
        def is_asked_at_many_poses(self, many):
            many = np.array(many).reshape(-1, 4, 4)
            assert (self.tracker.distance(many) == [bvtree.distance(*self.trees, pose) for pose in many]).all()

    Tracker.TestCase.settings = settings(LIMIT, max_examples=8)
    Tracker.TestCase().runTest()


@pytest.mark.parametrize("kind", ["obb", "aabb", "sphere"])
def test_a_deforming_tree(kind):
    class Deforming(RuleBasedStateMachine):
        @initialize(mesh=meshes, obb_axes=st.sampled_from(["kept", "turned", "refitted"]), rebuild_above=st.sampled_from([None, 1.0]))
        def begin(self, mesh, obb_axes, rebuild_above):
            self.rest, self.faces = MESHES[mesh]
            self.vertices = self.rest.copy()
            self.deforming = bvtree.DeformingTree(MESHES[mesh], kind, obb_axes=obb_axes, rebuild_above=rebuild_above)
            self.earlier = []

        @rule(scale=st.sampled_from([0.0, 0.5, 1.0, 2.0]), shift=st.tuples(steps, steps, steps))
        def is_refitted(self, scale, shift):
            self.vertices = self.rest * scale + shift
            self.deforming.refit(self.vertices)

        @rule(data=st.data(), shift=st.tuples(steps, steps, steps))
        def is_refitted_in_part(self, data, shift):
            moved = data.draw(st.lists(st.integers(0, len(self.rest) - 1), max_size=4))
            self.vertices[moved] = self.rest[moved] + shift
            self.deforming.refit_moved(moved, self.vertices[moved])

        @rule()
        def is_rebuilt(self):
            self.deforming.rebuild()

        @rule(wrong=st.sampled_from([math.nan, math.inf]))
        def is_refused(self, wrong):
            with pytest.raises(bvtree.Error):
                self.deforming.refit(np.where(np.arange(len(self.rest))[:, None] == 1, wrong, self.vertices + 1))
            with pytest.raises(bvtree.Error):
                self.deforming.refit_moved([0, len(self.rest)], np.ones((2, 3)))

        @rule(other=meshes, pose=poses())
        def is_asked(self, other, pose):
            tree = self.deforming.tree
            found = bvtree.distance(tree, TREES[other], pose)
            assert found == pytest.approx(bvtree.distance(bvtree.Tree((self.vertices, self.faces), kind), TREES[other], pose), rel=1e-12)
            now = brute_force.triangles((self.vertices, self.faces))
            expected = brute_force.distance(now, brute_force.triangles(MESHES[other], pose))
            assert found == pytest.approx(expected, rel=1e-9) and (found == 0) == (expected == 0)
            # Trees that were handed out stay what they were.
            self.earlier = self.earlier[-2:] + [(tree, other, pose, found)]
            for tree, other, pose, found in self.earlier:
                assert bvtree.distance(tree, TREES[other], pose) == found

    Deforming.TestCase.settings = settings(LIMIT, max_examples=8)
    Deforming.TestCase().runTest()


# What a scene is asked after a change, most often what it remembers most about.
questions = st.one_of(
    st.none(),
    st.just(("touching",)),
    st.tuples(st.just("within"), st.sampled_from([0.0, 5e-324, 1e-300, 9.0])),
    st.tuples(st.just("within"), st.sampled_from(FAR)),
    st.tuples(st.sampled_from(["closest", "colliding"])),
)


class Crowd(RuleBasedStateMachine):
    """A scene beside a plain dict of its bodies."""

    numbers = Bundle("numbers")

    @initialize(threads=st.sampled_from([1, 2]), include_static_pairs=st.booleans())
    def begin(self, threads, include_static_pairs):
        self.include_static_pairs = include_static_pairs
        self.scene = bvtree.Scene(include_static_pairs=include_static_pairs, threads=threads)
        self.bodies, self.ignored, self.next = {}, set(), 0

    @precondition(lambda self: len(self.bodies) < 4)
    @rule(target=numbers, mesh=meshes, pose=poses(), static=st.sampled_from([False, False, True]), solid=st.booleans())
    def comes(self, mesh, pose, static, solid):
        number = self.scene.add(TREES[mesh], pose, static=static, solid="if_closed" if solid else False)
        solid = solid and mesh != OPEN
        assert self.scene.is_solid(number) == solid
        assert number == self.next
        self.next += 1
        self.bodies[number] = {"mesh": mesh, "static": static, "solid": solid, "groups": 1, "mask": 0xFFFF_FFFF, "pose": pose, "grid": pose}
        return number

    @rule(number=consumes(numbers), question=questions)
    def goes(self, number, question):
        self.scene.remove(number)
        del self.bodies[number]
        self.ignored = {pair for pair in self.ignored if number not in pair}
        self.ask(question)

    def put(self, number, pose):
        self.scene.set_pose(number, pose)
        self.bodies[number]["pose"] = pose

    @rule(number=numbers, path=st.lists(st.tuples(poses(), questions), min_size=1, max_size=6))
    def wanders(self, number, path):
        for pose, question in path:
            self.bodies[number]["grid"] = pose
            self.put(number, pose)
            self.ask(question)

    @rule(number=numbers, path=st.lists(st.tuples(axes, nudges, questions), min_size=1, max_size=6))
    def trembles(self, number, path):
        for axis, by, question in path:
            self.put(number, moved_along(self.bodies[number]["grid"], axis, by))
            self.ask(question)

    @rule(a=numbers, b=numbers, axis=axes, question=questions)
    def are_flush(self, a, b, axis, question):
        if a != b:
            pose = moved_along(self.bodies[a]["grid"], axis, SIDES[self.bodies[a]["mesh"]] + SIDES[self.bodies[b]["mesh"]])
            self.put(a, self.bodies[a]["grid"])
            self.bodies[b]["grid"] = pose
            self.put(b, pose)
            self.ask(question)

    @rule(number=numbers, axis=axes, way=ways, on_the_way=questions, question=questions)
    def goes_far_and_back(self, number, axis, way, on_the_way, question):
        before = self.bodies[number]["pose"]
        self.put(number, moved_along(before, axis, way))
        self.ask(on_the_way)
        self.put(number, before)
        self.ask(question)

    @rule(data=st.data(), question=questions)
    def are_put(self, data, question):
        numbers = sorted(self.bodies)
        put = [data.draw(poses()) for _ in numbers]
        self.scene.set_poses(numbers, np.array(put).reshape(-1, 4, 4))
        for number, pose in zip(numbers, put):
            self.bodies[number].update(pose=pose, grid=pose)
        self.ask(question)

    @rule(number=numbers, groups=st.integers(0, 3), mask=st.integers(0, 3), question=questions)
    def is_in_groups(self, number, groups, mask, question):
        self.scene.set_groups(number, groups, mask)
        self.bodies[number].update(groups=groups, mask=mask)
        self.ask(question)

    @rule(a=numbers, b=numbers, ignored=st.booleans(), question=questions)
    def are_ignored(self, a, b, ignored, question):
        self.scene.set_ignored(a, b, ignored)
        (self.ignored.add if ignored else self.ignored.discard)((min(a, b), max(a, b)))
        self.ask(question)

    @rule(number=numbers, mesh=meshes, question=questions)
    def has_another_tree(self, number, mesh, question):
        if not (self.bodies[number]["solid"] and mesh == OPEN):
            self.scene.set_tree(number, TREES[mesh])
            self.bodies[number]["mesh"] = mesh
            self.ask(question)

    def pairs(self):
        """What is compared, and how far it is apart."""
        numbers = sorted(self.bodies)
        for i, a in enumerate(numbers):
            for b in numbers[i + 1 :]:
                p, q = self.bodies[a], self.bodies[b]
                accepts = p["groups"] & q["mask"] and q["groups"] & p["mask"]
                if accepts and (a, b) not in self.ignored and (self.include_static_pairs or not (p["static"] and q["static"])):
                    yield (a, b), self.apart(p, q)

    @staticmethod
    def apart(p, q):
        """The distance as it is and as solids have it."""
        truth = Truth(p["mesh"], q["mesh"], bvtree.relative_pose(p["pose"], q["pose"]))
        inside = truth.a_in_b and q["solid"] or truth.b_in_a and p["solid"]
        return truth.distance, 0.0 if inside else truth.distance

    def cold(self):
        """A scene of the same bodies, of which nothing is known, and the numbers that they have here by those they have there."""
        scene, numbers = bvtree.Scene(include_static_pairs=self.include_static_pairs, threads=1), sorted(self.bodies)
        for body in map(self.bodies.get, numbers):
            scene.add(TREES[body["mesh"]], body["pose"], **{key: body[key] for key in ("static", "solid", "groups", "mask")})
        for a, b in self.ignored:
            scene.set_ignored(numbers.index(a), numbers.index(b))
        return scene, numbers

    def ask(self, question):
        if question is not None:
            getattr(self, question[0])(*question[1:])

    def touching(self):
        expected = [list(pair) for pair, (_, apart) in self.pairs() if apart == 0]
        assert self.scene.intersecting_pairs().tolist() == expected

    def colliding(self):
        expected = [list(pair) for pair, (_, apart) in self.pairs() if apart == 0]
        assert self.scene.intersecting_pairs().tolist() == expected
        first = self.scene.intersecting_pairs(first=True).tolist()
        assert first == expected if not expected else len(first) == 1 and first[0] in expected

    def within(self, clearance):
        found = self.scene.pairs_within(clearance)
        cold, numbers = self.cold()
        pair_of = lambda a, b: (min(a, b), max(a, b))
        rows = {pair_of(int(row["a"]), int(row["b"])): row["distance"] for row in found}
        cold_rows = {pair_of(numbers[row["a"]], numbers[row["b"]]): row["distance"] for row in cold.pairs_within(clearance)}
        assert len(rows) == len(found) and rows.keys() == cold_rows.keys()
        for pair, (_, apart) in self.pairs():
            near = is_near(apart, clearance)
            assert near is None or (pair in rows) == near, (pair, apart)
            if pair in rows:
                assert rows[pair] == pytest.approx(apart, rel=1e-9) and (rows[pair] == 0) == (apart == 0)
                assert rows[pair] == pytest.approx(cold_rows[pair], rel=1e-13)

    def closest(self):
        found, expected = self.scene.closest_pair(), min((apart for _, (_, apart) in self.pairs()), default=None)
        assert (found is None) == (expected is None)
        if found is not None:
            assert found.distance == pytest.approx(expected, rel=1e-9) and (found.distance == 0) == (expected == 0)

    @rule(question=questions)
    def is_asked(self, question):
        self.ask(question)

    @rule(clearance=st.sampled_from([x for x in FAR if x < math.inf]))
    def is_asked_for_clashes(self, clearance):
        table, (cold, numbers) = self.scene.clash(clearance=clearance), self.cold()
        named = lambda table, names: {
            (min(a, b), max(a, b)): pairs for a, b, pairs in zip(names(table["a"]), names(table["b"]), table["pairs"].tolist())
        }
        found = named(table, lambda column: column.tolist())
        assert found == named(cold.clash(clearance=clearance), lambda column: [numbers[i] for i in column])
        assert all(found[pair] > 0 for pair, (apart, _) in self.pairs() if apart == 0)

    @rule(reach=st.sampled_from(FAR))
    def is_asked_for_neighbors(self, reach):
        found = {tuple(pair) for pair in self.scene.neighbor_pairs(reach).tolist()}
        near = {pair for pair, (apart, _) in self.pairs() if apart <= reach}
        assert near <= found <= {pair for pair, _ in self.pairs()}

    @rule(mesh=meshes, pose=poses(), clearance=st.sampled_from(FAR), solid=st.booleans())
    def is_asked_about_a_mesh(self, mesh, pose, clearance, solid):
        solid = solid and mesh != OPEN
        bodies = {number: body for number, body in sorted(self.bodies.items()) if body["groups"]}
        apart = lambda solid: {n: self.apart({"mesh": mesh, "pose": pose, "solid": solid}, body)[1] for n, body in bodies.items()}
        found = {row["b"]: row["distance"] for row in self.scene.bodies_within(TREES[mesh], clearance, pose)}
        nearest = self.scene.closest_body(TREES[mesh], pose)
        for number, distance in apart(False).items():
            near = is_near(distance, clearance)
            assert near is None or (number in found) == near
            assert number not in found or found[number] == pytest.approx(distance, rel=1e-9)
            assert nearest.distance <= distance * (1 + 1e-9)
        colliding = self.scene.bodies_intersecting(TREES[mesh], pose, solid=solid).tolist()
        assert colliding == [number for number, distance in apart(solid).items() if distance == 0]

    @rule(a=numbers, b=numbers)
    def is_asked_for_a_relation(self, a, b):
        # What lies inside may touch the surface.
        apart = self.apart(self.bodies[a], self.bodies[b])[0]
        others = {"separate", "undefined"} if apart == 0 else {"touching", "crossing", "coincident"}
        assert self.scene.relation(a, b) not in others

    def teardown(self):
        if hasattr(self, "scene"):
            self.touching()
            self.within(0.0)


def test_a_scene():
    Crowd.TestCase.settings = settings(LIMIT, max_examples=50)
    Crowd.TestCase().runTest()
