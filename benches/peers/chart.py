#!/usr/bin/env python3
"""Draws docs/pictures/speed.svg, the README's chart, from a table that `run.py --csv` wrote.

    benches/peers/chart.py benches/results/2026-11-30/peers.csv docs/pictures/speed.svg

A bar ends at the median over all pairs of meshes and separations, a tick marks the cell where bvtree's advantage is smallest. Distances count
only where the meshes are apart (labels `sep=`): where they touch, bvtree answers 0 after the hit test, which no peer does. Peers that
run.py does not measure come from RECORDED and are drawn hollow.
"""

import csv
import statistics
import sys
from math import log10

NAMES = {
    "fcl-OBBRSS": "FCL 0.7, Debian's build",
    "fcl-native-OBBRSS": "FCL 0.7, built for this CPU",
    "coal-OBBRSS": "Coal 3.0, PyPI's build",
    "pqp": "PQP, built for this CPU",
}
MODES = {"hit": "Do they touch?", "pairs": "Which triangles touch?", "distance": "How far apart? (separated)"}
# Name, then smallest and typical or largest ratio by mode.
RECORDED = [
    ("parry3d 0.31 traversal *", {"hit": (1.7, 5.3)}),
    ("trueform, from Python **", {"hit": (13, 230), "pairs": (14, 185), "distance": (27, 27)}),
]
LEFT, PANEL, ROW, TOP, LAST = 190, 220, 24, 46, 300

HEADING = "Time relative to bvtree (log scale), one thread: bar to the median over mesh pairs and separations, tick at the worst"

STYLE = """
text { font: 12px sans-serif; fill: #24292f } .small { font-size: 10.5px; fill: #57606a } .head { font-weight: bold }
.bar { fill: #8a9bb4 } .hollow { fill: none; stroke: #8a9bb4 } .us { fill: #1f883d } .tick { stroke: #24292f; stroke-width: 2 } .grid { stroke: #d0d7de }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3 } .small { fill: #9198a1 } .bar { fill: #7086a8 } .hollow { stroke: #7086a8 } .us { fill: #3fb950 }
  .tick { stroke: #e6edf3 } .grid { stroke: #3d444d }
}
"""


def cells(path):
    """Ratios by mode and peer."""
    ratios = {}
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            if row["mode"] == "distance" and not row["label"].startswith("sep="):
                continue
            ratios.setdefault(row["mode"], {}).setdefault(row["peer"], []).append(float(row["ratio_best"]))
    return ratios


def number(x):
    return f"{x:.1f}" if x < 10 else f"{x:.0f}"


def main():
    source, target = sys.argv[1:]
    ratios = cells(source)
    rows = 1 + len(NAMES) + len(RECORDED)
    width, height = LEFT + 3 * PANEL + 10, TOP + rows * ROW + 26
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img">',
           "<title>Time relative to bvtree, one thread: shorter is faster</title>", f"<style>{STYLE}</style>",
           f'<text x="0" y="14" class="head">{HEADING}</text>']

    def text(x, y, words, kind=""):
        out.append(f'<text x="{x:.0f}" y="{y:.0f}" class="{kind}">{words}</text>')

    labels = ["bvtree, OBB trees", *NAMES.values(), *(name for name, _ in RECORDED)]
    for i, label in enumerate(labels):
        text(0, TOP + i * ROW + 16, label, "" if i else "head")
    for column, (mode, title) in enumerate(MODES.items()):
        left, bar = LEFT + column * PANEL, PANEL - 90
        at = lambda ratio: left + 8 + bar * log10(ratio) / log10(LAST)
        text(left + 8, 36, title, "head")
        for mark in (1, 10, 100):
            out.append(f'<path class="grid" d="M{at(mark):.1f} {TOP}V{TOP + rows * ROW}"/>')
            text(at(mark) - 4, TOP + rows * ROW + 14, f"{mark}x", "small")
        out.append(f'<rect class="us" x="{left + 5}" y="{TOP + 5}" width="6" height="14"/>')
        text(left + 18, TOP + 16, "1x")
        for i, peer in enumerate(NAMES, 1):
            found = ratios[mode].get(peer)
            if not found:
                continue
            y, median, worst = TOP + i * ROW + 5, statistics.median(found), min(found)
            out.append(f'<rect class="bar" x="{left + 8}" y="{y}" width="{at(median) - left - 8:.1f}" height="14"/>')
            out.append(f'<path class="tick" d="M{at(worst):.1f} {y - 2}v18"/>')
            text(at(median) + 5, y + 11, f'{number(median)}x <tspan class="small">(worst {number(worst)}x)</tspan>')
        for i, (_, recorded) in enumerate(RECORDED, 1 + len(NAMES)):
            y = TOP + i * ROW + 5
            if mode not in recorded:
                text(left + 12, y + 11, "not measured", "small")
                continue
            low, high = recorded[mode]
            start = left + 8 if i == 1 + len(NAMES) else at(low)
            out.append(f'<rect class="hollow" x="{start:.1f}" y="{y}" width="{at(high) - start:.1f}" height="14"/>')
            if i == 1 + len(NAMES):
                out.append(f'<path class="tick" d="M{at(low):.1f} {y - 2}v18"/>')
                text(at(high) + 5, y + 11, f'{number(high)}x <tspan class="small">(worst {number(low)}x)</tspan>')
            else:
                text(at(high) + 5, y + 11, f"about {low}x" if low == high else f"{low} to {high}x")
    out.append("</svg>\n")
    with open(target, "w") as file:
        file.write("\n".join(out))


if __name__ == "__main__":
    main()
