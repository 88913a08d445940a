"""Writes the oracle: meshes/*.obj, cases.csv and truth.csv. README.md specifies them.

`python3 generate.py` writes the files, `python3 generate.py --check` compares them with what it would write, byte for
byte. Needs Python 3.9 or newer and nothing else. Every truth comes from exact.py; no other program is asked.
"""

import argparse
import csv
import io
import math
import random
import sys
from fractions import Fraction
from itertools import permutations, product
from pathlib import Path

import exact
from shapes import KNIVES, all_shapes

HERE = Path(__file__).parent
SHAPES = all_shapes()
TIME_TOLERANCE = 1e-6
POSE_COLUMNS = [name for row in range(3) for name in (*(f"r{row}{column}" for column in range(3)), "t" + "xyz"[row])]
CASE_COLUMNS = [
    "case",
    "class",
    "mesh_a",
    "mesh_b",
    "margin",
    *POSE_COLUMNS,
    *("end_" + name for name in POSE_COLUMNS),
]
IDENTITY = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


def determinant(m):
    return exact.dot(m[0], exact.cross(m[1], m[2]))


def quarter_turns():
    """The 24 rotations that map the axes onto axes: the only ones whose matrices no double rounds."""
    rows = [tuple(float(sign) if k == axis else 0.0 for k in range(3)) for axis in range(3) for sign in (1, -1)]
    return [m for m in permutations(rows, 3) if determinant(m) == 1]


TURNS = quarter_turns()
QUARTERS = ((1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0))
TURNS_ABOUT_X = [((1.0, 0.0, 0.0), (0.0, c, -s), (0.0, s, c)) for c, s in QUARTERS]
TURNS_ABOUT_Z = [((c, -s, 0.0), (s, c, 0.0), (0.0, 0.0, 1.0)) for c, s in QUARTERS]


def random_rotation(draw):
    """A rotation as a program has it: nine rounded doubles."""
    while True:
        w, x, y, z = (draw.uniform(-1, 1) for _ in range(4))
        length = math.sqrt(w * w + x * x + y * y + z * z)
        if 0.3 < length < 1:
            break
    w, x, y, z = w / length, x / length, y / length, z / length
    return (
        (1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
        (2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
        (2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)),
    )


def place(points, rotation, translation):
    """The posed points, exactly: R p + t for the doubles as they are."""
    matrix = [tuple(map(Fraction, row)) for row in rotation]
    return [tuple(exact.dot(row, p) + Fraction(t) for row, t in zip(matrix, translation)) for p in points]


def rounds_nowhere(points, rotation, translation):
    """Whether doubles place these points without rounding, in whatever order they compute."""
    return all(sorted(map(abs, row)) == [0, 0, 1] for row in rotation) and all(
        Fraction(float(x)) == x for p in place(points, rotation, translation) for x in p
    )


def whole_triangles(shape, points, unit):
    """A mesh's triangles with its vertices at these points, in whole numbers of which `unit` are 1."""
    points = [tuple(int(x * unit) for x in p) for p in points]
    return [tuple(points[i] for i in face) for face in shape.faces]


def relation_on_grid(mesh_a, mesh_b, rotation, translation):
    """The relation of two convex meshes with whole coordinates: quick, to look for cases."""
    a, b = SHAPES[mesh_a], SHAPES[mesh_b]
    placed = place(b.vertices, rotation, translation)
    return exact.convex_relation(whole_triangles(a, a.vertices, 1), whole_triangles(b, placed, 1))


class Scene:
    """Mesh B, posed, beside mesh A, all in whole numbers: coordinates times `unit`."""

    def __init__(self, mesh_a, mesh_b, rotation, translation):
        self.a, self.b = SHAPES[mesh_a], SHAPES[mesh_b]
        self.placed = place(self.b.vertices, rotation, translation)
        self.unit = math.lcm(*(x.denominator for p in self.a.vertices + self.placed for x in p))
        self.triangles_a = whole_triangles(self.a, self.a.vertices, self.unit)
        self.triangles_b = whole_triangles(self.b, self.placed, self.unit)
        self.extent = max(abs(float(x)) for p in self.a.vertices + self.b.vertices + [translation] for x in p)
        self.pairs = exact.touching_pairs(self.triangles_a, self.triangles_b)
        # Boxes stay boxes when turned by right angles.
        self.cells = (
            self.a.cells
            and self.b.cells
            and [
                self.boxes(self.a.cells),
                self.boxes([exact.bounds(place(box, rotation, translation)) for box in self.b.cells]),
            ]
        )

    def boxes(self, cells):
        return [tuple(tuple(x * self.unit for x in corner) for corner in box) for box in cells]

    def tolerance(self):
        return float(f"{1e-9 * self.extent:.0e}")

    def distance(self):
        if self.pairs:
            return Fraction(0)
        return exact.distance_sq(self.triangles_a, self.triangles_b) / self.unit**2

    def relation(self, is_turned):
        """The relation of two solids, or None where it is not defined or not known."""
        if not (self.a.solid and self.b.solid):
            return None
        if self.a.convex and self.b.convex:
            return exact.convex_relation(self.triangles_a, self.triangles_b)
        if self.cells and not is_turned:
            return exact.boxes_relation(*self.cells, bool(self.pairs))
        if self.pairs:
            # With a margin, surfaces that touch pass through each other.
            return "crossing" if is_turned else None
        inside = [
            exact.is_inside(self.triangles_a[0][0], self.triangles_b),
            exact.is_inside(self.triangles_b[0][0], self.triangles_a),
        ]
        return "a_in_b" if inside[0] else "b_in_a" if inside[1] else "separate"

    def depth(self, is_turned):
        """The squared penetration depth, or None where it is not known or not stable."""
        if self.a.convex and self.b.convex:
            return (exact.convex_overlap_sq(self.triangles_a, self.triangles_b) or Fraction(0)) / self.unit**2
        if self.cells and not is_turned:
            depth = exact.boxes_depth_sq(*self.cells)
            # A way out that is exactly as wide as what moves along it is closed by any rounding: nobody is asked.
            near = exact.boxes_depth_sq(*self.cells, Fraction(self.unit, 2**30))
            return None if near > (math.sqrt(depth) + self.unit * 2**-20) ** 2 else Fraction(depth) / self.unit**2
        return None


def interval(low, high):
    return repr(low) if low == high else f"{low!r} {high!r}"


class Oracle:
    def __init__(self):
        self.cases, self.truth, self.counts = [], [], {}

    def add_case(self, group, mesh_a, mesh_b, margin, *poses):
        self.counts[group] = self.counts.get(group, 0) + 1
        name = f"{group}-{self.counts[group]:03}"
        numbers = [
            repr(x + 0.0)
            for rotation, translation in poses
            for row, t in zip(rotation, translation)
            for x in (*map(float, row), float(t))
        ]
        numbers += [""] * (24 - len(numbers))
        self.cases.append([name, group, mesh_a, mesh_b, repr(margin), *numbers])
        return name

    def static(self, group, mesh_a, mesh_b, translation, rotation=IDENTITY, wanted=None):
        """Adds a case with all that is known of it. With a rotation that doubles round, only if the answers hold
        within a margin. With `wanted`, only for such relations. Returns whether it was added."""
        scene = Scene(mesh_a, mesh_b, rotation, translation)
        is_turned = not rounds_nowhere(scene.b.vertices, rotation, translation)
        margin = 0.0
        if is_turned:
            margin = 2.0**-20 * 2 ** math.floor(math.log2(scene.extent))
            if not exact.holds_within(
                scene.triangles_a, scene.triangles_b, scene.pairs, math.ceil(margin * scene.unit)
            ):
                return False
        relation = scene.relation(is_turned)
        if wanted and relation not in wanted:
            return False
        name = self.add_case(group, mesh_a, mesh_b, margin, (rotation, translation))
        tell = lambda question, answer, tolerance, proof: self.truth.append([name, question, answer, tolerance, proof])
        tolerance = repr(scene.tolerance())
        tell("hit", str(int(bool(scene.pairs))), "", "rational")
        if len(scene.pairs) <= 300:
            tell("pairs", " ".join(f"{i}-{j}" for i, j in scene.pairs), "", "rational")
        tell("distance", interval(*exact.root_bounds(scene.distance())), tolerance, "rational")
        convex = scene.a.convex and scene.b.convex
        if relation:
            tell("relation", relation, "", "rational" if convex or not scene.cells or is_turned else "closed form")
        depth = scene.depth(is_turned)
        if depth is not None:
            tell("depth", interval(*exact.root_bounds(depth)), tolerance, "rational" if convex else "closed form")
        return True

    def motion(self, group, mesh_a, mesh_b, start, end, rotation=IDENTITY):
        """Adds a translation of convex meshes or boxes, if a slight change of the meshes does not change the answer."""
        scene = Scene(mesh_a, mesh_b, rotation, start)
        if not rounds_nowhere(scene.b.vertices, rotation, start) or scene.pairs:
            return False
        if scene.relation(False) != "separate":
            return False
        way = tuple((Fraction(q) - Fraction(p)) * scene.unit for p, q in zip(start, end))
        if scene.a.convex and scene.b.convex:
            contact = lambda grow: exact.convex_contact_time(scene.triangles_a, scene.triangles_b, way, grow)
        else:
            contact = lambda grow: exact.boxes_contact_time(*scene.cells, way, grow)
        little = Fraction(scene.unit) * Fraction(scene.extent) / 2**40
        times = [contact(grow) for grow in (-little, 0, little)]
        times = [None if t is None or t > 1 else t for t in times]
        # Along an axis, and to a time that doubles hold, motions that just touch are exact too.
        is_stable = len({t is None for t in times}) == 1 and (
            times[1] is None or times[0] - times[2] <= Fraction(TIME_TOLERANCE) / 4
        )
        if group != "graze" and not is_stable:
            return False
        name = self.add_case(group, mesh_a, mesh_b, 0.0, (rotation, start), (rotation, end))
        answer = "none" if times[1] is None else interval(*exact.double_bounds(times[1]))
        self.truth.append([name, "impact", answer, repr(TIME_TOLERANCE), "rational"])
        return True

    def swing(self, height, side):
        """A dart of radius 4 turns by a quarter about z beside a wall, whose face its tip reaches at a sine of
        height / 4, if ever. All else of the dart stays within 1 of the axis."""
        center = (0.0, -side * (0.25 + float(height)), 0.0)
        end = ((0.0, -float(side), 0.0), (float(side), 0.0, 0.0), (0.0, 0.0, 1.0))
        name = self.add_case("swing", "wall", "dart", 0.0, (IDENTITY, center), (end, center))
        if height > 4:
            answer, proof = "none", "closed form"
        else:
            sine, low, high = height / 4, Fraction(0), Fraction(1)
            for _ in range(52):
                middle = (low + high) / 2
                below, above = exact.sine_bounds(middle)
                if above < sine:
                    low = middle
                elif below > sine:
                    high = middle
                else:
                    # The sine is so close to the height that both ends of a narrow interval prove it.
                    low, high = middle - Fraction(1, 2**50), middle + Fraction(1, 2**50)
                    break
            assert exact.sine_bounds(low)[1] < sine < exact.sine_bounds(high)[0]
            answer, proof = interval(float(low), float(high)), "interval"
        self.truth.append([name, "impact", answer, repr(TIME_TOLERANCE), proof])


def some(draw, low, high, step=1.0):
    return step * draw.randint(round(low / step), round(high / step))


def make(draw):
    oracle = Oracle()
    static, motion = oracle.static, oracle.motion

    # Faces, edges and corners that touch exactly, or miss by as little as a double can say.
    for x, y, z in product((0, 1, 2), repeat=3):
        if (x, y, z) != (0, 0, 0):
            static("flush", "cube", "cube", (float(x), float(y), float(z)), draw.choice(TURNS))
    for bits in (10, 20, 30, 40, 50):
        for sign in (1, -1):
            gap = 2 + sign * 2.0**-bits
            for way in ((gap, 0.0, 0.0), (0.0, gap, 2.0), (gap, gap, gap), (1.0, -gap, 0.5)):
                static("gap", "cube", "cube", way, draw.choice(TURNS))
    for a, b in (
        ("slab", "cube"),
        ("slab", "rod"),
        ("rod", "rod"),
        ("cube", "dart"),
        ("slab", "tetra"),
        ("cube", "tetra"),
        ("dart", "dart"),
    ):
        for _ in range(10):
            static("flush", a, b, tuple(some(draw, -3, 3, 0.25) for _ in range(3)), draw.choice(TURNS))

    # Cubes at exact angles: contacts of faces, edges and corners that are parallel to no axis.
    for a, b, reach in (
        ("turned3", "cube", 5),
        ("turned5", "cube", 9),
        ("turned7", "cube", 12),
        ("turned3", "turned3", 7),
        ("turned5", "turned5", 14),
        ("turned3", "turned7", 14),
        ("turned7", "turned7", 16),
        ("turned13", "turned5", 24),
        ("turned3", "dart", 7),
        ("turned5", "tetra", 8),
    ):
        wanted = {"touching": 7, "crossing": 2, "separate": 2, "b_in_a": 1}
        for _ in range(1500):
            if not any(wanted.values()):
                break
            way, rotation = tuple(some(draw, -reach, reach) for _ in range(3)), draw.choice(TURNS)
            relation = relation_on_grid(a, b, rotation, way)
            if wanted.get(relation, 0) and static("turned", a, b, way, rotation):
                wanted[relation] -= 1

    # Any rotation, with a margin.
    for a, b, reach in (
        ("cube", "cube", 3),
        ("cube", "tetra", 2.5),
        ("tetra", "tetra", 2),
        ("slab", "rod", 4),
        ("dart", "cube", 4),
        ("turned3", "cube", 4),
        ("turned5", "turned3", 9),
        ("turned7", "dart", 9),
        ("rod", "rod", 2),
    ):
        added = 0
        while added < 10:
            added += static(
                "convex", a, b, tuple(some(draw, -reach, reach, 2.0**-10) for _ in range(3)), random_rotation(draw)
            )
    for a, b, reach in (
        ("torus", "torus", 5),
        ("torus", "ball", 4),
        ("ball", "ball", 4),
        ("torus", "sheet", 4),
        ("grating", "rod", 4),
        ("comb", "ball", 5),
        ("frame", "torus", 4),
        ("hollow", "cell", 3),
        ("crossed", "cube", 3),
    ):
        added = 0
        while added < 6:
            added += static(
                "curved", a, b, tuple(some(draw, -reach, reach, 2.0**-10) for _ in range(3)), random_rotation(draw)
            )

    # Solids of cells: holes, slots, teeth and cavities that fit exactly.
    for a, b, reach in (
        ("ell", "ell", 3),
        ("yoke", "ell", 3),
        ("frame", "bar", 4),
        ("frame", "pin", 3),
        ("comb", "comb", 7),
        ("hollow", "cell", 3),
        ("hollow", "ell", 3),
        ("grating", "pin", 5),
        ("grating", "bar", 5),
        ("yoke", "yoke", 4),
    ):
        for _ in range(9):
            static("cells", a, b, tuple(some(draw, -1, reach, 0.5) for _ in range(3)), draw.choice(TURNS))
    static("cells", "frame", "bar", (1.0, 1.0, -2.0))
    static("cells", "hollow", "cell", (1.0, 1.0, 1.0))
    static("cells", "frame", "pin", (1.25, 1.25, -0.5))
    static("cells", "grating", "pin", (1.25, 3.25, -0.5))
    static("cells", "comb", "comb", (8.0, 3.0, 0.0), TURNS_ABOUT_Z[2])

    # One in the other, linked, or through a hole.
    for a, b, way in (
        ("turned5", "cube", (0, 0, 0)),
        ("turned5", "cube", (1, 0, 4)),
        ("turned5", "cube", (1, 0, 3.5)),
        ("turned7", "turned3", (0, 0, 0)),
        ("turned13", "turned7", (0, 0, 0)),
        ("cube", "turned5", (0, 0, 0)),
        ("cube", "turned7", (0, 1, 0)),
        ("turned5", "ball", (0, 0, 0)),
        ("ball", "cube_2m40", (1, 0, 0)),
        ("turned13", "torus", (0, 1, 0)),
        ("torus", "rod", (0, 0, 0)),
        ("torus", "rod", (3, 0, 0)),
        ("ball", "cube", (0, 0, 0)),
        ("hollow", "cube_2m40", (1.5, 1.5, 1.5)),
        ("torus", "cube_2m40", (3, 0, 0)),
        ("torus", "cube_2m40", (0, 0, 0)),
        ("slab", "cube_2m40", (0, 0, 0)),
        ("hollow", "pin", (1.25, 1.25, 0.5)),
        ("hollow", "hollow", (0, 0, 0.5)),
        ("hollow", "turned5", (1.5, 1.5, 1.5)),
    ):
        way = tuple(map(float, way))
        static("nested", a, b, way)
        static("nested", b, a, tuple(-x for x in way))
    static("nested", "torus", "torus", (3.0, 0.0, 0.0), TURNS_ABOUT_X[1])

    # Needles a million times as long as wide.
    for _ in range(14):
        static(
            "sliver",
            "needles",
            "needles",
            (some(draw, -8, 8, 0.5), some(draw, -4, 4), some(draw, -2, 2, 0.5)),
            draw.choice(TURNS_ABOUT_X[::2] + TURNS_ABOUT_Z),
        )
        static(
            "sliver",
            "sheet",
            "needles",
            (some(draw, -30, 0, 0.5), some(draw, -(2**20), 0), some(draw, -7, 0, 2.0**-12)),
        )
    # Determinants of 0 and 1 with large terms.
    for name, (_, _, step) in KNIVES.items():
        for times in (-2, -1, 0, 1, 2):
            static("knife", f"{name}a", f"{name}b", tuple(float(times * x) for x in step))
    # One plane, or as good as one.
    for _ in range(16):
        way = (some(draw, -5, 5, 0.5), some(draw, -5, 5, 0.5), draw.choice((0.0, 0.0, 0.0, 2.0**-30)))
        static("coplanar", "sheet", "sheet", way, draw.choice(TURNS_ABOUT_Z))
        static(
            "coplanar", "sheet", draw.choice(("cube", "slab", "ell")), (way[0], way[1], draw.choice((1.0, -1.0, 0.25)))
        )
    # Triangles without area, and the same twice.
    for other in ("degenerate", "sheet", "cube", "dart"):
        for _ in range(8):
            static(
                "degenerate", "degenerate", other, tuple(some(draw, -3, 3, 0.5) for _ in range(3)), draw.choice(TURNS)
            )
    # Meshes that pass through themselves.
    for a, b in (("crossed", "cube"), ("crossed", "crossed"), ("doubled", "cube"), ("doubled", "sheet")):
        for _ in range(6):
            static("self_crossing", a, b, tuple(some(draw, -3, 3, 0.5) for _ in range(3)), draw.choice(TURNS))

    # Sizes.
    for power, name in ((40, "2p40"), (-40, "2m40"), (60, "2p60"), (-60, "2m60")):
        unit = 2.0**power
        for way in ((2, 0, 0), (2, 2, 0), (2, 2, 2), (1, 1, 0), (3, 1, 0), (2 + 2.0**-30, 0, 0), (2 - 2.0**-30, 0, 0)):
            static("scale", f"cube_{name}", f"cube_{name}", tuple(x * unit for x in way), draw.choice(TURNS))
    for name, unit in (("turned3_2p40", 2.0**40), ("turned3_2m40", 2.0**-40)):
        added = 0
        while added < 6:
            way = tuple(some(draw, -7, 7) * unit for _ in range(3))
            added += static("scale", name, name, way, draw.choice(TURNS), wanted={"touching"} if added < 4 else None)
    for way in ((1 + 2.0**-40, 0, 0), (1 + 2.0**-39, 0, 0), (1.0, 1.0, 0.0), (1.0, 0.5, 0.25), (0.5, 0.0, 0.0)):
        static("scale", "cube", "cube_2m40", tuple(map(float, way)))
    for way in ((2.0**40 + 1, 0, 0), (2.0**40 + 2, 0, 0), (2.0**40, 2.0**40, 5), (2.0**40 - 1, 0, 0), (0, 0, 0)):
        static("scale", "cube_2p40", "cube", tuple(map(float, way)))

    # Motions along a line, with the rational time of first contact.
    for a, b, reach in (
        ("cube", "cube", 6),
        ("turned5", "cube", 14),
        ("turned3", "turned7", 20),
        ("dart", "tetra", 9),
        ("slab", "rod", 9),
        ("grating", "pin", 9),
        ("comb", "cell", 9),
        ("hollow", "bar", 9),
        ("frame", "pin", 7),
        ("yoke", "ell", 6),
    ):
        added = 0
        while added < 8:
            start = tuple(some(draw, -reach, reach, 0.25) for _ in range(3))
            middle = SHAPES[a].vertices
            middle = [float(sum(p[k] for p in middle) / len(middle)) for k in range(3)]
            end = tuple(2 * m - x + some(draw, -1, 1, 0.25) for m, x in zip(middle, start))
            added += motion("slide", a, b, start, end, draw.choice(TURNS))
    for gap in (2.0, 2 + 2.0**-20, 1.75):
        motion("graze", "cube", "cube", (-6.0, gap, 0.0), (10.0, gap, 0.0))
        motion("graze", "cube", "cube", (-6.0, gap, gap), (10.0, gap, gap))
        motion("graze", "slab", "cube", (0.0, -14.0, gap - 0.75), (0.0, 2.0, gap - 0.75))
    motion("graze", "frame", "pin", (1.25, 1.25, -8.0), (1.25, 1.25, 8.0))
    motion("graze", "frame", "bar", (1.0, 1.0, -8.0), (1.0, 1.0, 8.0))
    for height in (
        Fraction(5, 4),
        Fraction(3, 2),
        Fraction(2),
        Fraction(5, 2),
        Fraction(3),
        Fraction(7, 2),
        Fraction(15, 4),
        Fraction(17, 4),
    ):
        for side in (1, -1):
            oracle.swing(height, side)
    return oracle


def table(columns, rows):
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([columns, *rows])
    return text.getvalue()


def files():
    """Every generated file: its path and its text."""
    oracle = make(random.Random(40))
    made = {f"meshes/{name}.obj": shape.obj() for name, shape in SHAPES.items()}
    made["cases.csv"] = table(CASE_COLUMNS, oracle.cases)
    made["truth.csv"] = table(["case", "question", "answer", "tolerance", "proof"], oracle.truth)
    return made


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--check", action="store_true", help="write nothing; exit with 1 if a file is not as generated"
    )
    check = parser.parse_args().check
    made, different = files(), []
    for path, text in made.items():
        path = HERE / path
        if check and (not path.exists() or path.read_bytes() != text.encode()):
            different.append(str(path))
        elif not check:
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(text.encode())
    more = {str(p) for p in (HERE / "meshes").glob("*.obj")} - {str(HERE / p) for p in made}
    if check and (different or more):
        sys.exit("not as generated: " + ", ".join(sorted([*different, *more])))


if __name__ == "__main__":
    main()
