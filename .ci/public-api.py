#!/usr/bin/env python3
"""The library's public API, a line for each item: `.ci/public-api.py` compares it with `docs/public-api.txt`, `--write` writes that.

From rustdoc's JSON, which is of nightly compilers (and of others with RUSTC_BOOTSTRAP=1); paths, fields, variants and the signatures of functions.
"""

import difflib
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).parents[1]
LISTING = ROOT / "docs" / "public-api.txt"
TARGET = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
RUSTDOC = ROOT / ".ci" / "nightly-rustdoc"
# Of rustdoc's JSON, that this was seen to read.
FORMATS = [57]


def documented():
    # As `cargo doc` of CI has it, which leaves what it takes to the next one. rustdoc alone has the nightly's options.
    command = ["cargo", "doc", "--workspace", "--no-deps", "--all-features"]
    options = "-Z unstable-options --output-format json --cap-lints allow"
    subprocess.run(command, cwd=ROOT, check=True, env={**os.environ, "RUSTDOC": str(RUSTDOC), "RUSTDOCFLAGS": options})
    return json.loads((TARGET / "doc" / "bvtree.json").read_text())


def type_text(kind):
    """A type as it is written, near enough to see that it changes."""
    if kind is None:
        return "()"
    [(what, value)] = kind.items() if isinstance(kind, dict) else [(kind, None)]
    if what == "resolved_path":
        return value.get("path", value.get("name", "?")).rsplit("::", 1)[-1] + arguments(value.get("args"))
    if what in ("primitive", "generic"):
        return value
    if what == "borrowed_ref":
        return "&" + ("mut " if value["is_mutable"] else "") + type_text(value["type"])
    if what == "slice":
        return f"[{type_text(value)}]"
    if what == "array":
        return f"[{type_text(value['type'])}; {value['len']}]"
    if what == "tuple":
        return "(" + ", ".join(map(type_text, value)) + ")"
    if what == "impl_trait":
        return "impl " + " + ".join(bound_text(bound) for bound in value)
    if what == "dyn_trait":
        return "dyn " + " + ".join(poly["trait"]["path"].rsplit("::", 1)[-1] + arguments(poly["trait"].get("args")) for poly in value["traits"])
    if what == "qualified_path":
        return f"{type_text(value['self_type'])}::{value['name']}"
    return what


def bound_text(bound):
    trait = bound.get("trait_bound")
    return trait["trait"]["path"].rsplit("::", 1)[-1] + arguments(trait["trait"].get("args")) if trait else "_"


def arguments(args):
    if not args:
        return ""
    if "angle_bracketed" in args:
        values = [type_text(arg["type"]) for arg in args["angle_bracketed"]["args"] if "type" in arg]
        return f"<{', '.join(values)}>" if values else ""
    if "parenthesized" in args:
        inputs = ", ".join(map(type_text, args["parenthesized"]["inputs"]))
        return f"({inputs}) -> {type_text(args['parenthesized']['output'])}"
    return ""


def signature(function):
    header, sig = function["header"], function["sig"]
    inputs = ", ".join(name if name == "self" else f"{name}: {type_text(kind)}" for name, kind in sig["inputs"])
    output = f" -> {type_text(sig['output'])}" if sig["output"] else ""
    return ("unsafe " if header["is_unsafe"] else "") + ("const " if header["is_const"] else "") + f"fn({inputs}){output}"


class Listing:
    def __init__(self, doc):
        self.index = doc["index"]
        self.lines = set()
        self.seen = set()
        self.walk(doc["root"], "bvtree")

    def walk(self, number, path):
        item = self.index.get(str(number))
        if item is None or (number, path) in self.seen:
            return
        self.seen.add((number, path))
        [(what, value)] = item["inner"].items()
        if what == "module":
            for child in value["items"]:
                self.member(child, path)
        elif what in ("struct", "enum", "trait", "union"):
            self.lines.add(f"{what} {path}")
            self.parts(what, value, path)

    def member(self, number, path, name=None):
        item = self.index.get(str(number))
        if item is None or item["visibility"] not in ("public", "default"):
            return
        [(what, value)] = item["inner"].items()
        name = f"{path}::{name or item['name']}"
        if what == "use":
            if value["id"] is not None:
                target = self.index.get(str(value["id"]))
                if value["is_glob"]:
                    self.walk(value["id"], path)
                elif target is not None and "module" in target["inner"]:
                    self.walk(value["id"], f"{path}::{value['name']}")
                elif target is not None:
                    self.member(value["id"], path, value["name"])
        elif what == "function":
            self.lines.add(f"{name}: {signature(value)}")
        elif what in ("constant", "static", "assoc_const"):
            self.lines.add(f"const {name}: {type_text(value.get('type'))}")
        elif what == "type_alias":
            self.lines.add(f"type {name} = {type_text(value['type'])}")
        elif what == "assoc_type":
            self.lines.add(f"type {name}")
        else:
            self.walk(number, name)

    def parts(self, what, value, path):
        fields = value.get("kind", {}) if what == "struct" else {}
        if isinstance(fields, dict):
            numbers = fields.get("plain", {}).get("fields", []) or fields.get("tuple", [])
            for number in filter(None, numbers):
                field = self.index.get(str(number))
                if field and field["visibility"] == "public":
                    self.lines.add(f"{path}.{field['name']}: {type_text(field['inner']['struct_field'])}")
        for number in value.get("variants", []):
            self.lines.add(f"{path}::{self.index[str(number)]['name']}")
        for number in value.get("items", []):
            self.member(number, path)
        for number in value.get("impls", []):
            block = self.index.get(str(number), {}).get("inner", {}).get("impl")
            if block is None or block["is_synthetic"] or block["blanket_impl"]:
                continue
            if block["trait"]:
                name = block["trait"]["path"].rsplit("::", 1)[-1]
                # What derives write beside the trait itself.
                if name != "StructuralPartialEq":
                    self.lines.add(f"impl {name}{arguments(block['trait'].get('args'))} for {path}")
            else:
                for child in block["items"]:
                    self.member(child, path)


def main():
    doc = documented()
    if doc["format_version"] not in FORMATS:
        message = f"rustdoc writes JSON of format {doc['format_version']} here, which was not looked at: the public API is not compared"
        if "public-api" not in os.environ.get("BVTREE_MAY_SKIP", "public-api").split(","):
            sys.exit(message)
        print(message)
        return
    lines = sorted(Listing(doc).lines)
    if "--write" in sys.argv[1:]:
        LISTING.write_text("\n".join(lines) + "\n")
        return
    known = LISTING.read_text().splitlines()
    changes = list(difflib.unified_diff(known, lines, "docs/public-api.txt", "the sources", lineterm="", n=0))
    if changes:
        print("\n".join(changes))
        sys.exit("the public API has changed: say so in CHANGELOG.md, and run .ci/public-api.py --write")


main()
