"""STEP files to reports; run by `.ci/buildings`, because it needs Open CASCADE."""

import csv
import json
import math
import os

import numpy as np
import pytest
from OCP.BRepPrimAPI import BRepPrimAPI_MakeBox, BRepPrimAPI_MakeCylinder
from OCP.gp import gp_Ax1, gp_Dir, gp_Pnt, gp_Trsf, gp_Vec
from OCP.IFSelect import IFSelect_RetDone
from OCP.Interface import Interface_Static
from OCP.STEPCAFControl import STEPCAFControl_Writer
from OCP.TCollection import TCollection_ExtendedString
from OCP.TDataStd import TDataStd_Name
from OCP.TDocStd import TDocStd_Document
from OCP.TopLoc import TopLoc_Location
from OCP.XCAFDoc import XCAFDoc_DocumentTool

from bvtree import Tree
from bvtree.buildings import Cache, convert
from bvtree.buildings.__main__ import main


def moved(x, y, z, degrees=0.0):
    """Turned about z, then moved, in millimetres."""
    turn, move = gp_Trsf(), gp_Trsf()
    turn.SetRotation(gp_Ax1(gp_Pnt(0, 0, 0), gp_Dir(0, 0, 1)), math.radians(degrees))
    move.SetTranslation(gp_Vec(x, y, z))
    return TopLoc_Location(move.Multiplied(turn))


@pytest.fixture
def frame(tmp_path):
    """A plate of 100 by 60 by 10 mm, turned by 90 degrees in a frame, with two bolts 10 mm thick, one 5 mm deep in it."""
    document = TDocStd_Document(TCollection_ExtendedString("test"))
    shapes = XCAFDoc_DocumentTool.ShapeTool_s(document.Main())

    def named(label, name):
        TDataStd_Name.Set_s(label, TCollection_ExtendedString(name))
        return label

    plate = named(shapes.AddShape(BRepPrimAPI_MakeBox(100, 60, 10).Shape(), False), "plate")
    bolt = named(shapes.AddShape(BRepPrimAPI_MakeCylinder(5, 30).Shape(), False), "bolt")
    pair, whole = named(shapes.NewShape(), "pair"), named(shapes.NewShape(), "frame")
    named(shapes.AddComponent(pair, bolt, moved(0, 0, 0)), "bolt:1")
    named(shapes.AddComponent(pair, bolt, moved(30, 0, 5)), "bolt:2")
    named(shapes.AddComponent(whole, plate, moved(0, 0, 0, 90)), "base")
    named(shapes.AddComponent(whole, pair, moved(-40, 50, 5)), "bolts")
    shapes.UpdateAssemblies()

    def write(name, unit="MM"):
        Interface_Static.SetCVal_s("write.step.unit", unit)
        path, writer = str(tmp_path / name), STEPCAFControl_Writer()
        assert writer.Transfer(document) and writer.Write(path) == IFSelect_RetDone
        return path

    return write


@pytest.mark.parametrize("unit", ["MM", "INCH"])
def test_parts_of_assemblies_are_bodies_in_metres(frame, tmp_path, unit):
    manifest = convert(frame("frame.step", unit), snap=0.0, cache=Cache(str(tmp_path / "cache")))
    with open(manifest, encoding="utf-8") as file:
        bodies = {body["name"]: body for body in json.load(file)["bodies"]}
    assert list(bodies) == ["frame/frame/base", "frame/frame/bolts/bolt:1", "frame/frame/bolts/bolt:2"]
    first, second = (bodies[f"frame/frame/bolts/bolt:{number}"] for number in (1, 2))
    assert first["properties"] == {"name": "bolt:1", "type": "bolt", "path": "frame/bolts", "file": "frame.step"}
    # One mesh for both.
    assert first["mesh"] == second["mesh"]
    assert np.allclose(np.subtract(second["translation"], first["translation"]), [0.03, 0, 0.005], atol=1e-12)
    plate = bodies["frame/frame/base"]
    tree = Tree.open(os.path.join(os.path.dirname(manifest), plate["mesh"]))
    assert tree.is_closed and np.allclose(tree.bounds[1] - tree.bounds[0], [0.1, 0.06, 0.01], atol=1e-8)
    turned = np.reshape(plate["rotation"], (3, 3)) @ [0.05, 0.03, 0.005]
    assert np.allclose(turned, [-0.03, 0.05, 0.005], atol=1e-9)
    round_ = Tree.open(os.path.join(os.path.dirname(manifest), first["mesh"]))
    corners = round_.to_mesh().vertices[:, :2]
    assert round_.is_closed and len(corners) > 30 and np.abs(corners).max() <= 0.005 + 1e-8


def test_a_report_of_a_step_file(frame, tmp_path, monkeypatch):
    monkeypatch.setenv("BVTREE_CACHE", str(tmp_path / "cache"))
    assert main([frame("frame.STP"), "-o", str(tmp_path / "report"), "-q"]) == 0
    with open(tmp_path / "report" / "clashes.csv", newline="", encoding="utf-8") as file:
        [row] = csv.DictReader(file)
    assert [row["a"], row["b"], row["class"]] == ["frame/frame/base", "frame/frame/bolts/bolt:1", "protruding"]
    assert 0.00495 < float(row["depth"]) < 0.0051
    assert row["issue"] == "hard clash: bolt x plate"


@pytest.mark.parametrize("text, told", [("", "is empty"), ("ISO-10303-21; nonsense", "Open CASCADE cannot read it")])
def test_files_that_are_not_step(tmp_path, capfd, text, told):
    path = tmp_path / "broken.step"
    path.write_text(text)
    assert main([str(path), "-o", str(tmp_path / "report"), "-q"]) == 2
    out, err = capfd.readouterr()
    assert out == "" and f"broken.step: {told}" in err.replace("the file ", "")
