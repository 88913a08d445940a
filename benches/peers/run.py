#!/usr/bin/env python3
"""Compares bvtree with other libraries on the same meshes and poses, alternating in one run on one core.

Per pair of meshes, mode and round, each program in turn: bvtree, peer, peer, ..., bvtree, peer, ... A program makes one
untimed pass over all poses and then timed ones. Of each label's poses two figures are kept: the *best* (mean over the
poses of each pose's fastest pass, then the fastest round), which a busy machine disturbs least, and the *median* (over a
round's passes of the mean time per query, then over the rounds). A ratio is the peer's time over bvtree's: above 1,
bvtree is faster. Answers are compared as well.
"""

import argparse
import csv
import math
import os
import pathlib
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
BUILD = ROOT / "target" / "peers"
MODES = ("hit", "pairs", "distance")

# Name, program, variant, modes it can answer.
PEERS = [
    ("fcl-OBBRSS", "fcl", "OBBRSS", MODES),
    ("fcl-OBB", "fcl", "OBB", ("hit", "pairs")),
    ("fcl-native-OBBRSS", "fcl_native", "OBBRSS", MODES),
    ("pqp", "pqp", "", MODES),
    ("coal-OBBRSS", "coal", "", MODES),
    ("cgal", "cgal", "", ("hit", "pairs")),
]
INSTALL = {
    "fcl": "apt-get install g++ make libfcl-dev",
    "fcl_native": "apt-get install g++ make libfcl-dev",
    "pqp": "apt-get install g++ make; git clone https://github.com/GammaUNC/PQP; export PQP=$PWD/PQP/src",
    "coal": "apt-get install g++ make libeigen3-dev libboost-dev; pip install coal",
    "cgal": "apt-get install g++ make libcgal-dev",
}


class Failed(Exception):
    """A program that gave no answer; its message says why."""


def call(command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines() or [f"exit status {done.returncode}"]
        raise Failed(f"{pathlib.Path(command[0]).name}: {' '.join(line.strip() for line in lines[:2])}")
    return done.stdout


def measure(command):
    """Rows by label of a program that prints `--by-label` columns."""
    return {row["label"]: row for row in csv.DictReader(call(command).splitlines())}


def built_peers(wanted):
    """The wanted peers whose programs are there or can be built; says which are not."""
    programs = {}
    for program in dict.fromkeys(program for name, program, _, _ in PEERS if name in wanted):
        made = subprocess.run(
            ["make", "-s", "-C", str(HERE), f"BUILD={BUILD}", program], capture_output=True, text=True
        ) if shutil.which("make") else None
        programs[program] = made is not None and made.returncode == 0
        if not programs[program]:
            print(f"{program} is not here; on Debian: {INSTALL[program]}", file=sys.stderr)
    return [peer for peer in PEERS if peer[0] in wanted and programs[peer[1]]]


def pin(core):
    """Keeps this process and those it starts on one core, where the system can."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0)) if core is None else core})
    else:
        print("note: this system can't keep programs on one core", file=sys.stderr)


def meshes_of(poses):
    """Names of the two meshes, from the first pose."""
    for line in poses.read_text().splitlines():
        if line and not line.startswith("#"):
            return line.split(",")[:2]
    raise Failed(f"no poses in {poses}")


def cook(args, mesh, side):
    """Cooks a mesh. Each side has its own file, so that bvtree too holds two models where both meshes are the same."""
    folder = args.cooked / side
    tree = folder / f"{mesh.stem}.{args.volume}.bvt"
    if not tree.exists():
        build = shlex.split(args.build)
        call([args.bvtree, "cook", mesh, "--kind", args.volume, "-o", folder, "--quiet", *build])
    return tree


class Cell:
    """What one program needed for the poses of one label."""

    def __init__(self):
        self.best = math.inf
        self.medians = []
        self.row = {}

    def add(self, row):
        self.best = min(self.best, float(row["micros_best"]))
        self.medians.append(float(row["micros_per_query"]))
        self.row = row

    def figure(self, which):
        return self.best if which == "best" else statistics.median(self.medians)


def same_answers(ours, theirs):
    """Whether two programs agree in what both computed."""
    for field in ("queries", "hits", "pairs"):
        if ours[field] and theirs[field] and int(ours[field]) != int(theirs[field]):
            return False
    if ours["distance_sum"] and theirs["distance_sum"]:
        a, b = float(ours["distance_sum"]), float(theirs["distance_sum"])
        return abs(a - b) <= 1e-9 * max(abs(a), abs(b))
    return True


def run_pair(args, peers, mode, name):
    """Cells by label and program of one pair of meshes, programs alternating."""
    poses = args.dataset / "poses" / f"{name}.csv"
    a, b = (args.dataset / "meshes" / f"{mesh}.obj" for mesh in meshes_of(poses))
    ours = [args.bvtree, "query", cook(args, a, "a"), cook(args, b, "b"), "--poses", poses, "--mode", mode]
    ours += ["--by-label", "--repeat", args.passes, "--format", "csv", "--quiet"]
    if args.simd:
        ours += ["--simd", args.simd]
    commands = {"bvtree": ours}
    for peer, program, variant, modes in peers:
        if mode in modes:
            commands[peer] = [BUILD / f"peer_{program}", a, b, poses, mode, args.passes, *variant.split()]
    cells = {}
    for _ in range(args.rounds):
        for program, command in commands.items():
            for label, row in measure(command).items():
                cells.setdefault(label, {}).setdefault(program, Cell()).add(row)
    return cells


def geometric_mean(values):
    return math.exp(statistics.fmean(math.log(value) for value in values))


def print_table(mode, names, rows):
    """Microseconds per query and, in brackets, the ratio to bvtree's."""
    print(f"\n{mode}: best microseconds per query (times bvtree's)\n")
    width = max(len(name) for name, _, _ in rows)
    print(f"{'pair':{width}}  {'label':10}  {'bvtree':>10}" + "".join(f"  {name:>20}" for name in names))
    for name, label, cells in rows:
        line = f"{name:{width}}  {label:10}  {cells['bvtree'].best:10.3f}"
        for peer in names:
            ratio = cells[peer].best / cells["bvtree"].best
            mark = " " if same_answers(cells["bvtree"].row, cells[peer].row) else "*"
            line += f"  {cells[peer].best:10.2f} {'(%.2f)' % ratio:>8}{mark}"
        print(line)


def print_summary(names, rows):
    """Per peer: geometric means over all pairs and labels, by label, and the worst cell."""
    labels = list(dict.fromkeys(label for _, label, _ in rows))
    print()
    for peer in names:
        ratios = {
            which: [cells[peer].figure(which) / cells["bvtree"].figure(which) for _, _, cells in rows]
            for which in ("best", "median")
        }
        worst, (pair, label, _) = min(zip(ratios["best"], rows), key=lambda found: found[0])
        print(f"{peer}: geometric mean {geometric_mean(ratios['best']):.2f} (medians: {geometric_mean(ratios['median']):.2f})"
              f" over {len(rows)} pairs and labels; worst {worst:.2f} at {pair} {label}")
        means = (
            f"{label} {geometric_mean([ratio for ratio, row in zip(ratios['best'], rows) if row[1] == label]):.2f}"
            for label in labels
        )
        print("  by label: " + ", ".join(means))
        others = sum(not same_answers(cells["bvtree"].row, cells[peer].row) for _, _, cells in rows)
        if others:
            print(f"  answers differ from bvtree's in {others} of them (marked *)")


def csv_rows(mode, names, rows):
    for pair, label, cells in rows:
        ours = cells["bvtree"]
        for peer in names:
            theirs = cells[peer]
            yield {
                "mode": mode,
                "pair": pair,
                "label": label,
                "queries": ours.row["queries"],
                "peer": peer,
                "bvtree_best_us": f"{ours.best:.4f}",
                "peer_best_us": f"{theirs.best:.4f}",
                "ratio_best": f"{theirs.best / ours.best:.4f}",
                "bvtree_median_us": f"{ours.figure('median'):.4f}",
                "peer_median_us": f"{theirs.figure('median'):.4f}",
                "ratio_median": f"{theirs.figure('median') / ours.figure('median'):.4f}",
                "same_answers": int(same_answers(ours.row, theirs.row)),
            }


def words(text):
    return [word for word in text.split(",") if word]


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    dataset = os.environ.get("BVTREE_DATASET") or ROOT.parent / "shared" / "dataset"
    names = ",".join(peer[0] for peer in PEERS)
    add = parser.add_argument
    add("--dataset", type=pathlib.Path, default=pathlib.Path(dataset), metavar="DIR",
        help="folder with meshes/*.obj and poses/*.csv [default: $BVTREE_DATASET, else %(default)s]")
    add("--modes", type=words, default=list(MODES), help="of hit,pairs,distance [default: all]")
    add("--pairs", type=words, help="names of pose files, without .csv [default: all]")
    add("--peers", type=words, default=words(names), help=f"of {names} [default: all]")
    add("--rounds", type=int, default=3, help="how often the programs take turns [default: %(default)s]")
    add("--passes", type=int, default=3, help="timed passes a turn [default: %(default)s]")
    add("--volume", default="obb", choices=("aabb", "obb", "sphere", "kdop"), help="bvtree's kind of tree [default: %(default)s]")
    add("--simd", metavar="LEVEL", help="bvtree's instructions: off, avx2 or avx512 [default: the best]")
    add("--build", default="", metavar="OPTIONS", help="further options for `bvtree cook`, in one argument")
    add("--core", type=int, help="core to run on [default: the last]")
    add("--bvtree", type=pathlib.Path, default=ROOT / "target" / "release" / "bvtree", metavar="FILE",
        help="the program [default: target/release/bvtree]")
    add("--csv", type=pathlib.Path, metavar="FILE", help="write every cell here as well")
    args = parser.parse_args()
    for what, given, known in (("mode", args.modes, MODES), ("peer", args.peers, words(names))):
        unknown = [name for name in given if name not in known]
        if unknown:
            parser.error(f"unknown {what} {unknown[0]}: expected {', '.join(known)}")
    if min(args.rounds, args.passes) < 1:
        parser.error("--rounds and --passes are at least 1")
    if not args.bvtree.is_file():
        sys.exit(f"error: no {args.bvtree}: first `cargo build --release`")
    if not (args.dataset / "poses").is_dir():
        sys.exit(f"error: no poses in {args.dataset}: give --dataset, or set BVTREE_DATASET")
    found = sorted(path.stem for path in (args.dataset / "poses").glob("*.csv"))
    args.pairs = args.pairs or found
    for pair in args.pairs:
        if pair not in found:
            sys.exit(f"error: no pose file {pair}.csv in {args.dataset / 'poses'}: there are {', '.join(found)}")
    return args


def main():
    args = parse_arguments()
    peers = built_peers(args.peers)
    if not peers:
        sys.exit("error: no peer to compare with")
    pin(args.core)
    table = []
    with tempfile.TemporaryDirectory() as cooked:
        args.cooked = pathlib.Path(cooked)
        for mode in args.modes:
            rows = []
            try:
                for pair in args.pairs:
                    print(f"{mode}: {pair}", file=sys.stderr)
                    rows += [(pair, label, cells) for label, cells in run_pair(args, peers, mode, pair).items()]
            except Failed as failure:
                print(f"{mode} is left out: {failure}", file=sys.stderr)
                continue
            names = [name for name, _, _, modes in peers if mode in modes]
            print_table(mode, names, rows)
            print_summary(names, rows)
            table += csv_rows(mode, names, rows)
    if args.csv and table:
        with open(args.csv, "w", newline="") as file:
            writer = csv.DictWriter(file, table[0].keys())
            writer.writeheader()
            writer.writerows(table)
    if not table:
        sys.exit(1)


if __name__ == "__main__":
    main()
