"""Meshes and trees: made, read, saved, pickled."""

import copy
import pickle
import subprocess
import sys
import types

import numpy as np
import pytest

import bvtree
from conftest import box


def test_arrays_of_all_dtypes_are_the_same_mesh():
    vertices, faces = box()
    expected = bvtree.Tree((vertices, faces))
    for dtype in (np.float32, np.float64, np.float16, np.int8, ">f4", np.longdouble):
        for kind in (np.int64, np.int32, np.uint32, np.uint8, np.int16, np.uint64, ">i4"):
            assert bvtree.Tree((vertices.astype(dtype), faces.astype(kind))) == expected
    wide = np.zeros((8, 6))
    wide[:, ::2] = vertices
    assert bvtree.Tree((wide[:, ::2], np.asfortranarray(faces))) == expected
    assert bvtree.Tree((vertices.tolist(), faces.tolist())) == expected


def test_arrays_of_a_mesh_are_views():
    mesh = bvtree.Mesh(*box())
    vertices, faces = mesh.vertices, mesh.faces
    assert vertices.dtype == np.float32 and faces.dtype == np.uint32
    assert np.shares_memory(vertices, mesh.vertices)
    for array in (vertices, faces):
        with pytest.raises(ValueError):
            array[0] = 0
        with pytest.raises(ValueError):
            array.flags.writeable = True
    del mesh
    assert vertices.sum() == 12 and len(faces) == 12


def test_objects_of_other_libraries():
    vertices, faces = box()
    expected = bvtree.Tree((vertices, faces))
    assert bvtree.Tree(types.SimpleNamespace(vertices=vertices, faces=faces)) == expected
    assert bvtree.Tree(types.SimpleNamespace(vertices=vertices, triangles=faces)) == expected
    assert bvtree.Tree(bvtree.Mesh(vertices, faces)) == expected
    for other in (3, None, types.SimpleNamespace(vertices=vertices), np.eye(3)):
        with pytest.raises(TypeError, match="vertices and faces"):
            bvtree.Tree(other)


class Tensors(dict):
    """Open3D's map of tensors: values are had by name, on a device."""

    class Tensor:
        def __init__(self, array):
            self.array = array

        def cpu(self):
            return self

        def numpy(self):
            return self.array

    def __getitem__(self, name):
        return self.Tensor(super().__getitem__(name))


def test_meshes_of_tensors():
    vertices, faces = box()
    mesh = types.SimpleNamespace(vertex=Tensors(positions=vertices, normals=vertices), triangle=Tensors(indices=faces))
    assert bvtree.Tree(mesh) == bvtree.Tree((vertices, faces))
    empty = types.SimpleNamespace(vertex=Tensors(), triangle=Tensors())
    assert len(bvtree.Mesh.from_object(empty)) == 0
    with pytest.raises(TypeError):
        bvtree.Tree(types.SimpleNamespace(vertex=3, triangle=4))


def test_open3d():
    open3d = pytest.importorskip("open3d")
    mesh = open3d.geometry.TriangleMesh.create_torus()
    tree = bvtree.Tree(mesh)
    assert len(tree) == len(mesh.triangles) and tree.is_closed
    assert (tree.to_mesh().bounds == np.float32([mesh.get_min_bound(), mesh.get_max_bound()])).all()
    tensors = open3d.t.geometry.TriangleMesh.from_legacy(mesh)
    assert bvtree.Tree(tensors) == tree
    assert len(bvtree.Mesh.from_object(open3d.t.geometry.TriangleMesh())) == 0


def test_trimesh():
    trimesh = pytest.importorskip("trimesh")
    sphere = trimesh.creation.icosphere()
    tree = bvtree.Tree(sphere)
    assert len(tree) == len(sphere.faces) and tree.is_closed


def test_report_and_mass():
    mesh = bvtree.Mesh(*box((0, 0, 0), (1, 2, 3)))
    report = mesh.report()
    assert report["is_closed"] and report["triangles"] == 12 and report["components"] == 1
    assert report["open_edges"] == report["zero_area_triangles"] == 0
    mass = mesh.mass_properties()
    assert mass["volume"] == pytest.approx(6)
    assert mass["center"] == pytest.approx([0.5, 1, 1.5])
    assert mass["inertia"] == pytest.approx(np.diag([6.5, 5, 2.5]))
    with pytest.raises(bvtree.NotClosed, match="3 edges have one triangle") as raised:
        bvtree.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]]).mass_properties()
    assert raised.value.open_edges == 3


def test_files(tmp_path, gear):
    path = tmp_path / "gear.bvt"
    gear.save(path)
    assert path.read_bytes() == gear.to_bytes()
    assert bvtree.Tree.open(path) == gear == bvtree.Tree.open(str(path), mmap=True)
    cooked = bvtree.Tree.cook(gear.to_mesh(), tmp_path / "again.bvt", **gear.options)
    assert (tmp_path / "again.bvt").read_bytes() == cooked.to_bytes()
    gear.save(path, compact=True)
    assert path.read_bytes() == gear.to_bytes(compact=True)
    assert len(gear.to_bytes(compact=True)) < 14 * len(gear)
    assert bvtree.Tree.open(path).to_bytes(compact=True) == gear.to_bytes(compact=True)
    damaged = bytearray(gear.to_bytes())
    damaged[5000] ^= 1
    with pytest.raises(bvtree.InvalidFile):
        bvtree.Tree.from_bytes(bytes(damaged))
    (tmp_path / "damaged.bvt").write_bytes(damaged)
    with pytest.raises(bvtree.InvalidFile, match="damaged.bvt: "):
        bvtree.Tree.open(tmp_path / "damaged.bvt")
    for name in (tmp_path / "none.bvt", "none.obj"):
        with pytest.raises(FileNotFoundError) as raised:
            (bvtree.Tree.open if str(name).endswith("bvt") else bvtree.Mesh.open)(name)
        assert raised.value.filename == str(name)
    with pytest.raises(OSError):
        gear.save(tmp_path / "no folder" / "gear.bvt")
    (tmp_path / "bad.obj").write_text("v 0 0 0\nv 1 0\n")
    with pytest.raises(bvtree.InvalidMesh, match="line 2"):
        bvtree.Mesh.open(tmp_path / "bad.obj")


def test_pickles(gear, tmp_path):
    assert pickle.loads(pickle.dumps(gear)) == gear
    mesh = gear.to_mesh()
    again = pickle.loads(pickle.dumps(mesh))
    assert (again.vertices == mesh.vertices).all() and (again.faces == mesh.faces).all()
    (tmp_path / "house.obj").write_text("v 9 9 9\nv 10 9 9\nv 10 10 9\nv 9 10 9\no roof\nusemtl red\nf 1 2 3 4\no wall\nf 1 2 3\n")
    command = [sys.executable, "-m", "bvtree", "cook", "house.obj", "-o", ".", "--origin", "auto", "-q"]
    subprocess.run(command, cwd=tmp_path, check=True)
    meshes = [bvtree.Mesh.open(tmp_path / "house.obj", group_by=what) for what in ("object", "material", "both")]
    meshes.append(bvtree.Tree.open(tmp_path / "house.obb.bvt").to_mesh())
    assert len({bvtree.Tree(mesh).to_bytes() for mesh in meshes}) == 4
    for mesh in meshes:
        tree, again = bvtree.Tree(mesh), bvtree.Tree(pickle.loads(pickle.dumps(mesh)))
        assert again == tree and again.to_bytes() == tree.to_bytes()
    with pytest.raises(TypeError, match="can't be pickled"):
        pickle.dumps(bvtree.Scene())


def test_copies_are_the_same(gear):
    mesh = gear.to_mesh()
    for same in (gear, mesh):
        assert copy.copy(same) is same and copy.deepcopy([same])[0] is same


def test_options(gear):
    mesh = gear.to_mesh()
    assert bvtree.Tree(mesh, **gear.options).options == gear.options
    for kind in ("aabb", "obb", "sphere", "kdop"):
        for preset in ("fast", "balanced", "tight"):
            assert bvtree.Tree(mesh, kind, preset=preset).kind == kind
    assert bvtree.Tree(mesh, max_leaf_triangles=8).node_count < gear.node_count
    assert bvtree.Tree(mesh, threads=1) == bvtree.Tree(mesh, threads=3)
    with pytest.raises(ValueError, match="expected aabb, obb, sphere or kdop"):
        bvtree.Tree(mesh, "cone")
    with pytest.raises(ValueError, match="unknown preset"):
        bvtree.Tree(mesh, preset="best")
    with pytest.raises(ValueError, match="unknown split rule"):
        bvtree.Tree(mesh, split="none")
    with pytest.raises(TypeError, match="unexpected keyword argument 'leaf'"):
        bvtree.Tree(mesh, leaf=2)
    with pytest.raises(ValueError):
        bvtree.Tree(mesh, max_leaf_triangles=-1)
    with pytest.raises(bvtree.Error):
        bvtree.Tree(mesh, max_leaf_triangles=0)
    with pytest.raises(ValueError, match="threads"):
        bvtree.Tree(mesh, threads=0)


def test_trees_know_themselves(gear):
    assert len(gear) == 8640 and gear.kind == "obb" and gear.is_closed
    lower, upper = gear.bounds
    vertices = gear.to_mesh().vertices
    assert (lower == vertices.min(axis=0)).all() and (upper == vertices.max(axis=0)).all()
    assert abs(gear.nbytes - len(gear.to_bytes())) < 1000
    assert gear != 3 and hash(gear) == hash(pickle.loads(pickle.dumps(gear)))
    assert len(gear.mesh_digest) == 32
