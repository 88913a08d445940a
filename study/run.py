"""Measures the kinds of bounding volume on the pack of meshes, and writes the figures and tables of a paper.

    python3 run.py OUT                      # everything: measures, then figures, tables and the method's text
    python3 run.py OUT --merge OTHER...     # the same from files of results, those of other machines too

README.md says what is measured and written. Needs Python 3.9 or newer and the program `bvtree`.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import meshes
import report

#: How trees are built: the same for every kind, at two triangles a leaf.
BUILDERS = {"top-down": "top-down", "bottom-up": "ploc"}
#: Measured at the nodes of top-down OBB trees beside their own volumes.
BESIDE = "hull,kdop14,kdop26,shared-axes,rss"


def compare(program, files, *options):
    """The rows of `bvtree compare`."""
    command = [program, "compare", *map(str, files), "--leaf", "2", "--format", "json", "--quiet", *map(str, options)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f"{program} compare ended with {done.returncode}")
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    for row in rows:
        # The file's place says nothing on another machine.
        del row["path"]
    return rows


def measure(program, names, public, approaches, seed, out):
    """Runs the program; its rows, with the class of the mesh and the builder, are the results."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        files = [meshes.write(name, folder) for name in names]
        if public:
            public.mkdir(parents=True, exist_ok=True)
            files += filter(None, (meshes.fetch(name, public) for name in meshes.PUBLIC))
        for builder, option in BUILDERS.items():
            options = ["--kind", "all", "--builder", option, "--poses", approaches, "--seed", seed]
            for row in compare(program, files, *options):
                rows.append({"class": meshes.CLASSES[row["mesh"]], "builder": builder, "approaches": approaches, **row})
        options = ["--kind", "obb", "--builder", "top-down", "--beside", BESIDE, "--poses", 0, "--seed", seed]
        beside = {row["mesh"]: row["beside"] for row in compare(program, files, *options)}
    for row in rows:
        if (row["builder"], row["volume"]) == ("top-down", "obb"):
            row["beside"] = beside[row["mesh"]]
    path = out / "results.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path, help="folder for results, figures and tables")
    parser.add_argument("--merge", nargs="+", type=Path, metavar="RESULTS", help="files of results, in place of measuring")
    parser.add_argument("--program", default="bvtree", help="the program (bvtree)")
    parser.add_argument("--meshes", default=",".join(meshes.PACK), help="names of meshes, separated by commas (all)")
    parser.add_argument("--public", type=Path, metavar="FOLDER", help="also measure public meshes, which are fetched into the folder unless they are there")
    parser.add_argument("--approaches", type=int, default=25, help="lines of approach a mesh, four poses each (25)")
    parser.add_argument("--seed", type=int, default=0, help="seed of all random numbers (0)")
    args = parser.parse_args()
    names = args.meshes.split(",")
    if unknown := [name for name in names if name not in meshes.PACK]:
        parser.error(f"no mesh {unknown[0]}; the pack has {', '.join(meshes.PACK)}")
    args.out.mkdir(parents=True, exist_ok=True)
    results = args.merge or [measure(args.program, names, args.public, args.approaches, args.seed, args.out)]
    rows = [json.loads(line) for path in results for line in path.read_text().splitlines()]
    written = report.write(rows, args.out, "python3 run.py OUT --merge " + " ".join(path.name for path in results))
    print(f"wrote {len(written)} files to {args.out}")


if __name__ == "__main__":
    main()
