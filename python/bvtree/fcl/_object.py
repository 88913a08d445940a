"""Transforms and posed objects."""

from typing import Any

import numpy as np

from bvtree import _bvtree as bv
from bvtree.fcl._model import Halfspace, body


class Transform:
    """A pose: `Transform()`, `Transform(R)`, `Transform(t)`, `Transform(R, t)`, `Transform(q, t)` or a copy.

    Rotations are (3, 3) matrices or (4,) quaternions w, x, y, z.
    """

    def __init__(self, *parts: Any) -> None:
        self._pose = np.eye(4)
        if len(parts) == 1 and isinstance(parts[0], Transform):
            self._pose = parts[0]._pose.copy()
        elif len(parts) == 1 and np.shape(parts[0]) == (3,):
            self.setTranslation(parts[0])
        elif len(parts) in (1, 2):
            turn = np.asarray(parts[0], dtype=np.float64)
            if turn.shape not in ((3, 3), (4,)):
                raise ValueError("Invalid input to Transform().")
            self.setRotation(turn) if turn.shape == (3, 3) else self.setQuatRotation(turn)
            if len(parts) == 2:
                self.setTranslation(parts[1])
        elif parts:
            raise ValueError("Too many arguments to Transform().")

    def getRotation(self) -> Any:
        return self._pose[:3, :3].copy()

    def getTranslation(self) -> Any:
        return self._pose[:3, 3].copy()

    def getQuatRotation(self) -> Any:
        """Returns the quaternion w, x, y, z, (4,)."""
        m = self._pose[:3, :3]
        # The eigenvector of the largest eigenvalue (Bar-Itzhack 2000) is accurate for every rotation.
        k = np.array(
            [
                [m[0, 0] + m[1, 1] + m[2, 2], m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1]],
                [m[2, 1] - m[1, 2], m[0, 0] - m[1, 1] - m[2, 2], m[1, 0] + m[0, 1], m[2, 0] + m[0, 2]],
                [m[0, 2] - m[2, 0], m[1, 0] + m[0, 1], m[1, 1] - m[0, 0] - m[2, 2], m[2, 1] + m[1, 2]],
                [m[1, 0] - m[0, 1], m[2, 0] + m[0, 2], m[2, 1] + m[1, 2], m[2, 2] - m[0, 0] - m[1, 1]],
            ]
        )
        found = np.linalg.eigh(k)[1][:, 3]
        return found if found[0] >= 0 else -found

    def setRotation(self, R: Any) -> None:
        self._pose[:3, :3] = R

    def setTranslation(self, T: Any) -> None:
        translation = np.asarray(T, dtype=np.float64).squeeze()
        if translation.shape != (3,):
            raise ValueError("Translation must be (3,).")
        self._pose[:3, 3] = translation

    def setQuatRotation(self, q: Any) -> None:
        w, x, y, z = np.asarray(q, dtype=np.float64)
        self._pose[:3, :3] = bv.pose_from_quaternion([x, y, z, w])[:3, :3]


class CollisionObject(Transform):
    """A `BVHModel`, `Convex`, shape or half-space at a pose."""

    def __init__(self, geom: Any, tf: Any = None) -> None:
        super().__init__(*([] if tf is None else [tf]))
        if not hasattr(geom, "tree") or body(geom) is None and not isinstance(geom, Halfspace):
            raise TypeError("expected a shape, a Convex, or a BVHModel after endModel()")
        self.geom = geom

    def getTransform(self) -> Any:
        return Transform(self)

    def setTransform(self, tf: Any) -> None:
        self._pose = tf._pose.copy()

    def isFree(self) -> Any:
        return False

    def isOccupied(self) -> Any:
        return True

    def isUncertain(self) -> Any:
        return False
