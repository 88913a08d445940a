"""Parts of STEP files, by Open CASCADE (the package OCP)."""

from __future__ import annotations

import os
import warnings

import numpy as np
from OCP.BRep import BRep_Tool
from OCP.BRepMesh import BRepMesh_IncrementalMesh
from OCP.gp import gp_Trsf
from OCP.IFSelect import IFSelect_RetDone
from OCP.Message import Message
from OCP.STEPCAFControl import STEPCAFControl_Reader
from OCP.TCollection import TCollection_AsciiString, TCollection_ExtendedString
from OCP.TDataStd import TDataStd_Name
from OCP.TDF import TDF_ChildIterator, TDF_Label, TDF_Tool
from OCP.TDocStd import TDocStd_Document
from OCP.TopAbs import TopAbs_FACE, TopAbs_REVERSED
from OCP.TopExp import TopExp_Explorer
from OCP.TopLoc import TopLoc_Location
from OCP.TopoDS import TopoDS
from OCP.XCAFDoc import XCAFDoc_DocumentTool, XCAFDoc_ShapeTool

from bvtree.buildings._bodies import Element

# Open CASCADE converts the units of a file to millimetres.
_METRES = 0.001
# The greatest distance of a triangle from the surface, in millimetres, and the greatest angle between neighbours.
_DEFLECTION, _ANGLE = 0.1, 0.3


def opened(path):
    Message.DefaultMessenger_s().ChangePrinters().Clear()
    document = TDocStd_Document(TCollection_ExtendedString("bvtree"))
    reader = STEPCAFControl_Reader()
    reader.SetNameMode(True)
    if os.path.getsize(path) == 0:
        raise ValueError(f"{path}: the file is empty")
    if reader.ReadFile(os.fspath(path)) != IFSelect_RetDone or not reader.Transfer(document):
        raise ValueError(f"{path}: Open CASCADE cannot read it")
    return document


def elements(document, path, progress):
    """Yields the parts of a file that have triangles, once for each place where an assembly has them."""
    shapes = XCAFDoc_DocumentTool.ShapeTool_s(document.Main())
    roots = filter(XCAFDoc_ShapeTool.IsFree_s, _children(shapes.BaseLabel()))
    parts = [part for root in roots for part in _parts(root, gp_Trsf(), ())]
    file_name, meshes, empty = os.path.basename(path), {}, 0
    for number, (label, transformation, names) in enumerate(parts, 1):
        key = _entry(label)
        if key not in meshes:
            meshes[key] = _mesh(XCAFDoc_ShapeTool.GetShape_s(label))
        vertices, faces = meshes[key]
        if len(faces):
            *path_names, name = names
            known = {"name": name, "type": _name(label), "path": "/".join(path_names), "file": file_name}
            pose = np.eye(4)
            pose[:3] = [[transformation.Value(row, column) for column in (1, 2, 3, 4)] for row in (1, 2, 3)]
            pose[:3, 3] *= _METRES
            yield Element({key: value for key, value in known.items() if value}, vertices, faces, pose, key)
        else:
            empty += 1
        if progress is not None:
            progress(number / len(parts))
    if empty:
        warnings.warn(f"{file_name}: {empty} of {len(parts)} parts have no surface", stacklevel=2)


def _parts(label, transformation, names):
    """Yields the parts below an assembly's node, each with its transformation to the world and its path of names."""
    transformation = transformation.Multiplied(XCAFDoc_ShapeTool.GetLocation_s(label).Transformation())
    name = _name(label)
    if XCAFDoc_ShapeTool.IsReference_s(label):
        whole = TDF_Label()
        XCAFDoc_ShapeTool.GetReferredShape_s(label, whole)
        label = whole
        # Open CASCADE gives a component without a name that of its reference, `=>[...]`.
        name = _name(label) if name.startswith("=>[") else name or _name(label)
    names = (*names, name)
    if not XCAFDoc_ShapeTool.IsAssembly_s(label):
        yield label, transformation, names
        return
    for component in filter(XCAFDoc_ShapeTool.IsComponent_s, _children(label)):
        yield from _parts(component, transformation, names)


def _mesh(shape):
    """Returns the triangles of a shape's faces, in metres."""
    BRepMesh_IncrementalMesh(shape, _DEFLECTION, False, _ANGLE, True)
    vertices, faces, count = [np.zeros((0, 3))], [np.zeros((0, 3), dtype=int)], 0
    explorer = TopExp_Explorer(shape, TopAbs_FACE)
    while explorer.More():
        face = TopoDS.Face(explorer.Current())
        explorer.Next()
        location = TopLoc_Location()
        mesh = BRep_Tool.Triangulation_s(face, location)
        if mesh is None:
            continue
        transformation = location.Transformation()
        nodes = (mesh.Node(node).Transformed(transformation) for node in range(1, mesh.NbNodes() + 1))
        vertices.append(np.array([(node.X(), node.Y(), node.Z()) for node in nodes]))
        corners = np.array([mesh.Triangle(triangle).Get() for triangle in range(1, mesh.NbTriangles() + 1)])
        order = [0, 2, 1] if face.Orientation() == TopAbs_REVERSED else [0, 1, 2]
        faces.append(corners.reshape(-1, 3)[:, order] - 1 + count)
        count += mesh.NbNodes()
    return np.concatenate(vertices) * _METRES, np.concatenate(faces)


def _children(label):
    children = TDF_ChildIterator(label, False)
    while children.More():
        yield children.Value()
        children.Next()


def _entry(label):
    """Returns a text that is equal only for equal labels."""
    entry = TCollection_AsciiString()
    TDF_Tool.Entry_s(label, entry)
    return entry.ToCString()


def _name(label):
    name = TDataStd_Name()
    return name.Get().ToExtString() if label.FindAttribute(TDataStd_Name.GetID_s(), name) else ""
