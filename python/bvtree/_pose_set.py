"""Poses to measure queries at, as arrays and files."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING, Iterable, List, Optional, Sequence

import numpy as np

from bvtree._bvtree import InvalidFile, InvalidPose, _sample_poses, relative_pose

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bvtree._bvtree import Tree
    from bvtree._types import Path, PoseLike

_FIELDS = "mesh_a mesh_b label r00 r01 r02 tx r10 r11 r12 ty r20 r21 r22 tz".split()


class PoseSet:
    """Poses of mesh B in A's frame, each with a label: the same poses for every kind of volume that is compared.

    Args:
        poses: (N, 4, 4) or another form of N poses.
        labels: A label for each pose; empty labels if None.

    Raises:
        InvalidPose: If a matrix is not a rotation and a translation.
        ValueError: If there are not as many labels as poses.

    Examples:
        >>> import bvtree
        >>> tree = bvtree.Tree(([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]]))
        >>> poses = bvtree.PoseSet.sample(tree, tree, separations=[0.05, -0.01], approaches=3, seed=1)
        >>> poses.labels
        ['sep=0.05', 'sep=0.05', 'sep=0.05', 'pen=0.01', 'pen=0.01', 'pen=0.01']
        >>> bvtree.intersects(tree, tree, poses.poses[:3])
        array([False, False, False])
    """

    def __init__(self, poses: PoseLike, labels: Optional[Iterable[str]] = None) -> None:
        # Checks the poses and brings them into one form.
        checked = relative_pose(np.eye(4), poses)
        #: (N, 4, 4) float64.
        self.poses: NDArray[np.float64] = checked.reshape(-1, 4, 4)
        #: A label for each pose.
        self.labels: List[str] = [""] * len(self.poses) if labels is None else list(labels)
        if len(self.labels) != len(self.poses):
            raise ValueError(f"{len(self.labels)} labels for {len(self.poses)} poses")

    @staticmethod
    def sample(
        a: Tree,
        b: Tree,
        *,
        separations: Sequence[float] = (0.05, 0.01, 0.001, -0.01),
        approaches: int = 25,
        seed: int = 0,
    ) -> PoseSet:
        """Draws poses at given separations, after Trenkel, Weller and Zachmann 2007. The Rust library's `PoseSet` and
        `bvtree compare` draw the same poses with the same seed, on every machine and for every kind of tree.

        Args:
            a, b: Trees of the meshes.
            separations: Distances from the touching pose, relative to the larger diagonal of the two boxes; negative
                to push B in. The labels contain them: `sep=0.01` or `pen=0.01`.
            approaches: Number of random lines along which B approaches A, with a pose for each separation. There are
                fewer if meshes hardly ever touch.
            seed: Seed of the random numbers.

        Raises:
            ValueError: If a separation is not between -1e6 and 1e6.
        """
        labels, poses = _sample_poses(a, b, list(separations), approaches, seed)
        return PoseSet(poses, labels)

    @staticmethod
    def open(path: Path) -> PoseSet:
        """Reads a file of poses: CSV rows of two mesh names, a label and the twelve numbers of [R | t], as `save`
        writes them and `bvtree query --poses` reads them. Lines that are blank or start with # are skipped.

        Raises:
            InvalidFile: If a row has other fields; the message names the line.
            InvalidPose: If a matrix is not a rotation and a translation.
            OSError: If the file cannot be read.
        """
        labels, rows = [], []
        with open(path, newline="", encoding="utf-8-sig") as file:
            for line, text in enumerate(file, 1):
                if not text.strip() or text.startswith("#"):
                    continue
                fields = next(csv.reader([text]))
                if len(fields) != len(_FIELDS):
                    raise InvalidFile(f"{path}: line {line}: {len(fields)} fields; expected {len(_FIELDS)}: {','.join(_FIELDS)}")
                try:
                    rows.append([float(field) for field in fields[3:]])
                except ValueError as error:
                    raise InvalidFile(f"{path}: line {line}: {error}") from None
                labels.append(fields[2])
        try:
            return PoseSet(np.array(rows, dtype=np.float64).reshape(-1, 3, 4), labels)
        except InvalidPose as error:
            raise InvalidPose(f"{path}: {error}") from None

    def save(self, path: Path) -> None:
        """Writes a file that `open` and `bvtree query --poses` read, without loss of precision.

        Raises:
            OSError: If the file cannot be written.
            ValueError: If a label has a line break.
        """
        for label in self.labels:
            if "\n" in label or "\r" in label:
                raise ValueError(f"the label {label!r} has a line break, which a file of poses cannot hold")
        with open(path, "w", newline="", encoding="utf-8") as file:
            file.write(f"# {','.join(_FIELDS)}\n")
            rows = csv.writer(file, lineterminator="\n")
            for label, pose in zip(self.labels, self.poses):
                rows.writerow(["", "", label, *map(repr, pose[:3].ravel().tolist())])

    def __len__(self) -> int:
        return len(self.poses)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PoseSet):
            return NotImplemented
        return self.labels == other.labels and np.array_equal(self.poses, other.poses)

    def __repr__(self) -> str:
        return f"<bvtree.PoseSet: {len(self)} poses>"
