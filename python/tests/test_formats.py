"""Mesh files as trimesh reads and writes them: the same triangles, and the same answers whatever the format."""

import numpy as np
import pytest

import bvtree
from conftest import DATA, DATASET, box

trimesh = pytest.importorskip("trimesh")
# It joins parts of different materials with it.
pytest.importorskip("PIL")

FORMS = ["stl", "stl_ascii", "ply", "ply_ascii", "off", "glb", "obj"]


def meshes():
    """Of the project, and of the dataset if it is there; larger ones take trimesh's texts too long."""
    paths = sorted(DATA.glob("*.obj")) + sorted((DATASET / "meshes").glob("*.obj"))
    return [path for path in paths if path.stat().st_size < 1_500_000]


def triangles(mesh):
    """The corners as f32, with -0 as 0."""
    return np.asarray(mesh.vertices, np.float32)[np.asarray(mesh.faces)] + np.float32(0)


def in_order(triangles):
    """From the least corner on, and sorted: trimesh cuts quads along the same diagonal, but counts their halves otherwise."""
    first = np.array([min(range(3), key=lambda i: tuple(corners[i])) for corners in triangles])
    turned = np.take_along_axis(triangles, ((first[:, None] + np.arange(3)) % 3)[:, :, None], axis=1)
    return np.array(sorted(turned.reshape(-1, 9).tolist()))


def write(mesh, form, folder):
    file_type, _, is_text = form.partition("_")
    options = {}
    if file_type == "ply":
        options["encoding"] = "ascii" if is_text else "binary"
    if file_type in ("off", "obj"):
        # After the point: all of these meshes' f32.
        options["digits"] = 30
    path = folder / f"{form}.{file_type}"
    data = mesh.export(file_type=form if form == "stl_ascii" else file_type, **options)
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return path


def loaded(path):
    options = {"maintain_order": True} if path.suffix == ".obj" else {}
    return trimesh.load(path, process=False, force="mesh", **options)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("path", meshes(), ids=lambda path: path.stem)
def test_trimesh_reads_the_same_triangles(path, form, tmp_path):
    ours = bvtree.Mesh.open(path)
    if form == FORMS[0]:
        # The file as it is.
        assert np.array_equal(in_order(triangles(ours)), in_order(triangles(loaded(path))))
    source = trimesh.Trimesh(ours.vertices, ours.faces, process=False)
    written = write(source, form, tmp_path)
    again = bvtree.Mesh.open(written)
    assert np.array_equal(triangles(again), triangles(loaded(written)))
    if form in ("stl", "ply", "glb", "off"):
        # Nothing was rounded on the way.
        assert np.array_equal(triangles(again), triangles(ours))
        cube = bvtree.Tree(box(0.3 * ours.bounds[0] + 0.7 * ours.bounds[1], ours.bounds[1] + 1))
        expected, found = (bvtree.intersecting_pairs(cube, bvtree.Tree(mesh)) for mesh in (ours, again))
        assert np.array_equal(found, expected)
