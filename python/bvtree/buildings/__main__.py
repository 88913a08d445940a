"""The command `bvtree-clash`: building models in, a report of their clashes out."""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import warnings
from typing import List, Optional

import bvtree
from bvtree.buildings import Cache, convert
from bvtree.buildings._convert import IFC, STEP

RULES = os.path.join(os.path.dirname(__file__), "rules.toml")
INTERRUPTED = 130

EPILOG = """\
The report is clashes.csv, clashes.html (a page with a list and a 3D view) and clashes.bcf (for viewers of building
models) in the folder DIR. Lengths are in metres. Without --rules, duplicates and overlaps deeper than 2 mm are
reported, except overlaps of a door or a window with its own wall; --print-rules prints these rules as a start for
others.

Openings, spaces and sites are left out. A file is converted once, and again when it or an option changes; cooked
bodies are kept in the folder that BVTREE_CACHE names, or the user's folder for caches.

Everything after -- is given to `bvtree clash`, for instance: bvtree-clash a.ifc b.ifc -o report -- --limit 1000
`bvtree clash --help` describes rules, columns, and manifests and glTF scenes, which may be given beside others.

A clash keeps its status, author and reason from the report of --baseline; --status reads what viewers of building
models have changed since. A clash that was resolved and is found again is reopened.

Exit codes: 0 answered, 1 clashes that are neither approved nor ignored (with --exit-code; with --baseline: new or
worse ones), 2 bad usage or bad input, 130 interrupted."""


def main(arguments: Optional[List[str]] = None) -> int:
    args, rest = _arguments(sys.argv[1:] if arguments is None else arguments)
    if args.print_rules:
        with open(RULES, encoding="utf-8") as file:
            print(file.read(), end="")
        return 0
    try:
        manifests = _manifests(args)
        return _report(args, manifests, rest)
    except KeyboardInterrupt:
        return INTERRUPTED
    except (OSError, ValueError, ModuleNotFoundError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2


def _arguments(arguments):
    parser = argparse.ArgumentParser(
        prog="bvtree-clash",
        description="Find the clashes of building models: IFC or STEP files in, a report as CSV, page and BCF out.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("models", nargs="*", metavar="MODEL", help="IFC or STEP files, glTF scenes or manifests")
    parser.add_argument("-o", "--output", default="report", metavar="DIR", help="folder of the report [default: report]")
    parser.add_argument("--rules", default=RULES, metavar="FILE", help="TOML file of groups and rules")
    parser.add_argument("--print-rules", action="store_true", help="print the rules that apply without --rules")
    parser.add_argument("--baseline", metavar="FILE", help="clashes.csv of an earlier run")
    parser.add_argument(
        "--status",
        action="append",
        default=[],
        metavar="FILE",
        help="what the team has decided: a BCF file, or a table with the columns id, status, author and reason",
    )
    parser.add_argument(
        "--bcf-version", choices=["2.1", "3.0"], default="2.1", help="version of clashes.bcf [default: 2.1]"
    )
    parser.add_argument(
        "--snap",
        type=_length,
        default=0.0001,
        metavar="LENGTH",
        help="round world coordinates of IFC and STEP files to multiples of this; 0 rounds nothing [default: 0.0001]",
    )
    parser.add_argument("--include", action="append", default=[], metavar="CLASS", help="add an IFC class: IfcSpace")
    parser.add_argument("--exclude", action="append", default=[], metavar="CLASS", help="leave out an IFC class")
    parser.add_argument("--threads", type=int, metavar="N", help="number of threads [default: one per core]")
    parser.add_argument("--exit-code", action="store_true", help="exit with 1 if there are clashes")
    parser.add_argument("-q", "--quiet", action="store_true", help="print errors only")
    parser.add_argument("--version", action="version", version=f"bvtree {bvtree.__version__}")
    rest = []
    if "--" in arguments:
        at = arguments.index("--")
        arguments, rest = arguments[:at], arguments[at + 1 :]
    args = parser.parse_args(arguments)
    if not args.models and not args.print_rules:
        parser.error("expected a model: an IFC or STEP file, a glTF scene or a manifest")
    if args.threads is not None and args.threads < 1:
        parser.error("--threads: expected 1 or more")
    return args, rest


def _length(text):
    value = float(text)
    if not 0 <= value < float("inf"):
        raise argparse.ArgumentTypeError("expected a finite number, 0 or more")
    return value


def _manifests(args):
    """Returns the models as manifests, converting IFC and STEP files."""
    cache, manifests, labels = Cache(), [], {}
    for path in args.models:
        if not path.lower().endswith((*IFC, *STEP)):
            manifests.append(path)
            continue
        label = os.path.splitext(os.path.basename(path))[0]
        labels[label] = labels.get(label, 0) + 1
        if labels[label] > 1:
            label = f"{label} #{labels[label]}"
        progress = _Progress(label, args.quiet)
        with warnings.catch_warnings(record=True) as notes:
            warnings.simplefilter("always")
            manifest = convert(
                path,
                label=label,
                snap=args.snap,
                include=args.include,
                exclude=args.exclude,
                threads=args.threads,
                progress=progress,
                cache=cache,
            )
        progress.end()
        for note in [] if args.quiet else notes:
            print(f"note: {note.message}", file=sys.stderr)
        manifests.append(manifest)
    return manifests


class _Progress:
    """Progress as a line on a terminal; prints nothing elsewhere."""

    def __init__(self, label, quiet):
        self.label = label
        self.shown = None
        self.is_wanted = not quiet and sys.stderr.isatty()

    def __call__(self, done):
        percent = int(100 * done)
        if self.is_wanted and percent != self.shown:
            self.shown = percent
            print(f"\rconverting {self.label}: {percent}%", end="", file=sys.stderr, flush=True)

    def end(self):
        if self.shown is not None:
            print("\r\033[K", end="", file=sys.stderr, flush=True)


def _report(args, manifests, rest):
    """Runs `bvtree clash`. The files of the report replace those of the previous report once all are complete."""
    os.makedirs(args.output, exist_ok=True)
    unfinished = tempfile.mkdtemp(prefix=".unfinished-", dir=args.output)
    try:
        inside = {name: os.path.join(unfinished, f"clashes.{name}") for name in ("csv", "html", "bcf")}
        command = [sys.executable, "-m", "bvtree", "clash", *manifests, "--format", "csv", "--rules", args.rules]
        command += ["--html", inside["html"], "--bcf", inside["bcf"], "--bcf-version", args.bcf_version]
        command += ["--baseline", args.baseline] if args.baseline else []
        command += [word for path in args.status for word in ("--status", path)]
        command += ["--threads", str(args.threads)] if args.threads else []
        command += ["--exit-code"] if args.exit_code else []
        command += ["--quiet"] if args.quiet else []
        with open(inside["csv"], "wb") as rows:
            code = _run([*command, *rest], rows)
        if code not in (0, 1):
            return code
        # A program that fails in another way may also end with 1.
        if not all(os.path.exists(path) for path in inside.values()):
            print("error: bvtree clash has ended without a report", file=sys.stderr)
            return 2
        for path in inside.values():
            os.replace(path, os.path.join(args.output, os.path.basename(path)))
        if not args.quiet:
            print(f"the report is in {args.output}", file=sys.stderr)
        return code
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)


def _run(command, rows):
    with subprocess.Popen(command, stdout=rows) as program:
        try:
            return program.wait()
        except KeyboardInterrupt:
            # The terminal has interrupted the program, too; the program removes its unfinished files.
            program.terminate()
            program.wait()
            raise


if __name__ == "__main__":
    sys.exit(main())
