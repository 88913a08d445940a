#!/usr/bin/env python3
"""Cooks meshes of so many million triangles, and tells how long that takes and how much memory: `cli/tests/large.py [-p PROGRAM] [MILLIONS...]`.

A mesh is a wavy sheet of quads in a binary PLY file, about 15 bytes for each triangle, and so are vertices.
"""

import argparse
import math
import os
import resource
import struct
import subprocess
import sys
import tempfile
import time


def write(path, millions):
    side = round(math.sqrt(millions * 1e6 / 2))
    header = (
        "ply\nformat binary_little_endian 1.0\n"
        f"element vertex {(side + 1) ** 2}\nproperty float x\nproperty float y\nproperty float z\n"
        f"element face {side * side}\nproperty list uchar uint vertex_indices\nend_header\n"
    )
    wave = [40 * math.sin(x / 97) for x in range(side + 1)]
    with open(path, "wb", buffering=1 << 20) as file:
        file.write(header.encode())
        row = struct.Struct(f"<{3 * (side + 1)}f")
        for y in range(side + 1):
            height = math.cos(y / 61)
            file.write(row.pack(*(k for x in range(side + 1) for k in (x, y, wave[x] * height + (x * y) % 7 / 7))))
        row = struct.Struct("<" + "B4I" * side)
        for y in range(side):
            first = y * (side + 1)
            below = side + 1
            file.write(row.pack(*(k for a in range(first, first + side) for k in (4, a, a + 1, a + 1 + below, a + below))))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("millions", type=float, nargs="*", default=[10, 50])
    parser.add_argument("-p", "--program", default="target/release/bvtree")
    args = parser.parse_args()
    program = os.path.realpath(args.program)
    for millions in args.millions:
        with tempfile.TemporaryDirectory() as folder:
            mesh = os.path.join(folder, "sheet.ply")
            write(mesh, millions)
            began = time.monotonic()
            command = [program, "cook", mesh, "-o", folder, "--format", "json"]
            cook = subprocess.run(command, stdout=subprocess.PIPE, check=False)
            took = time.monotonic() - began
            # Of the children so far: the largest comes last.
            peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
            print(f"{millions} M: {os.path.getsize(mesh) / 1e6:.0f} MB in, exit code {cook.returncode}, {took:.0f} s, {peak:.0f} MB at most")
            print(cook.stdout.decode().strip(), flush=True)
            if cook.returncode != 0:
                sys.exit(cook.returncode)


main()
