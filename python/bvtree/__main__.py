"""The program `bvtree`, as `python -m bvtree` and as the command `bvtree`."""

import sys

from bvtree._bvtree import _run_program


def main() -> int:
    return _run_program(["bvtree", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
