"""The pack of meshes of the study, by class: the repository's, three that are made here, and public ones that are fetched, the same bytes everywhere."""

import hashlib
import math
import sys
import urllib.request
from pathlib import Path

DATA = Path(__file__).resolve().parent.parent / "data"

#: Class and source of each mesh: a file of `data/`, or a function below.
PACK = {
    "bolt": "cad",
    "chain_link": "cad",
    "gear": "cad",
    "spring": "cad",
    "character": "character",
    "sword": "character",
    "teapot": "curved",
    "torus_knot": "curved",
    "open_bowl": "curved",
    "scan": "scan",
    "crate": "level",
    "terrain": "level",
    "rooms": "level",
    "nonmanifold": "soup",
    "soup": "soup",
}

#: A collection of well-known meshes, at one commit.
COLLECTION = "https://raw.githubusercontent.com/alecjacobson/common-3d-test-models/8a4f8642acaf43f9cd7b67858a1502e1055ef202/data"
#: Class and SHA-256 of each mesh of the collection that is measured with `--public`.
PUBLIC = {
    "cheburashka": ("character", "b2ac59bc1112f1b3e086ac0285d9be7fdefef278a32151a79e650414b2244f3f"),
    "cow": ("character", "69afce548640bc2beb0c44894d1a24d5766cc9cd3fd74f3ec55b4e229104b23f"),
    "fandisk": ("cad", "ea5bab2fbf545b1915f0d9faf6cc61ff8c18e0d8174ad61f8e35de15d8f6e3f8"),
    "homer": ("character", "b20b1391fd62964f65703d748514d86d747d1202d38e55e0f1addac7a5a10e8b"),
    "rocker-arm": ("scan", "590257e6d01e689354821d807854306c3bfbb02d9cca73404d5a4924f105c287"),
    "spot": ("character", "0738b5e8608fed74e5e8c7aa8dd0af97b4b74f9f6cbf7aac84cd7e40b2e44a75"),
    "suzanne": ("character", "d8684326f9bd8cfc24d3d302c1042fa16f63d2e66e49ed56b413fa20bed271e6"),
}
CLASSES = PACK | {name: own for name, (own, _) in PUBLIC.items()}


def fetch(name, folder):
    """The file of a public mesh in the folder, fetched unless it is there; None, with a note, if it cannot be had."""
    path, address = Path(folder) / f"{name}.obj", f"{COLLECTION}/{name}.obj"
    try:
        if path.exists():
            source, content = path, path.read_bytes()
        else:
            with urllib.request.urlopen(address, timeout=30) as answer:
                source, content = address, answer.read()
    except OSError as error:
        print(f"{name} is left out: {address} cannot be fetched ({error}). To measure it, put the file into {folder}", file=sys.stderr)
        return None
    if hashlib.sha256(content).hexdigest() != PUBLIC[name][1]:
        print(f"{name} is left out: {source} has another digest", file=sys.stderr)
        return None
    if source == address:
        path.write_bytes(content)
    return path


def write(name, folder):
    """The file of a mesh; one that is made here is written into the folder."""
    if name not in MADE:
        return DATA / f"{name}.obj"
    vertices, faces = MADE[name]()
    lines = [f"v {x:.4f} {y:.4f} {z:.4f}\n" for x, y, z in vertices] + [f"f {a + 1} {b + 1} {c + 1}\n" for a, b, c in faces]
    path = Path(folder) / f"{name}.obj"
    path.write_text("".join(lines), newline="\n")
    return path


def noise(*numbers):
    """A number from 0 to 1 for some integers, always the same."""
    state = 0x9E3779B9
    for number in numbers:
        state = (state ^ (number & 0xFFFFFFFF)) * 0x85EBCA6B & 0xFFFFFFFF
        state = (state ^ state >> 13) * 0xC2B2AE35 & 0xFFFFFFFF
        state ^= state >> 16
    return state / 0xFFFFFFFF


def scan():
    """A head-sized blob with ripples and the noise of a scanner, open at the bottom."""
    rings, around = 56, 80
    vertices = []
    for ring in range(rings + 1):
        latitude = math.pi * 0.9 * ring / rings
        for step in range(around):
            longitude = 2 * math.pi * step / around
            ripple = 0.08 * math.sin(5 * longitude) * math.sin(3 * latitude) + 0.006 * (noise(ring, step) - 0.5)
            # One point at the top.
            radius = 100 * (1 + ripple) if ring else 100
            vertices.append((
                0.8 * radius * math.sin(latitude) * math.cos(longitude),
                radius * math.sin(latitude) * math.sin(longitude),
                1.2 * radius * math.cos(latitude),
            ))
    at = lambda ring, step: ring * around + step % around
    faces = []
    for ring in range(rings):
        for step in range(around):
            corners = at(ring, step), at(ring + 1, step), at(ring + 1, step + 1), at(ring, step + 1)
            if ring > 0:
                faces.append((corners[0], corners[1], corners[3]))
            faces.append((corners[1], corners[2], corners[3]))
    return vertices, faces


def add_box(vertices, faces, lower, upper):
    first = len(vertices)
    vertices += [(x, y, z) for x in (lower[0], upper[0]) for y in (lower[1], upper[1]) for z in (lower[2], upper[2])]
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    for a, b, c, d in quads:
        faces += [(first + a, first + b, first + c), (first + a, first + c, first + d)]


def rooms():
    """A storey of 8 by 8 rooms: walls with doors, and furniture turned to no axis."""
    vertices, faces = [], []
    add_box(vertices, faces, (0, 0, -0.3), (40, 40, 0))
    for i in range(9):
        for j in range(8):
            for is_turned in (False, True):
                door = 0 if i in (0, 8) else 1 + 2 * noise(i, j, is_turned)
                parts = [(5 * j, 5 * j + 5)] if door == 0 else [(5 * j, 5 * j + door), (5 * j + door + 1, 5 * j + 5)]
                for start, end in parts:
                    lower, upper = (5 * i - 0.1, start), (5 * i + 0.1, end)
                    flip = (lambda p: p[::-1]) if is_turned else (lambda p: p)
                    add_box(vertices, faces, (*flip(lower), 0), (*flip(upper), 2.6))
    for number in range(200):
        first = len(vertices)
        size = [0.2 + 0.8 * noise(number, k) for k in range(3)]
        add_box(vertices, faces, (-size[0] / 2, -size[1] / 2, 0), (size[0] / 2, size[1] / 2, size[2]))
        turn, place = math.pi * noise(number, 3), [0.5 + 39 * noise(number, k) for k in (4, 5)]
        cos, sin = math.cos(turn), math.sin(turn)
        vertices[first:] = [(cos * x - sin * y + place[0], sin * x + cos * y + place[1], z) for x, y, z in vertices[first:]]
    return vertices, faces


def soup():
    """Triangles of all sizes, anywhere in a cube."""
    vertices, faces = [], []
    for number in range(1200):
        center = [100 * noise(number, k) for k in range(3)]
        size = 12 * noise(number, 3) ** 3 + 0.2
        for corner in range(3):
            vertices.append([center[k] + size * (noise(number, 4 + 3 * corner + k) - 0.5) for k in range(3)])
        faces.append((3 * number, 3 * number + 1, 3 * number + 2))
    return vertices, faces


MADE = {"scan": scan, "rooms": rooms, "soup": soup}
