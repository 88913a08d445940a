"""The meshes of the oracle. Every coordinate is a short number that single precision holds exactly."""

import math
import random
from fractions import Fraction

from exact import cross, dot


class Shape:
    """A mesh and what is known of it: `convex`, `cells` (corners of the boxes that make up the solid) or neither, and
    whether it is a `solid`: closed, oriented outward and without self-intersections."""

    def __init__(self, vertices, faces, convex=False, cells=None, solid=False):
        self.vertices = [tuple(map(Fraction, v)) for v in vertices]
        self.faces, self.convex, self.cells = faces, convex, cells
        self.solid = solid or convex or cells is not None

    def scaled(self, factor):
        factor = Fraction(factor)
        scale = lambda points: [tuple(x * factor for x in p) for p in points]
        cells = self.cells and [tuple(scale(box)) for box in self.cells]
        return Shape(scale(self.vertices), self.faces, self.convex, cells, self.solid)

    def obj(self):
        lines = ["v " + " ".join(number(x) for x in v) for v in self.vertices]
        lines += ["f " + " ".join(str(i + 1) for i in face) for face in self.faces]
        return "\n".join(lines) + "\n"


def number(x):
    """The shortest decimal that reads back as this number."""
    return str(int(x)) if x == int(x) and abs(x) < 2**53 else repr(float(x))


def joined(*shapes):
    """One mesh of several."""
    vertices, faces = [], []
    for shape in shapes:
        faces += [tuple(i + len(vertices) for i in face) for face in shape.faces]
        vertices += shape.vertices
    return Shape(vertices, faces)


def moved(shape, way):
    return Shape([tuple(x + d for x, d in zip(v, way)) for v in shape.vertices], shape.faces, shape.convex)


def frame_box(x, y, z):
    """A box around the origin with half edges x, y and z, which are orthogonal vectors."""
    corners = [
        tuple(i * a + j * b + k * c for a, b, c in zip(x, y, z)) for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)
    ]
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    return Shape(corners, [t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))], convex=True)


def box(x, y, z):
    shape = frame_box((x, 0, 0), (0, y, 0), (0, 0, z))
    shape.cells = [((Fraction(-x), Fraction(-y), Fraction(-z)), (Fraction(x), Fraction(y), Fraction(z)))]
    return shape


def voxels(cells):
    """The boundary of a union of unit cells, named by their lower corners."""
    cells, vertices, faces = sorted(set(cells)), {}, []
    for cell in cells:
        for axis in range(3):
            for side in (0, 1):
                beyond = tuple(c + (2 * side - 1 if k == axis else 0) for k, c in enumerate(cell))
                if beyond in cells:
                    continue
                u, v = (axis + 1) % 3, (axis + 2) % 3
                corners = []
                for i, j in ((0, 0), (1, 0), (1, 1), (0, 1)) if side else ((0, 0), (0, 1), (1, 1), (1, 0)):
                    point = list(cell)
                    point[axis] += side
                    point[u] += i
                    point[v] += j
                    corners.append(vertices.setdefault(tuple(point), len(vertices)))
                a, b, c, d = corners
                faces += [(a, b, c), (a, c, d)]
    boxes = [(tuple(map(Fraction, c)), tuple(Fraction(x + 1) for x in c)) for c in cells]
    return Shape(list(vertices), faces, cells=boxes)


def grid(*sizes):
    return [(x, y, z) for x in range(sizes[0]) for y in range(sizes[1]) for z in range(sizes[2])]


def soup(triangles):
    return Shape([v for t in triangles for v in t], [(3 * k, 3 * k + 1, 3 * k + 2) for k in range(len(triangles))])


def sheet(n):
    """A square of n by n quads of side 1 in the plane z = 0, open."""
    at = lambda x, y: y * (n + 1) + x
    quads = [(at(x, y), at(x + 1, y), at(x + 1, y + 1), at(x, y + 1)) for y in range(n) for x in range(n)]
    faces = [t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))]
    return Shape([(x, y, 0) for y in range(n + 1) for x in range(n + 1)], faces)


def rounded(x):
    return Fraction(round(x * 64), 64)


def rings(point, around, along, closed_ends):
    """A closed surface of `along` rings with `around` points each; a torus, or a sphere with two poles."""
    vertices = [tuple(map(rounded, point(i / around, j))) for j in range(along) for i in range(around)]
    at = lambda i, j: (j % along) * around + i % around
    rows = range(along - 1) if closed_ends else range(along)
    faces = [
        t
        for j in rows
        for i in range(around)
        for t in ((at(i, j), at(i + 1, j), at(i + 1, j + 1)), (at(i, j), at(i + 1, j + 1), at(i, j + 1)))
    ]
    if closed_ends:
        south, north = len(vertices), len(vertices) + 1
        vertices += [tuple(map(rounded, p)) for p in closed_ends]
        faces += [(south, at(i + 1, 0), at(i, 0)) for i in range(around)]
        faces += [(north, at(i, along - 1), at(i + 1, along - 1)) for i in range(around)]
    return Shape(vertices, faces, solid=True)


def turn(x):
    return math.cos(2 * math.pi * x), math.sin(2 * math.pi * x)


def torus(around, along, large, small):
    def point(i, j):
        (c, s), (d, e) = turn(j / along), turn(i)
        return (large + small * d) * c, (large + small * d) * s, -small * e

    return rings(point, around, along, None)


def ball(around, along, radius):
    def point(i, j):
        (c, s), angle = turn(i), math.pi * (j + 1) / (along + 1)
        return radius * math.sin(angle) * c, radius * math.sin(angle) * s, -radius * math.cos(angle)

    return rings(point, around, along, [(0, 0, -radius), (0, 0, radius)])


def knives(count):
    """Pairs of triangles that meet or miss each other by as little as whole numbers allow, and where doubles that are
    not careful can't tell: a determinant of 0 or 1 whose terms are about 2^60. By the pair's name: its two meshes,
    and a translation of the second that changes the determinant by 1."""
    draw, made = random.Random(7), {}
    whole = lambda most: [draw.randint(-most, most) for _ in range(3)]
    combined = lambda *terms: tuple(sum(k * v[axis] for k, v in terms) for axis in range(3))
    while len(made) < 2 * count:
        u, v = whole(2**19), whole(2**19)
        m = cross(u, v)
        if math.gcd(*m) != 1 or dot(m, m) < 2**74:
            continue
        # Without common divisors, u and v reach all whole points of their plane. The least step off it:
        gcd, x, y = extended_gcd(m[0], m[1])
        _, p, q = extended_gcd(gcd, m[2])
        step = (x * p, y * p, q)
        assert dot(step, m) == 1
        for _ in range(2):
            for one, other in ((u, v), (v, u)):
                along = cross(other, m)
                step = combined((1, step), (-round(Fraction(dot(step, along), dot(one, along))), one))
        up = [round(2**20 * x / math.sqrt(dot(m, m))) for x in m]
        # A corner above a face, and two edges that cross each other at a right distance.
        plate = [(0, 0, 0), combined((4, u)), combined((4, v))]
        spike = [combined((1, u), (1, v)), combined((1, up), (1, whole(2**18))), combined((2, up), (1, u))]
        ridge = [combined((-1, u)), combined((3, u)), combined((-1, up))]
        keel = [combined((1, u), (-1, v)), combined((1, u), (1, v)), combined((1, up), (1, whole(2**18)))]
        number = len(made) // 2 + 1
        made[f"corner{number}"] = soup([plate]), soup([spike]), step
        made[f"edge{number}"] = soup([ridge]), soup([keel]), step
    return made


def extended_gcd(a, b):
    """The greatest common divisor g of a and b, and x and y with a x + b y = g."""
    if b == 0:
        return (a, 1, 0) if a > 0 else (-a, -1, 0)
    g, x, y = extended_gcd(b, a % b)
    return g, y, x - a // b * y


KNIVES = knives(7)


def all_shapes():
    """Every mesh by its name."""
    cube = box(1, 1, 1)
    dart = Shape(
        [(4, 0, 0), (0, 1, 0), (-1, 0, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1)],
        [(0, 1, 4), (1, 2, 4), (2, 3, 4), (3, 0, 4), (1, 0, 5), (2, 1, 5), (3, 2, 5), (0, 3, 5)],
        convex=True,
    )
    frame = [c for c in grid(3, 3, 1) if c != (1, 1, 0)]
    grating = [(x, y, 0) for x, y, _ in grid(5, 5, 1) if x % 2 == 0 or y % 2 == 0]
    needles = [((8 * k, 0, 0), (8 * k + 1, 2**20, k), (8 * k, 2**20, k)) for k in range(8)]
    flat = [
        ((0, 0, 0), (4, 0, 0), (2, 0, 0)),
        ((0, 2, 0), (0, 2, 0), (0, 2, 0)),
        ((0, 0, 0), (4, 0, 0), (0, 4, 0)),
        ((0, 0, 0), (4, 0, 0), (0, 4, 0)),
        ((0, 0, 1), (4, 4, 1), (0, 0, 1)),
        ((3, 3, 3), (3, 3, 3), (3, 3, 3)),
    ]
    turned3 = frame_box((1, 2, 2), (2, 1, -2), (-2, 2, -1))
    knife_meshes = {f"{name}{side}": pair[k] for name, pair in KNIVES.items() for k, side in enumerate("ab")}
    return {
        **knife_meshes,
        "cube": cube,
        "slab": box(4, 4, Fraction(1, 4)),
        "wall": box(8, Fraction(1, 4), 8),
        "rod": box(Fraction(1, 4), Fraction(1, 4), 4),
        "dart": dart,
        "tetra": Shape(
            [(1, 1, 1), (1, -1, -1), (-1, 1, -1), (-1, -1, 1)],
            [(0, 1, 2), (0, 3, 1), (0, 2, 3), (1, 3, 2)],
            convex=True,
        ),
        # Cubes that are turned by exact angles: their half edges are orthogonal vectors of whole numbers.
        "turned5": frame_box((3, 4, 0), (-4, 3, 0), (0, 0, 5)),
        "turned3": turned3,
        "turned7": frame_box((2, 3, 6), (3, -6, 2), (6, 2, -3)),
        "turned13": frame_box((5, 12, 0), (-12, 5, 0), (0, 0, 13)),
        "cell": voxels([(0, 0, 0)]),
        "bar": voxels(grid(1, 1, 4)),
        "ell": voxels([(0, 0, 0), (1, 0, 0), (0, 1, 0)]),
        "yoke": voxels([c for c in grid(3, 2, 1) if c != (1, 1, 0)]),
        "frame": voxels(frame),
        "hollow": voxels([c for c in grid(3, 3, 3) if c != (1, 1, 1)]),
        "comb": voxels([(x, y, 0) for x, y, _ in grid(7, 3, 1) if x % 2 == 0 or y == 0]),
        "grating": voxels(grating),
        "pin": voxels(grid(1, 1, 4)).scaled(Fraction(1, 2)),
        "sheet": sheet(4),
        "torus": torus(6, 12, 3, 1),
        "ball": ball(8, 5, 2),
        "needles": soup(needles),
        "degenerate": soup(flat),
        "crossed": joined(cube, moved(turned3.scaled(Fraction(1, 2)), (1, 1, 1))),
        "doubled": joined(cube, cube),
        "cube_2p40": cube.scaled(2**40),
        "cube_2m40": cube.scaled(Fraction(1, 2**40)),
        "cube_2p60": cube.scaled(2**60),
        "cube_2m60": cube.scaled(Fraction(1, 2**60)),
        "turned3_2p40": turned3.scaled(2**40),
        "turned3_2m40": turned3.scaled(Fraction(1, 2**40)),
    }
