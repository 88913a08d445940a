"""IFC and STEP files, converted to manifests of `bvtree clash`."""

from __future__ import annotations

import hashlib
import importlib.metadata
import os
from typing import Callable, Iterable, Optional

from bvtree import _bvtree as bv
from bvtree.buildings._bodies import MANIFEST, write_bodies
from bvtree.buildings._cache import Cache

IFC = (".ifc", ".ifczip", ".ifcxml")
STEP = (".step", ".stp")

# Raise this when the same file and options give other bodies than before.
_FORMAT = 2


def convert(
    path: str,
    *,
    label: Optional[str] = None,
    snap: float = 0.0001,
    include: Iterable[str] = (),
    exclude: Iterable[str] = (),
    threads: Optional[int] = None,
    progress: Optional[Callable[[float], object]] = None,
    cache: Optional[Cache] = None,
) -> str:
    """Converts an IFC or STEP file to a manifest of `bvtree clash`, or finds the manifest of an earlier conversion.

    In an IFC file, every IfcElement with a shape becomes a body, except openings and virtual elements; places are named
    by the straight axes of the file's grids. In a STEP file (`.step`, `.stp`), every part becomes a body in each place
    where an assembly has it; its surface is at most 0.1 mm from the triangles. Lengths are in metres.

    Args:
        path: An IFC file, or one in a zip file (`.ifczip`); or a STEP file.
        label: The first part of the bodies' names, by default the file's name without its extension.
        snap: World coordinates are rounded to multiples of this length (see `snapped`); 0 rounds nothing.
        include: IFC classes to include as well, such as IfcSpace or IfcSite. STEP files have no classes.
        exclude: IFC classes to leave out.
        threads: The number of threads, by default one per core.
        progress: Called with the fraction that is done.
        cache: Where the result is kept.

    Returns:
        The path of the manifest, in the cache.

    Raises:
        FileNotFoundError: If there is no such file.
        ModuleNotFoundError: If ifcopenshell, or cadquery-ocp-novtk for STEP files, is not installed.
        ValueError: If the file is not IFC or STEP, or a class is not one of its schema.
    """
    include, exclude = sorted(include), sorted(exclude)
    label = os.path.splitext(os.path.basename(path))[0] if label is None else label
    key = cache_key(path, label, snap, include, exclude)

    def make(folder):
        if path.lower().endswith(STEP):
            from bvtree.buildings import _step

            elements, grid = _step.elements(_step.opened(path), path, progress), ()
        else:
            from bvtree.buildings import _ifc

            file = _ifc.opened(path)
            elements = _ifc.elements(file, path, include, exclude, threads or os.cpu_count() or 1, progress)
            grid = _ifc.grid(file)
        write_bodies(elements, folder, label=label, snap=snap, grid=grid)

    return os.path.join((cache or Cache()).get(key, make), MANIFEST)


def cache_key(path, label, snap, include, exclude):
    """Returns a digest of everything that a file's manifest depends on."""
    whole = hashlib.sha256()
    what, package, extra = ("STEP", "cadquery-ocp-novtk", "step") if path.lower().endswith(STEP) else ("IFC", "ifcopenshell", "ifc")
    try:
        converter = importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError as error:
        raise ModuleNotFoundError(f'{what} files need {package}: pip install "./python[{extra}]"') from error
    options = (_FORMAT, bv.__version__, converter, os.path.basename(path), label, float(snap), include, exclude)
    whole.update(repr(options).encode())
    with open(path, "rb") as file:
        for block in iter(lambda: file.read(1 << 20), b""):
            whole.update(block)
    return f"{what.lower()}-{whole.hexdigest()[:32]}"
