"""Rounding of world coordinates, so that noise of an export does not become an overlap."""

from __future__ import annotations

import math
from typing import Tuple

import numpy as np
from numpy.typing import ArrayLike, NDArray


def snapped(points: ArrayLike, step: float) -> Tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Rounds world coordinates to multiples of a step, in float64.

    Faces of two bodies that are less than half a step apart mostly fall onto each other, and then touch exactly. For
    this, the multiples are rounded once more, to multiples of a grid length: a power of two of at most a sixteenth of
    the step. float32 then holds the local coordinates without another rounding, as long as they are within 16 million
    grid lengths of the origin (64 m for a step of 0.1 mm).

    Args:
        points: World coordinates, (N, 3).
        step: The step, in the unit of the coordinates; 0 rounds nothing.

    Returns:
        Local coordinates and the origin to add to them. The origin is the middle of the points' box, rounded to a
        multiple of the same grid length.

    Raises:
        ValueError: If the step is negative or not finite.

    >>> local, origin = snapped([[0.99999999, 0, 0], [3.00000001, 0, 0]], 0.0001)
    >>> (local + origin)[:, 0].tolist()
    [1.0, 3.0]
    """
    if not 0 <= step < math.inf:
        raise ValueError("step: expected a finite number that is not negative")
    world = np.asarray(points, dtype=np.float64).reshape(-1, 3)
    fine = 0.0
    if step > 0:
        fine = 2.0 ** math.floor(math.log2(step / 16))
        world = np.rint(np.rint(world / step) * step / fine) * fine
    middle = (world.min(axis=0) + world.max(axis=0)) / 2 if len(world) else np.zeros(3)
    origin = np.rint(middle / fine) * fine if fine else middle
    return world - origin, origin
