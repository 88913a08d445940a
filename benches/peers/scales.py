#!/usr/bin/env python3
"""Compares trees of different leaf sizes on pairs of meshes of very different scale: props beside large triangles.

Writes a folder like the dataset (meshes/*.obj, poses/*.csv), which `run.py --dataset` reads too, and then measures each
pair with trees of the default leaves and of `--leaf 1` to 4, in turn on one core. A ratio is the time with the default
leaves over the best of the others'. A pose file is named after the large mesh, the prop, and how many times larger the
large mesh is; its labels say how the prop lies: `touching` (its middle within its radius of a large triangle), `near`
(just beside one) and `apart` (one to three radii away).
"""

import argparse
import csv
import math
import pathlib
import random
import statistics
import subprocess
import sys

SIZE = 256.0
SCALES = (1, 10, 100, 1000, 10000)
LABELS = {"touching": (0.1, 0.9), "near": (1.001, 1.1), "apart": (2.0, 4.0)}


def add(a, b, t=1.0):
    return tuple(x + t * y for x, y in zip(a, b))


def cross(a, b):
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def unit(a):
    length = math.sqrt(sum(x * x for x in a)) or 1.0
    return tuple(x / length for x in a)


def direction(rng):
    return unit((rng.gauss(0, 1), rng.gauss(0, 1), rng.gauss(0, 1)))


def grid(nu, nv, point, closed=(False, False)):
    """Triangles of a surface given by a function of two parameters from 0 to 1."""
    wu, wv = nu + (not closed[0]), nv + (not closed[1])
    vertices = [point(i / nu, j / nv) for i in range(wu) for j in range(wv)]
    at = lambda i, j: (i % wu) * wv + j % wv
    faces = []
    for i in range(nu):
        for j in range(nv):
            a, b, c, d = at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)
            faces += [(a, b, c), (a, c, d)]
    return vertices, faces


def box(center, axes, half):
    corner = lambda i: [half[k] * (1 if i >> k & 1 else -1) for k in range(3)]
    vertices = [add(add(add(center, axes[0], c[0]), axes[1], c[1]), axes[2], c[2]) for c in map(corner, range(8))]
    quads = [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)]
    return vertices, [(a, b, c) for a, b, c, _ in quads] + [(a, c, d) for a, _, c, d in quads]


def joined(parts):
    vertices, faces = [], []
    for more, triangles in parts:
        faces += [tuple(len(vertices) + i for i in face) for face in triangles]
        vertices += more
    return vertices, faces


def frame(rng):
    x = direction(rng)
    y = unit(cross(x, direction(rng)))
    return x, y, cross(x, y)


def large_meshes(rng):
    h = SIZE / 2
    hills = [(rng.uniform(2, 9), rng.uniform(2, 9), rng.uniform(0, 6)) for _ in range(6)]

    def terrain(u, v):
        z = sum(math.sin(6.3 * (a * u + b * v) + c) / (a + b) for a, b, c in hills)
        return (SIZE * (u - 0.5), SIZE * (v - 0.5), 0.25 * SIZE * z + rng.uniform(-0.5, 0.5))

    yield "terrain", grid(180, 180, terrain)
    yield "room", box((0, 0, 0), ((1, 0, 0), (0, 1, 0), (0, 0, 1)), (h, 0.8 * h, 0.3 * h))
    turned = frame(rng)
    yield "plate", ([add(add((0, 0, 0), turned[0], x * h), turned[1], y * h) for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1))],
                    [(0, 1, 2), (0, 2, 3)])
    place = lambda: tuple(rng.uniform(-0.4 * SIZE, 0.4 * SIZE) for _ in range(3))
    yield "beams", joined(box(place(), frame(rng), (rng.uniform(0.1, 0.5) * h, 0.01 * h, 0.006 * h)) for _ in range(250))
    slivers = []
    for _ in range(6000):
        p, d = place(), direction(rng)
        slivers.append(([p, add(p, d, rng.uniform(5, 80)), add(p, direction(rng), rng.uniform(0.1, 3))], [(0, 1, 2)]))
    yield "soup", joined(slivers)
    # A scan's triangles, thin and bent: pairs of them fill thick boxes.
    bumpy = lambda u, v: tuple(x * (1 + 0.08 * math.sin(40 * u) * math.sin(55 * v)) for x in sphere(u, v))
    sphere = lambda u, v: (h * math.sin(math.pi * v) * math.cos(2 * math.pi * u),
                           h * math.sin(math.pi * v) * math.sin(2 * math.pi * u), h * math.cos(math.pi * v))
    yield "rock", grid(60, 30, bumpy, (True, False))


def props():
    """Meshes of radius 1."""
    bump = lambda u, v: 1 + 0.1 * math.sin(2 * math.pi * 5 * u) * math.sin(math.pi * 4 * v)

    def ball(u, v):
        r = 0.9 * bump(u, v) * math.sin(math.pi * v)
        return (r * math.cos(2 * math.pi * u), r * math.sin(2 * math.pi * u), 0.9 * bump(u, v) * math.cos(math.pi * v))

    def torus(u, v):
        r = 0.7 + 0.29 * math.cos(2 * math.pi * v)
        return (r * math.cos(2 * math.pi * u), r * math.sin(2 * math.pi * u), 0.29 * math.sin(2 * math.pi * v))

    yield "ball", grid(128, 64, ball, (True, False))
    yield "torus", grid(160, 52, torus, (True, True))


def write_obj(path, mesh, scale=1.0):
    vertices, faces = mesh
    with open(path, "w") as file:
        file.writelines("v %.9g %.9g %.9g\n" % tuple(x * scale for x in vertex) for vertex in vertices)
        file.writelines("f %d %d %d\n" % tuple(i + 1 for i in face) for face in faces)


def write_poses(path, names, large, radius, rng, count):
    vertices, faces = large
    # The prop lies where the surface is, not where triangles are many: faces are drawn by area.
    areas = []
    for face in faces:
        a, b, c = (vertices[i] for i in face)
        areas.append(math.hypot(*cross(add(b, a, -1), add(c, a, -1))))
    with open(path, "w") as file:
        file.write("# mesh_a,mesh_b,label,r00,r01,r02,tx,r10,r11,r12,ty,r20,r21,r22,tz\n")
        for label, (least, most) in LABELS.items():
            for face in rng.choices(faces, areas, k=count):
                a, b, c = (vertices[i] for i in face)
                t, s = sorted((rng.random(), rng.random()))
                at = add(add(a, add(b, a, -1), s), add(c, b, -1), t)
                normal = unit(cross(add(b, a, -1), add(c, a, -1)))
                at = add(at, normal, rng.choice((-1, 1)) * radius * rng.uniform(least, most))
                x, y, z = frame(rng)
                rows = ("%.17g,%.17g,%.17g,%.17g" % (x[k], y[k], z[k], at[k]) for k in range(3))
                file.write(f"{names[0]},{names[1]},{label},{','.join(rows)}\n")


def write_dataset(folder, count):
    rng = random.Random(1)
    for name in ("meshes", "poses"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    large = list(large_meshes(rng))
    for name, mesh in large:
        write_obj(folder / "meshes" / f"{name}.obj", mesh)
    for prop, mesh in props():
        for scale in SCALES:
            radius = SIZE / 2 / scale
            small = f"{prop}-{scale}"
            write_obj(folder / "meshes" / f"{small}.obj", mesh, radius)
            for name, other in large:
                write_poses(folder / "poses" / f"{name}-{small}.csv", (name, small), other, radius, rng, count)


def cook(program, folder, kind, leaf):
    cooked = folder / f"{kind}-{leaf}"
    if not cooked.is_dir():
        options = [] if leaf == "default" else ["--leaf", leaf]
        meshes = sorted((folder / "meshes").glob("*.obj"))
        subprocess.run([program, "cook", *meshes, "--volume", kind, "-o", cooked, "--quiet", *options], check=True)
    return cooked


def measure(program, cooked, kind, poses, mode, passes):
    name, small = poses.stem.split("-", 1)
    trees = [cooked / f"{mesh}.{kind}.bvt" for mesh in (name, small)]
    command = [program, "query", *trees, "--poses", poses, "--mode", mode, "--by-label", "--repeat", passes]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=True)
    return {row["label"]: row for row in csv.DictReader(done.stdout.splitlines())}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words = lambda text: text.split(",")
    parser.add_argument("folder", type=pathlib.Path, help="where meshes, poses and trees are, or are written")
    parser.add_argument("--bvtree", default="target/release/bvtree", type=words, metavar="FILE,...",
                        help="the program, or several to compare [default: %(default)s]")
    parser.add_argument("--kind", default="obb", help="kind of volume [default: %(default)s]")
    parser.add_argument("--modes", type=words, default=["hit", "pairs", "distance"])
    parser.add_argument("--leaves", type=words, default=["default", "1", "2", "3", "4"])
    parser.add_argument("--pairs", default="", help="only pose files whose names contain this")
    parser.add_argument("--poses", type=int, default=24, help="poses a label [default: %(default)s]")
    parser.add_argument("--passes", type=int, default=20, help="timed passes a turn [default: %(default)s]")
    parser.add_argument("--rounds", type=int, default=2, help="how often the trees take turns [default: %(default)s]")
    parser.add_argument("--csv", type=pathlib.Path, help="write every cell here")
    args = parser.parse_args()
    programs = args.bvtree if isinstance(args.bvtree, list) else [args.bvtree]
    if not (args.folder / "poses").is_dir():
        write_dataset(args.folder, args.poses)
    variants = [(program, leaf, cook(program, args.folder, args.kind, leaf)) for program in programs for leaf in args.leaves]
    table, worst = [], {}
    for mode in args.modes:
        print(f"\n{args.kind} {mode}: best microseconds (volume tests, triangle tests)")
        for poses in sorted((args.folder / "poses").glob(f"*{args.pairs}*.csv")):
            cells = {}
            for turn in range(args.rounds):
                for i, (program, leaf, cooked) in enumerate(variants if turn % 2 == 0 else variants[::-1]):
                    for label, row in measure(program, cooked, args.kind, poses, mode, args.passes).items():
                        cells.setdefault(label, {}).setdefault((program, leaf), []).append(row)
            for label, by_variant in cells.items():
                line, times = f"{poses.stem:20} {label:9}", {}
                for (program, leaf), rows in by_variant.items():
                    times[program, leaf] = best = min(float(row["micros_best"]) for row in rows)
                    row = rows[0]
                    line += f" {leaf[:3]} {best:7.2f} ({float(row['volume_tests']):.0f},{float(row['triangle_tests']):.0f})"
                    table.append({"mode": mode, "pair": poses.stem, "label": label, "program": program, "leaf": leaf,
                                  "best_us": f"{best:.4f}", **{k: row[k] for k in ("hits", "pairs", "distance_sum", "volume_tests", "triangle_tests")}})
                others = [time for (program, leaf), time in times.items() if leaf != "default" and program == programs[-1]]
                if others and (programs[-1], "default") in times:
                    ratio = times[programs[-1], "default"] / min(others)
                    worst.setdefault(mode, []).append((ratio, f"{poses.stem} {label}"))
                    line += f"  {ratio:.2f}"
                print(line, flush=True)
    for mode, found in worst.items():
        mean = math.exp(statistics.fmean(math.log(ratio) for ratio, _ in found))
        above = sum(ratio > 1.1 for ratio, _ in found)
        print(f"{mode}: default over the best leaf size {mean:.3f} in the mean, above 1.1 in {above} of {len(found)}, "
              f"worst {' '.join('%.2f %s;' % cell for cell in sorted(found)[:-5:-1])}")
    if args.csv:
        with open(args.csv, "w", newline="") as file:
            writer = csv.DictWriter(file, table[0].keys())
            writer.writeheader()
            writer.writerows(table)


if __name__ == "__main__":
    main()
