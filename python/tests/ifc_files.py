"""IFC files to reports; run by `.ci/buildings`, because it needs ifcopenshell."""

import csv
import json
import os
import pathlib
import signal
import subprocess
import sys
import time
import zipfile

import ifcopenshell
import ifcopenshell.api.aggregate
import ifcopenshell.api.context
import ifcopenshell.api.feature
import ifcopenshell.api.geometry
import ifcopenshell.api.project
import ifcopenshell.api.root
import ifcopenshell.api.spatial
import ifcopenshell.api.type
import ifcopenshell.api.unit
import numpy as np
import pytest

from bvtree.buildings import Cache, convert
from bvtree.buildings.__main__ import main

# Where the Netherlands lie in their national grid: float32 has steps of 30 mm there.
FAR = np.array([121_687.0, 487_316.0, 2.0])


class Model:
    """A storey at FAR, in millimetres, to which boxes are added."""

    def __init__(self, schema="IFC4"):
        self.file = file = ifcopenshell.api.project.create_file(version=schema)
        project = ifcopenshell.api.root.create_entity(file, ifc_class="IfcProject", name="Project")
        ifcopenshell.api.unit.assign_unit(file, length={"is_metric": True, "raw": "MILLIMETERS"})
        context = ifcopenshell.api.context.add_context(file, context_type="Model")
        self.body = ifcopenshell.api.context.add_context(
            file, context_type="Model", context_identifier="Body", target_view="MODEL_VIEW", parent=context
        )
        site, building, self.storey = (
            ifcopenshell.api.root.create_entity(file, ifc_class=name, name=name[3:] + " 1")
            for name in ("IfcSite", "IfcBuilding", "IfcBuildingStorey")
        )
        for whole, part in [(project, site), (site, building), (building, self.storey)]:
            ifcopenshell.api.aggregate.assign_object(file, products=[part], relating_object=whole)
        self.place(site, FAR)

    def place(self, product, at):
        matrix = np.eye(4)
        matrix[:3, 3] = at
        ifcopenshell.api.geometry.edit_object_placement(self.file, product=product, matrix=matrix)

    def box(self, name, low, size, ifc_class="IfcWall", type_=None):
        """A box with a corner at `low` from FAR, in metres."""
        product = ifcopenshell.api.root.create_entity(self.file, ifc_class=ifc_class, name=name)
        if type_ is not None:
            ifcopenshell.api.type.assign_type(self.file, related_objects=[product], relating_type=type_)
        else:
            length, thickness, height = size
            shape = ifcopenshell.api.geometry.add_wall_representation(
                self.file, context=self.body, length=length, height=height, thickness=thickness
            )
            ifcopenshell.api.geometry.assign_representation(self.file, product=product, representation=shape)
        if product.is_a("IfcSpace"):
            ifcopenshell.api.aggregate.assign_object(self.file, products=[product], relating_object=self.storey)
        elif not product.is_a("IfcFeatureElement"):
            ifcopenshell.api.spatial.assign_container(self.file, products=[product], relating_structure=self.storey)
        self.place(product, FAR + low)
        return product

    def grid(self, letters, numbers):
        """Axes along y at some x, named by letters, and along x at some y, named by numbers; from FAR, in metres."""
        file = self.file
        point = lambda x, y: file.createIfcCartesianPoint((1e3 * x, 1e3 * y))
        axes = []
        for names, along in [(letters, 1), (numbers, 0)]:
            family = []
            for name, at in names.items():
                low, high = ((at, -5.0), (at, 5.0)) if along else ((-5.0, at), (5.0, at))
                family.append(file.createIfcGridAxis(name, file.createIfcPolyline([point(*low), point(*high)]), True))
            axes.append(family)
        arc = file.createIfcCircle(file.createIfcAxis2Placement2D(point(0.0, 0.0)), 1e3)
        grid = ifcopenshell.api.root.create_entity(file, ifc_class="IfcGrid", name="grid")
        grid.UAxes, grid.VAxes = axes[0] + [file.createIfcGridAxis("round", arc, True)], axes[1]
        ifcopenshell.api.spatial.assign_container(file, products=[grid], relating_structure=self.storey)
        self.place(grid, FAR)

    def write(self, path):
        self.file.write(str(path))
        return str(path)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Two models: a wall with a door, its neighbour 1 micrometre inside, a space; and a pipe through the wall."""
    folder = tmp_path_factory.mktemp("models")
    arch = Model()
    wall = arch.box("wall", [0, 0, 0], [4, 0.2, 3])
    opening = arch.box("opening", [1, -0.1, 0], [1, 0.4, 2], "IfcOpeningElement")
    door = arch.box("door", [0.995, 0.05, 0], [1.01, 0.1, 2.005], "IfcDoor")
    ifcopenshell.api.feature.add_feature(arch.file, feature=opening, element=wall)
    ifcopenshell.api.feature.add_filling(arch.file, opening=opening, element=door)
    arch.box("neighbour", [4 - 1e-6, 0, 0], [2, 0.2, 3])
    arch.box("room", [0, 0, 0], [4, 4, 3], "IfcSpace")
    mep = Model()
    mep.box("pipe", [3, -1, 1], [0.1, 3, 0.1], "IfcPipeSegment")
    return {
        "arch": arch.write(folder / "arch.ifc"),
        "mep": mep.write(folder / "mep.ifc"),
        "ids": {p.Name: p.GlobalId for f in (arch, mep) for p in f.file.by_type("IfcProduct")},
    }


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("BVTREE_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def rows(folder):
    with open(folder / "clashes.csv", newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def bodies(manifest):
    return json.loads(pathlib.Path(manifest).read_text(encoding="utf-8"))["bodies"]


def test_the_report_of_two_models(tmp_path, cache, files):
    arguments = [files["arch"], files["mep"], "-o", str(tmp_path / "report"), "-q", "--exit-code"]
    assert main(arguments) == 1
    [row] = rows(tmp_path / "report")
    ids = files["ids"]
    assert row["a"] == f"arch/BuildingStorey 1/IfcWall/wall/{ids['wall']}"
    assert (row["b"].split("/")[-1], row["class"]) == (ids["pipe"], "piercing")
    assert abs(float(row["depth"]) - 0.1) < 0.002
    assert np.abs(np.array([float(row[key]) for key in "xyz"]) - FAR - [3.05, 0.1, 1.05]).max() < 0.1
    assert len(os.listdir(cache)) == 2

    # The second run converts nothing.
    before = (tmp_path / "report" / "clashes.csv").read_bytes()
    program = "import sys; from bvtree.buildings.__main__ import main; code = main(sys.argv[1:]); "
    program += "assert 'ifcopenshell' not in sys.modules; sys.exit(code)"
    assert subprocess.run([sys.executable, "-c", program, *arguments]).returncode == 1
    assert (tmp_path / "report" / "clashes.csv").read_bytes() == before


def test_the_bcf_file_in_an_independent_reader(tmp_path, cache, files):
    import bcf.v2.bcfxml

    assert main([files["arch"], files["mep"], "-o", str(tmp_path), "-q"]) == 0
    [row] = rows(tmp_path)
    with bcf.v2.bcfxml.BcfXml.load(tmp_path / "clashes.bcf") as file:
        [(guid, topic)] = file.topics.items()
        assert guid == row["id"] and "wall and pipe" in topic.topic.title
        [view] = topic.viewpoints.values()
        assert view.snapshot.startswith(b"\x89PNG")
        selected = view.visualization_info.components.selection.component
        assert {part.ifc_guid for part in selected} == {files["ids"]["wall"], files["ids"]["pipe"]}
        camera = view.visualization_info.perspective_camera
        eye, ahead = ([getattr(v, k) for k in "xyz"] for v in (camera.camera_view_point, camera.camera_direction))
        place = np.array([float(row[key]) for key in "xyz"])
        towards = place - eye
        assert np.allclose(towards / np.linalg.norm(towards), ahead, atol=1e-6) and np.linalg.norm(towards) < 20


def test_a_team_settles_a_clash_in_its_viewer(tmp_path, cache, files):
    """What a viewer writes into the file of a report is kept in the next one, in both versions of BCF."""
    import bcf.bcfxml
    import bcf.v2.model
    import bcf.v3.model
    from xsdata.models.datatype import XmlDateTime

    for version, model in [("2.1", bcf.v2.model), ("3.0", bcf.v3.model)]:
        first, second = tmp_path / version / "first", tmp_path / version / "second"
        arguments = [files["arch"], files["mep"], "-q", "--exit-code", "--bcf-version", version]
        assert main([*arguments, "-o", str(first)]) == 1
        assert rows(first)[0]["status"] == ""
        with bcf.bcfxml.load(first / "clashes.bcf") as file:
            assert file.version.version_id == version
            [topic] = file.topics.values()
            topic.topic.topic_status = "Approved"
            comment = model.Comment(
                date=XmlDateTime.now(), author="eva@example.org", comment="sleeve & seal", guid="c" * 8
            )
            if version == "2.1":
                topic.markup.comment.append(comment)
            else:
                topic.topic.comments = model.TopicComments(comment=[comment])
            file.save(tmp_path / version / "settled.bcfzip")
        assert main([*arguments, "-o", str(second), "--status", str(tmp_path / version / "settled.bcfzip")]) == 0
        [row] = rows(second)
        assert (row["status"], row["author"], row["reason"]) == ("approved", "eva@example.org", "sleeve & seal")
        # The next report keeps it by its baseline.
        third = [*arguments, "-o", str(tmp_path / version / "third"), "--baseline", str(second / "clashes.csv")]
        assert main(third) == 0
        [row] = rows(tmp_path / version / "third")
        assert (row["change"], row["status"], row["reason"]) == ("same", "approved", "sleeve & seal")


def test_elements_and_their_properties(tmp_path, cache, files):
    manifest = convert(files["arch"])
    found = {body["properties"]["name"]: body for body in bodies(manifest)}
    assert set(found) == {"wall", "door", "neighbour"}
    door = found["door"]["properties"]
    expected = {"class": "IfcDoor", "storey": "BuildingStorey 1", "file": "arch.ifc", "host": files["ids"]["wall"]}
    assert expected.items() <= door.items()
    with_rooms = convert(files["arch"], include=["IfcSpace"], exclude=["IfcDoor"])
    assert {body["properties"]["name"] for body in bodies(with_rooms)} == {"wall", "neighbour", "room"}
    with pytest.raises(ValueError, match="IfcRoom is not a class"):
        convert(files["arch"], include=["IfcRoom"])
    # The same with any number of threads, and from a zip file.
    copies = []
    for threads in (1, 2, 3):
        copies.append(convert(files["arch"], threads=threads, cache=Cache(str(tmp_path / str(threads)))))
    archive = tmp_path / "arch.ifczip"
    with zipfile.ZipFile(archive, "w") as zipped:
        zipped.write(files["arch"], "inner.ifc")
    text = pathlib.Path(manifest).read_text(encoding="utf-8")
    assert all(pathlib.Path(copy).read_text(encoding="utf-8") == text for copy in copies)
    assert pathlib.Path(convert(str(archive))).read_text(encoding="utf-8").replace(".ifczip", ".ifc") == text


def test_axes_of_the_building_name_places(tmp_path, cache):
    model = Model()
    model.box("wall", [3.8, 0, 0], [4, 0.2, 3])
    model.box("pipe", [4, -1, 1], [0.1, 3, 0.1], "IfcPipeSegment")
    model.grid({"A": 0.0, "B": 4.5}, {"1": 0.0, "2": 3.0})
    path = model.write(tmp_path / "model.ifc")
    assert main([path, "-q", "-o", str(tmp_path / "report")]) == 0
    (row,) = rows(tmp_path / "report")
    assert (row["location"], row["issue"]) == (
        "BuildingStorey 1, B-1",
        "hard clash: IfcPipeSegment x IfcWall, BuildingStorey 1, B-1",
    )


def test_types_share_their_mesh_unless_it_is_snapped(tmp_path, cache):
    model = Model()
    kind = ifcopenshell.api.root.create_entity(model.file, ifc_class="IfcColumnType", name="K80")
    shape = ifcopenshell.api.geometry.add_wall_representation(
        model.file, context=model.body, length=0.1, height=3, thickness=0.1
    )
    ifcopenshell.api.geometry.assign_representation(model.file, product=kind, representation=shape)
    for i in range(10):
        model.box(f"column {i}", [i / 3, 0, 0], None, "IfcColumn", kind)
    path = model.write(tmp_path / "columns.ifc")
    found = bodies(convert(path, snap=0))
    assert len(found) == 10 and len({body["mesh"] for body in found}) == 1
    assert all(body["properties"]["type"] == "K80" for body in found)
    places = sorted(body["translation"] for body in found)
    expected = [FAR + [i / 3 + 0.05, 0.05, 1.5] for i in range(10)]
    assert np.abs(np.array(places) - expected).max() < 1e-8


def test_files_that_are_not_ifc(tmp_path, cache, capfd):
    for name, content in {"empty.ifc": b"", "text.ifc": b"no IFC\n", "cut.ifc": b"ISO-10303-21;\nHEADER;"}.items():
        (tmp_path / name).write_bytes(content)
        assert main([str(tmp_path / name), "-o", str(tmp_path / "report")]) == 2, name
        error = capfd.readouterr().err
        assert f"error: {tmp_path / name}: " in error and "Traceback" not in error
    with zipfile.ZipFile(tmp_path / "none.ifczip", "w") as zipped:
        zipped.writestr("readme.txt", "")
    assert main([str(tmp_path / "none.ifczip"), "-o", str(tmp_path / "report")]) == 2
    assert "expected one .ifc file" in capfd.readouterr().err
    assert not cache.exists() or os.listdir(cache) == []


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_an_interrupt_leaves_nothing(tmp_path, cache):
    model = Model()
    for i in range(300):
        model.box(f"wall {i}", [i, 0, 0], [0.9, 0.2, 3])
    path = model.write(tmp_path / "walls.ifc")
    command = [sys.executable, "-m", "bvtree.buildings", path, "-o", str(tmp_path / "report")]

    def listen():
        """A shell ignores interrupts for what it starts in the background."""
        signal.signal(signal.SIGINT, signal.default_int_handler)

    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, preexec_fn=listen) as program:
        deadline = time.time() + 60
        while not (cache.exists() and any(any(entry.iterdir()) for entry in cache.iterdir())):
            assert time.time() < deadline and program.poll() is None
            time.sleep(0.01)
        program.send_signal(signal.SIGINT)
        error = program.communicate(timeout=60)[1]
    assert program.returncode == 130 and "Traceback" not in error
    assert os.listdir(cache) == [] and not (tmp_path / "report").exists()


REAL = os.environ.get("BVTREE_IFC")


@pytest.mark.skipif(not REAL, reason="BVTREE_IFC names no folder of real files")
def test_real_files(tmp_path, cache):
    paths = sorted(path for path in pathlib.Path(REAL).rglob("*") if path.suffix.lower() in (".ifc", ".ifczip"))
    assert paths
    for path in paths:
        began = time.time()
        try:
            manifest = convert(str(path))
        except ValueError as error:
            # Drafts of IFC 4.3 had schemas of their own.
            assert "ifcopenshell cannot read it" in str(error) and "schema" in str(error)
            print(f"{path.name}: skipped: {error}")
            continue
        converted = time.time() - began
        assert main([str(path), "-o", str(tmp_path / "report"), "-q"]) == 0
        found = rows(tmp_path / "report")
        print(f"{path.name}: {len(bodies(manifest))} bodies in {converted:.1f} s, {len(found)} clashes")
        assert not [row for row in found if row["depth"] and float(row["depth"]) <= 0.002]
        assert len({row["id"] for row in found}) == len(found)
