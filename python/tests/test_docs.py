"""The docs' examples give what they say; everything public has docs and types."""

import ast
import doctest
import importlib
import inspect
import os
import pathlib
import subprocess
import sys

import pytest

import bvtree
import bvtree._bvtree
import bvtree._tables

PACKAGE = pathlib.Path(bvtree.__file__).parent
README = pathlib.Path(__file__).parents[1] / "README.md"
BOOK = pathlib.Path(__file__).parents[2] / "docs/book/src"


def public(package=bvtree):
    """Names and objects, with the classes' own members."""
    for name in package.__all__:
        thing = getattr(package, name)
        yield name, thing
        if inspect.isclass(thing) and not issubclass(thing, Exception):
            for member, value in vars(thing).items():
                if not member.startswith("_"):
                    yield f"{name}.{member}", value


def test_examples_of_the_compiled_module():
    runner, finder = doctest.DocTestRunner(), doctest.DocTestFinder()
    parser = doctest.DocTestParser()
    for name, thing in public():
        if isinstance(thing, str):
            continue
        text = inspect.getdoc(thing) or ""
        test = parser.get_doctest(text, {}, name, None, 0)
        assert runner.run(test).failed == 0, name
    assert runner.summarize().attempted > 10
    assert finder.find(bvtree._tables)


@pytest.mark.parametrize("module", ["bvtree", "bvtree._pose_set", "bvtree._view", "bvtree.buildings._snap", "bvtree.trimesh._manager"])
def test_examples_of_modules(module):
    if module.startswith("bvtree.trimesh"):
        pytest.importorskip("trimesh")
    result = doctest.testmod(importlib.import_module(module))
    assert result.failed == 0 and result.attempted > 0


def test_packages_tell_what_they_have():
    """Names are found where they always were, and `help` tells of them."""
    for name, members in {"bvtree.fcl": 25, "bvtree.trimesh": 7, "bvtree.cluster": 3, "bvtree.buildings": 5}.items():
        package = importlib.import_module(name)
        assert len(package.__all__) == members and inspect.getdoc(package)
        for member in package.__all__:
            assert inspect.getdoc(getattr(package, member)), member


def test_examples_of_the_readme(monkeypatch):
    monkeypatch.chdir(README.parents[1])
    # Exceptions are told with the module they are from.
    result = doctest.testfile(str(README), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert result.failed == 0 and result.attempted > 20
    assert os.getcwd()


@pytest.mark.parametrize("page", sorted(BOOK.glob("*.md")), ids=lambda page: page.stem)
def test_examples_of_the_book(page, monkeypatch):
    if "trimesh" in page.stem:
        pytest.importorskip("trimesh")
    monkeypatch.chdir(README.parents[1])
    assert doctest.testfile(str(page), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE).failed == 0


def test_everything_has_docs():
    for name, thing in public():
        assert isinstance(thing, str) or inspect.getdoc(thing), name


@pytest.mark.parametrize("package", ["bvtree", "bvtree.trimesh", "bvtree.cluster", "bvtree.buildings"])
def test_defaults_and_errors_are_told(package):
    """`help` has each default as it is, and what whatever takes arguments raises."""
    if package == "bvtree.trimesh":
        pytest.importorskip("trimesh")
    for name, thing in public(importlib.import_module(package)):
        thing = getattr(thing, "__func__", thing)
        if not callable(thing) or inspect.isclass(thing) and issubclass(thing, Exception):
            continue
        arguments = [p for p in inspect.signature(thing).parameters.values() if p.name != "self"]
        assert ... not in [argument.default for argument in arguments], name
        is_data = name in ("ContactData", "DistanceData")
        assert is_data or not arguments or "Raises:" in inspect.getdoc(thing), name


@pytest.mark.parametrize("package", ["bvtree", "bvtree.fcl", "bvtree.trimesh", "bvtree.cluster", "bvtree.buildings"])
def test_python_has_types(package):
    """So that a checker as strict as can be accepts calls of it."""
    package = importlib.import_module(package)
    things = [getattr(package, name) for name in package.__all__]
    for thing in things:
        members = list(vars(thing).values()) if inspect.isclass(thing) else [thing]
        public = lambda function: function.__name__ == "__init__" or not function.__name__.startswith("_")
        for function in filter(public, filter(inspect.isfunction, members)):
            arguments = set(inspect.signature(function).parameters) - {"self"}
            assert arguments | {"return"} <= set(function.__annotations__), function


def test_everything_has_types():
    """As `stubtest` of mypy would tell in detail."""
    assert (PACKAGE / "py.typed").exists()
    stub = ast.parse((PACKAGE / "_bvtree.pyi").read_text())
    typed = {}
    for node in stub.body:
        if isinstance(node, ast.FunctionDef):
            typed[node.name] = [a.arg for a in node.args.args + node.args.kwonlyargs]
        elif isinstance(node, ast.ClassDef):
            for member in node.body:
                if isinstance(member, ast.FunctionDef):
                    arguments = [a.arg for a in member.args.args + member.args.kwonlyargs if a.arg != "self"]
                    typed[f"{node.name}.{member.name}"] = arguments
    for name, thing in public():
        is_python = name.startswith("PoseSet.") or thing in (bvtree.to_pandas, bvtree.view)
        if isinstance(thing, str) or inspect.isclass(thing) or is_python:
            continue
        assert name in typed, name
        if callable(thing):
            arguments = [p.name for p in inspect.signature(thing).parameters.values() if p.name != "self"]
            assert typed[name] == [a for a in arguments if a != "options"], name


def test_subpackages_are_imported_when_they_are_used():
    program = "import bvtree; assert bvtree.fcl.BVHModel and bvtree.trimesh.CollisionManager; bvtree.nothing"
    done = subprocess.run([sys.executable, "-c", program], stderr=subprocess.PIPE, text=True)
    assert done.stderr.endswith("AttributeError: module 'bvtree' has no attribute 'nothing'\n")
