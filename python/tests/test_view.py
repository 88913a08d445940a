"""Pages that show trees, as a notebook and a browser see them."""

import base64
import html.parser
import json
import os
import shutil
import subprocess

import numpy as np
import pytest

import bvtree
from conftest import box, moved

PROGRAMS = [os.environ.get("BVTREE_CHROMIUM"), "chromium", "chromium-browser", "google-chrome", "google-chrome-stable"]


class Parsed(html.parser.HTMLParser):
    """The data of a page, or the page in a frame."""

    def __init__(self, text):
        super().__init__()
        self.frame, self.data, self._inside = None, None, False
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.frame = attributes.get("srcdoc", self.frame)
        self._inside = attributes.get("id") == "data"

    def handle_data(self, text):
        if self._inside:
            self.data, self._inside = json.loads(text), False


def numbers(text, dtype="<u2"):
    return np.frombuffer(base64.b64decode(text), dtype)


def test_a_notebook_shows_a_tree(gear):
    page = bvtree.view(gear, names=("gear",), height=300)
    parsed = Parsed(page._repr_html_())
    assert parsed.frame == page.html and "300px" in page._repr_html_()
    (part,) = Parsed(page.html).data["scene"]["parts"]
    mesh, (tree,) = gear.to_mesh(), part["trees"]
    assert (part["name"], part["triangles"], part["drawn"]) == ("gear", len(gear), len(gear))
    frame = part["frame"]
    points = numbers(part["positions"]).reshape(-1, 3) / 65535 * frame["size"] + frame["origin"]
    assert np.abs(points - mesh.vertices).max() < 1e-4 * frame["size"]
    assert (numbers(part["indices"]["data"]) == mesh.faces.ravel()).all()
    assert tree["kind"] == "obb" and tree["nodes"] == gear.node_count == sum(tree["levels"])
    # The last cut has every leaf.
    assert tree["cuts"][-1] == gear.leaf_count


@pytest.mark.parametrize("kind", ["aabb", "obb", "sphere", "kdop"])
def test_volumes_in_the_page_hold_the_mesh(gear, kind):
    tree = bvtree.Tree(gear.to_mesh(), kind, preset="fast")
    nodes, order = tree.nodes(), tree.leaf_order
    assert sorted(order) == list(range(len(tree))) and len(nodes) == tree.node_count
    assert nodes["level"].max() == tree.depth and (nodes["parent"][1:] < np.arange(1, len(nodes))).all()
    (part,) = Parsed(bvtree.view(tree).html).data["scene"]["parts"]
    words = {"aabb": 6, "obb": 10, "sphere": 4, "kdop": 6}[kind]
    volumes = numbers(part["trees"][0]["volumes"]).reshape(-1, words) / 65535
    size, corners = part["frame"]["size"], tree.to_mesh().vertices[tree.to_mesh().faces]
    for row, volume in zip(nodes[::40], volumes[::40]):
        held = corners[order[row["first_triangle"] :][: row["triangles"]]].reshape(-1, 3).astype(float)
        from_center = held - (volume[:3] * size + part["frame"]["origin"])
        extents = volume[3:6] * size if kind != "sphere" else volume[3] * size
        if kind == "sphere":
            assert np.linalg.norm(from_center, axis=1).max() <= extents + 2e-4 * size
            continue
        if kind == "obb":
            x, y, z, w = 2 * volume[6:] - 1
            axes = [
                [1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w)],
                [2 * (x * y - z * w), 1 - 2 * (x * x + z * z), 2 * (y * z + x * w)],
                [2 * (x * z + y * w), 2 * (y * z - x * w), 1 - 2 * (x * x + y * y)],
            ]
            from_center = from_center @ np.transpose(axes)
        assert (np.abs(from_center) <= extents + 3e-4 * size).all()


def test_two_meshes_and_where_they_meet(gear, tmp_path):
    page = bvtree.view(gear, gear, moved(x=40), names=("a", "b"))
    data = Parsed(page.html).data
    pairs = bvtree.intersecting_pairs(gear, gear, moved(x=40))
    assert data["summary"][0] == [f"{len(pairs)} pairs of triangles intersect", "touching"]
    for side, part in enumerate(data["scene"]["parts"]):
        assert part["highlights"] == len(np.unique(pairs[:, side])) == len(numbers(part["highlighted"])) / 9
    assert data["scene"]["parts"][1]["pose"] == moved(x=40)[:3].ravel().tolist()
    apart = Parsed(bvtree.view(box(), gear, moved(x=100)).html).data
    assert apart["summary"][1][0].endswith(" apart")
    assert [tree["kind"] for part in apart["scene"]["parts"] for tree in part["trees"]] == ["obb", "obb"]
    page.save(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text() == page.html


def test_large_meshes_are_drawn_simplified():
    steps = 400
    x, y = (grid.ravel() for grid in np.meshgrid(np.linspace(0, 1, steps), np.linspace(0, 1, steps)))
    corner = (np.arange(steps - 1)[:, None] * steps + np.arange(steps - 1)).ravel()
    faces = np.concatenate([np.stack([corner, corner + 1, corner + steps], axis=1), np.stack([corner + 1, corner + steps + 1, corner + steps], axis=1)])
    tree = bvtree.Tree((np.stack([x, y, 0.1 * np.sin(9 * x)], axis=1), faces), "aabb", preset="fast")
    (part,) = Parsed(bvtree.view(tree).html).data["scene"]["parts"]
    assert part["triangles"] == len(tree) > 200_000 > part["drawn"] > 50_000
    assert sum(part["trees"][0]["levels"]) <= 20_000
    assert len(numbers(part["trees"][0]["owners"]["data"])) == part["drawn"]


def test_nothing_breaks_out_of_the_page():
    hostile = '</script><!--<script>alert(1)</script>&amp;"\u2028'
    page = bvtree.view(box(), names=(hostile,))
    parsed = Parsed(Parsed(page._repr_html_()).frame)
    assert parsed.data["title"] == hostile
    assert "alert(1)</script>" not in page.html


def test_what_can_not_be_shown(gear):
    with pytest.raises(ValueError, match="nothing to view"):
        bvtree.view(([], []))
    with pytest.raises(ValueError, match="expected one"):
        bvtree.view(gear, gear, np.tile(np.eye(4), (2, 1, 1)))
    with pytest.raises(ValueError, match="up"):
        bvtree.view(gear, up="x")


def test_a_browser_draws_it(gear, tmp_path):
    """In the frame of a notebook's page."""
    program = next(filter(None, (shutil.which(name) for name in PROGRAMS if name)), None)
    if program is None:
        pytest.skip("no browser: Chromium was not found")
    image = pytest.importorskip("PIL.Image")
    path, picture = tmp_path / "notebook.html", tmp_path / "picture.png"
    path.write_text(f"<!DOCTYPE html><body>{bvtree.view(gear, height=500)._repr_html_()}</body>")
    flags = ["--headless", "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-dev-shm-usage"]
    flags += ["--window-size=900,560", f"--user-data-dir={tmp_path / 'profile'}", f"--screenshot={picture}"]
    orange = 0
    # On a busy machine a picture may be taken before anything is drawn.
    for patience in (3_000, 6_000, 12_000, 24_000):
        command = [program, *flags, f"--virtual-time-budget={patience}", path.as_uri()]
        subprocess.run(command, check=True, capture_output=True, timeout=120)
        red, green, blue = np.asarray(image.open(picture).convert("RGB")).astype(int).reshape(-1, 3).T
        # Boxes are orange, on a grey mesh: no other part of the page is.
        orange = ((red > 150) & (red > green + 40) & (green > blue + 15)).sum()
        if orange:
            break
    assert orange > 5_000
