"""Contacts and distances between two objects."""

from __future__ import annotations

from typing import Any, Hashable, Sequence, Set

import numpy as np
from numpy.typing import NDArray


class ContactData:
    """A contact of two objects.

    Attributes:
        names: The set of both objects' names.
        point: (3,) float64, in the world.
        normal: (3,) float64 unit vector, in the world.
        depth: float, the penetration depth.
    """

    def __init__(
        self,
        names: Sequence[Any],
        faces: Sequence[int],
        point: NDArray[np.float64],
        normal: NDArray[np.float64],
        depth: float,
    ) -> None:
        self.names: Set[Any] = set(names)
        self.point = point
        self.normal = normal
        self.depth = depth
        self._faces = dict(zip(names, faces))

    def index(self, name: Hashable) -> int:
        """Returns the index of an object's face in contact.

        Args:
            name: The name of one of the two objects.

        Raises:
            KeyError: If neither object has this name.
        """
        return self._faces[name]


class DistanceData:
    """The least distance between two objects.

    Attributes:
        names: The set of both objects' names.
        distance: float; minus the penetration depth if two convex meshes overlap.
    """

    def __init__(
        self, names: Sequence[Any], faces: Sequence[int], points: Sequence[NDArray[np.float64]], distance: float
    ) -> None:
        self.names: Set[Any] = set(names)
        self.distance = distance
        self._faces = dict(zip(names, faces))
        self._points = dict(zip(names, points))

    def index(self, name: Hashable) -> int:
        """Returns the index of an object's closest face.

        Args:
            name: The name of one of the two objects.

        Raises:
            KeyError: If neither object has this name.
        """
        return self._faces[name]

    def point(self, name: Hashable) -> NDArray[np.float64]:
        """Returns an object's closest point, (3,) in the world.

        Args:
            name: The name of one of the two objects.

        Raises:
            KeyError: If neither object has this name.
        """
        return self._points[name]
