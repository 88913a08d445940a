"""Elements of IFC files, by ifcopenshell's geometry iterator."""

from __future__ import annotations

import os
import tempfile
import warnings
import zipfile

import ifcopenshell
import ifcopenshell.geom
import ifcopenshell.util.element as of_element
import ifcopenshell.util.placement
import ifcopenshell.util.unit
import numpy as np

from bvtree.buildings._bodies import Element

# Classes derived from IfcElement or IfcProduct that are not built things.
LEFT_OUT = ("IfcFeatureElementSubtraction", "IfcVirtualElement", "IfcStructuralItem", "IfcAnnotation", "IfcGrid")
LEFT_OUT += ("IfcPort", "IfcPositioningElement", "IfcLinearElement", "IfcSpatialElement", "IfcSpatialStructureElement")


def grid(file):
    """Returns the straight axes of a file's grids in world coordinates (metres), by family: dicts of name and ends."""
    unit = ifcopenshell.util.unit.calculate_unit_scale(file)
    families = [[], [], []]
    for one in file.by_type("IfcGrid"):
        pose = ifcopenshell.util.placement.get_local_placement(one.ObjectPlacement)
        for family, axes in zip(families, (one.UAxes, one.VAxes, one.WAxes)):
            for axis in axes or ():
                ends = _ends(axis.AxisCurve)
                if axis.AxisTag and ends is not None:
                    ends = [(unit * (pose @ [*end, 0.0, 1.0])[:2]).tolist() for end in ends]
                    family.append({"name": axis.AxisTag, "ends": ends})
    return [family for family in families if family]


def _ends(curve):
    """Returns two points of a straight curve; None for any other curve."""
    if curve.is_a("IfcTrimmedCurve"):
        return _ends(curve.BasisCurve)
    if curve.is_a("IfcLine"):
        start, along = curve.Pnt.Coordinates[:2], curve.Dir.Orientation.DirectionRatios[:2]
        return [start, (start[0] + along[0], start[1] + along[1])]
    if curve.is_a("IfcPolyline") and len(curve.Points) == 2:
        return [point.Coordinates[:2] for point in curve.Points]
    if curve.is_a("IfcIndexedPolyCurve") and len(curve.Points.CoordList) == 2:
        return [point[:2] for point in curve.Points.CoordList]
    return None


def elements(file, path, include, exclude, threads, progress):
    """Yields the elements of a file that have triangles."""
    unwanted = {p for name in (*LEFT_OUT, *exclude) for p in _of_class(file, name, name in exclude)}
    unwanted -= {product for name in include for product in _of_class(file, name, True)}
    wanted = [p for p in file.by_type("IfcProduct") if p.Representation is not None and p not in unwanted]
    if not wanted:
        return
    settings = ifcopenshell.geom.settings()
    iterator = ifcopenshell.geom.iterator(settings, file, threads, include=wanted)
    file_name, count = os.path.basename(path), 0
    if iterator.initialize():
        while True:
            shape = iterator.get()
            count += 1
            yield _element(file, shape, file_name)
            if progress is not None:
                progress(min(count / len(wanted), 1.0))
            if not iterator.next():
                break
    if count < len(wanted):
        warnings.warn(f"{file_name}: {len(wanted) - count} of {len(wanted)} elements have no body", stacklevel=2)


def opened(path):
    with open(path, "rb") as file:
        start = file.read(4)
    if start == b"PK\x03\x04":
        with zipfile.ZipFile(path) as archive, tempfile.TemporaryDirectory() as folder:
            inside = [name for name in archive.namelist() if name.lower().endswith(".ifc")]
            if len(inside) != 1:
                raise ValueError(f"{path}: expected one .ifc file in the zip file, found {len(inside)}")
            return _read(archive.extract(inside[0], folder), path)
    if not start:
        raise ValueError(f"{path}: the file is empty")
    return _read(path, path)


def _read(path, name):
    try:
        return ifcopenshell.open(path)
    except (OSError, RuntimeError, ifcopenshell.Error) as error:
        raise ValueError(f"{name}: ifcopenshell cannot read it: {error}") from error


def _of_class(file, name, must_exist):
    try:
        return file.by_type(name)
    except RuntimeError:
        if must_exist:
            raise ValueError(f"{name} is not a class of {file.schema}") from None
        return []


def _element(file, shape, file_name):
    geometry = shape.geometry
    vertices = np.frombuffer(geometry.verts_buffer, dtype=np.float64).reshape(-1, 3)
    faces = np.frombuffer(geometry.faces_buffer, dtype=np.int32).reshape(-1, 3)
    pose = np.frombuffer(shape.transformation_buffer, dtype=np.float64).reshape(4, 4, order="F")
    product = file.by_id(shape.id)
    # The buffers belong to the iterator.
    return Element(properties(product, file_name), vertices.copy(), faces.copy(), pose.copy(), geometry.id)


def properties(product, file_name):
    """Returns the properties of an element that clash reports and rules may name, without unknown ones."""
    kind = of_element.get_type(product)
    host = _host(product)
    whole = of_element.get_aggregate(product)
    storey = of_element.get_container(product, ifc_class="IfcBuildingStorey")
    layers = [layer.Name for layer in of_element.get_layers(None, product) if layer.Name]
    material = of_element.get_material(product, should_skip_usage=True)
    groups = [group.Name for group in of_element.get_groups(product) if group.Name]
    known = {
        "GlobalId": product.GlobalId,
        "name": product.Name,
        "class": product.is_a(),
        "type": getattr(kind, "Name", None) or getattr(product, "ObjectType", None),
        "storey": getattr(storey, "Name", None),
        "file": file_name,
        "layer": ", ".join(dict.fromkeys(layers)),
        "material": getattr(material, "Name", None) or getattr(material, "LayerSetName", None),
        "system": ", ".join(dict.fromkeys(groups)),
        "tag": getattr(product, "Tag", None),
        "host": getattr(host, "GlobalId", None),
        "whole": getattr(whole, "GlobalId", None),
    }
    return {key: str(value) for key, value in known.items() if value}


def _host(product):
    """Returns the element whose opening this element fills, or of which this element is a feature."""
    for fills in getattr(product, "FillsVoids", None) or ():
        for voids in fills.RelatingOpeningElement.VoidsElements or ():
            return voids.RelatingBuildingElement
    for projects in getattr(product, "ProjectsElements", None) or ():
        return projects.RelatingElement
    return None
