"""Figures, tables and the method's text from results."""

import csv
import math
from collections import defaultdict

from drawing import COLOURS, GREYS, chart

KINDS = ["aabb", "obb", "sphere", "kdop"]
NAMES = {"aabb": "AABB", "obb": "OBB", "sphere": "sphere", "kdop": "18-DOP"}
NAMES |= {"hull": "hull", "kdop14": "14-DOP", "kdop26": "26-DOP", "shared-axes": "shared axes", "rss": "swept rectangle"}
#: What two machines must agree about, to the last digit.
EXACT = ["volume_ratio", "area_ratio", "hausdorff_mean", "sibling_overlap", "sah_cost", "epo", "lcv"]
COUNTS = ["volume_tests", "triangle_tests"]

#: Quantiles of Student's distribution for intervals of 95%, by degrees of freedom from 1.
STUDENT = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131]
STUDENT += [2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042]


def geometric_mean(values):
    """The mean of positive numbers and its interval of 95% over meshes; the interval is None for fewer than two."""
    logs = [math.log(value) for value in values]
    mean = sum(logs) / len(logs)
    if len(logs) < 2:
        return math.exp(mean), None, None
    variance = sum((x - mean) ** 2 for x in logs) / (len(logs) - 1)
    degrees = len(logs) - 1
    half = (STUDENT[degrees - 1] if degrees <= len(STUDENT) else 1.96) * math.sqrt(variance / len(logs))
    return math.exp(mean), math.exp(mean - half), math.exp(mean + half)


def machine(row):
    return f"{row['cpu']}, {row['simd']}"


def distinct(rows):
    """A row for each mesh, builder and kind: what does not depend on the machine must be the same in all results.

    Raises:
        ValueError: If it is not.
    """
    found = {}
    for row in rows:
        key = row["mesh"], row["builder"], row["volume"]
        same = [row[name] for name in ("mesh_digest", "options", "seed", "samples", "approaches")]
        same += [row["all"][name] for name in EXACT] + [row[name] for name in COUNTS]
        first = found.setdefault(key, (same, row))
        if first[0] != same:
            raise ValueError(f"{' '.join(key)}: {machine(row)} has other figures than {machine(first[1])}: {same} and {first[0]}")
    return [row for _, row in found.values()]


def of_kinds(rows):
    """The rows of each mesh and builder by kind."""
    groups = defaultdict(dict)
    for row in rows:
        groups[row["mesh"], row["builder"]][row["volume"]] = row
    return list(groups.values())


def paired(groups, figure, kind, to="obb"):
    """The ratios of a figure of a kind to that of another, of the same mesh, builder and poses."""
    for group in groups:
        if kind in group and to in group:
            own, other = figure(group[kind]), figure(group[to])
            if own and other:
                yield own / other


# Tables

TABLE = [
    ("volume / OBB", lambda row: row["all"]["volume_ratio"]),
    ("area / OBB", lambda row: row["all"]["area_ratio"]),
    ("Hausdorff error / OBB", lambda row: row["all"]["hausdorff_mean"]),
    ("EPO / OBB", lambda row: row["all"]["epo"]),
    ("volume tests / OBB", lambda row: row["volume_tests"]),
    ("triangle tests / OBB", lambda row: row["triangle_tests"]),
    ("bytes / OBB", lambda row: row["bytes_per_triangle"]),
]


def classes_table(rows):
    """Means over meshes, by class, builder and kind."""
    table = [["class", "builder", "volumes", "meshes"] + [name + end for name, _ in TABLE for end in ("", " lower", " upper")]]
    classes = list(dict.fromkeys(row["class"] for row in rows))
    for own in [*classes, "all"]:
        for builder in dict.fromkeys(row["builder"] for row in rows):
            groups = of_kinds([row for row in rows if row["builder"] == builder and own in ("all", row["class"])])
            for kind in KINDS:
                line = [own, builder, NAMES[kind], len(groups)]
                for _, figure in TABLE:
                    ratios = list(paired(groups, figure, kind))
                    line += geometric_mean(ratios) if ratios else (None, None, None)
                table.append(line)
    return table


def times_table(rows):
    """Times of queries, by machine: means over meshes of ratios to OBBs of the same machine."""
    table = [["machine", "builder", "volumes", "meshes", "time / OBB", "lower", "upper"]]
    for own in dict.fromkeys(map(machine, rows)):
        for builder in dict.fromkeys(row["builder"] for row in rows):
            groups = of_kinds([row for row in rows if row["builder"] == builder and machine(row) == own])
            for kind in KINDS:
                ratios = list(paired(groups, lambda row: row["micros_per_query"], kind))
                if ratios:
                    table.append([own, builder, NAMES[kind], len(ratios), *geometric_mean(ratios)])
    return table


def beside_table(rows):
    """How much larger than the convex hulls at the same nodes, of OBB trees, other volumes are."""
    table = [["volumes", "meshes", "volume / hull", "lower", "upper", "area / hull", "lower", "upper"]]
    ratios = defaultdict(lambda: ([], []))
    for tree in rows:
        figures = {tree["volume"]: tree["all"]} | {beside["volume"]: beside["all"] for beside in tree["beside"]}
        for name, own in figures.items() if "hull" in figures else []:
            for into, figure in zip(ratios[name], ("volume_ratio", "area_ratio")):
                if own[figure] and figures["hull"][figure]:
                    into.append(own[figure] / figures["hull"][figure])
    for name, (volumes, areas) in ratios.items():
        means = [geometric_mean(own) if own else (None, None, None) for own in (volumes, areas)]
        table.append([NAMES[name], len(areas), *means[0], *means[1]])
    return table


def latex(table, caption, label):
    """A table for LaTeX with booktabs; intervals follow their means in brackets."""
    head, *lines = table
    shown = [k for k, title in enumerate(head) if not title.endswith(("lower", "upper"))]
    escaped = lambda text: str(text).replace("&", r"\&").replace("%", r"\%").replace("_", r"\_")

    def cell(line, k):
        value = line[k]
        if not isinstance(value, float):
            return "--" if value is None else escaped(value)
        has_interval = k + 2 < len(head) and head[k + 2].endswith("upper") and line[k + 1] is not None
        return f"{value:.2f}" + (f" [{line[k + 1]:.2f}, {line[k + 2]:.2f}]" if has_interval else "")

    body = [" & ".join(cell(line, k) for k in shown) + r" \\" for line in lines]
    columns = "".join("l" if isinstance(lines[0][k], str) else "r" for k in shown) if lines else ""
    begin = [r"\begin{table}", rf"\caption{{{escaped(caption)}}}", rf"\label{{tab:{label}}}", rf"\begin{{tabular}}{{{columns}}}", r"\toprule"]
    titles = " & ".join(escaped(head[k]) for k in shown) + r" \\"
    return "\n".join([*begin, titles, r"\midrule", *body, r"\bottomrule", r"\end{tabular}", r"\end{table}", ""])


# Figures


def level_figure(rows, builder):
    """Mean over meshes of the areas at each level, relative to the mesh's, while all meshes have the level."""
    series = []
    for kind in KINDS:
        trees = [row["levels"] for row in rows if row["volume"] == kind and row["builder"] == builder]
        levels = min(map(len, trees), default=0)
        at = lambda level: [tree[level]["area_ratio"] for tree in trees]
        series.append((NAMES[kind], COLOURS[kind], None, [(level, *geometric_mean(at(level))[:1]) for level in range(levels)]))
    return chart(330, 230, ("level", False, None), ("area of volumes / area of mesh", True, None), series)


def error_figure(rows, builder, mesh):
    """The curve of one mesh: how many volumes reach no farther from the mesh than an error."""
    series = []
    for row in rows:
        if row["mesh"] == mesh and row["builder"] == builder:
            points = [(point["error"], point["volumes"]) for point in row["errors"] if point["volumes"]]
            series.append((NAMES[row["volume"]], COLOURS[row["volume"]], None, points))
    return chart(330, 230, ("error / diameter of mesh", True, None), ("volumes", True, None), series)


def tests_figure(rows, builder):
    """Ratios of volume tests to OBBs', by separation."""
    groups = of_kinds([row for row in rows if row["builder"] == builder])
    labels = list(dict.fromkeys(at["label"] for row in rows for at in row["separations"]))
    tests = lambda row, label: next((at["volume_tests"] for at in row["separations"] if at["label"] == label), None)
    series = []
    for number, kind in enumerate(kind for kind in KINDS if kind != "obb"):
        points = []
        for place, label in enumerate(labels):
            ratios = list(paired(groups, lambda row: tests(row, label), kind))
            if ratios:
                mean, lower, upper = geometric_mean(ratios)
                points.append((place + 0.06 * (number - 1), mean, lower or mean, upper or mean))
        series.append((NAMES[kind], COLOURS[kind], None, points))
    return chart(330, 230, ("separation / diagonal", False, labels), ("volume tests / OBB's", True, None), series)


def beside_figure(table):
    """Volumes and areas relative to hulls' at the same nodes."""
    lines = [line for line in table[1:] if line[0] != NAMES["hull"]]
    series = []
    for number, (name, colour, first) in enumerate([("volume", GREYS[0], 2), ("area", GREYS[1], 5)]):
        means = [(place + 0.1 * number, *line[first : first + 3]) for place, line in enumerate(lines) if line[first]]
        series.append((name, colour, "none", [(x, mean, lower or mean, upper or mean) for x, mean, lower, upper in means]))
    return chart(330, 230, ("volumes at the nodes of OBB trees", False, [line[0] for line in lines]), ("over that of the hulls", True, None), series)


# Everything


def write(rows, out, command):
    """Writes all files; returns their names."""
    exact = distinct(rows)
    builders = list(dict.fromkeys(row["builder"] for row in exact))
    meshes = list(dict.fromkeys(row["mesh"] for row in exact))
    over = f"Geometric means over {len(meshes)} meshes" if len(meshes) > 1 else f"Figures of {meshes[0]}"
    tables = {
        "classes": (classes_table(exact), f"{over}, relative to OBB trees of the same mesh and builder, with intervals of 95% over meshes."),
        "times": (times_table(rows), f"{over} of times of queries relative to OBB trees, with intervals of 95% over meshes, by machine."),
        "beside": (beside_table(exact), f"{over} of sums over all volumes relative to convex hulls at the same nodes, of top-down OBB trees."),
    }
    figures = {}
    for builder in builders:
        figures[f"levels-{builder}"] = level_figure(exact, builder), f"{over}: surface area of the {builder} tree cut at each level over the mesh's area."
        figures[f"tests-{builder}"] = (
            tests_figure(exact, builder),
            f"{over}: volume tests of {builder} trees relative to OBB trees at the same poses, with intervals of 95% over meshes.",
        )
    for mesh in meshes:
        figures[f"errors-{mesh}"] = (
            error_figure(exact, builders[0], mesh),
            f"{mesh}: number of volumes of {builders[0]} trees that are proven to reach no farther from the mesh than an error.",
        )
    figures["beside"] = beside_figure(tables["beside"][0]), f"{over}: sums over all volumes relative to convex hulls at the same nodes, of top-down OBB trees, with intervals of 95% over meshes."

    written = []

    def save(name, content):
        if isinstance(content, str):
            content = content.encode()
        (out / name).write_bytes(content)
        written.append(name)

    captions = []
    for name, (table, caption) in tables.items():
        with open(out / f"{name}.csv", "w", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(table)
        written.append(f"{name}.csv")
        save(f"{name}.tex", latex(table, caption, name))
        captions.append(f"* `{name}.csv`, `{name}.tex`: {caption}\n  `{command}`\n")
    for name, (drawing, caption) in figures.items():
        save(f"{name}.svg", drawing.svg(f"{caption} {command}"))
        save(f"{name}.pdf", drawing.pdf())
        captions.append(f"* `{name}.svg`, `{name}.pdf`: {caption}\n  `{command}`\n")
    save("captions.md", "".join(captions))
    save("method.md", method(rows, meshes))
    return written


def method(rows, meshes):
    """The method's text, with what the results say of their origin."""
    first = rows[0]
    machines = sorted({machine(row) for row in rows})
    versions = sorted({row["version"] + (f" ({row['commit']})" if row["commit"] else "") for row in rows})
    dates = sorted(row["date"] for row in rows)
    digests = "".join(f"| {row['mesh']} | {row['class']} | {row['triangles']:,} | `{row['mesh_digest']}` |\n" for row in {row["mesh"]: row for row in rows}.values())
    return f"""# Method

Trees of {', '.join(NAMES[kind] for kind in KINDS)} were built by bvtree {', '.join(versions)} for {len(meshes)} meshes, with at most two triangles a leaf,
top-down and bottom-up. A tree cut at a level has the nodes of the level and the leaves above. Volume and area are sums over all volumes of a tree,
over those of the mesh's convex hull and of the mesh. The Hausdorff error of a volume is the greatest distance of its points from its triangles, over its
diameter (Gottschalk 2000), a proven upper bound. EPO is end-point overlap (Aila, Karras and Laine 2013). Volumes that trees do not store (convex hulls,
k-DOPs after Klosowski et al. 1998, boxes along shared axes, rectangle swept spheres after Larsen et al. 1999) were fitted to the triangles below each
node of the top-down OBB trees and measured by the same formulas.

Each mesh was posed against a copy of itself on {first['approaches']} random lines, at four separations from touching, relative to the diagonal of its box,
after Trenkel, Weller and Zachmann 2007; the seed was {first['seed']}. A query finds all pairs of intersecting triangles. Tests of volumes and
of triangles are counted; a query's time is the median of five passes on one thread.

Means over meshes are geometric means of ratios to OBB trees, paired by mesh, builder and poses. Intervals are of 95%, by Student's distribution of the
logarithms over meshes: they say how much the meshes differ, not how well each was measured. Everything but times is the same to the last
digit on all machines, which was checked where results were merged.

Machines: {'; '.join(machines)}. Dates: {dates[0]} to {dates[-1]}.

| Mesh | Class | Triangles | Digest |
|---|---|---|---|
{digests}"""
