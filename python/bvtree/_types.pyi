"""Types of arguments and results."""

import os
from typing import Any, Callable, Dict, Literal, Optional, Protocol, Tuple, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bvtree._bvtree import ConvexShape, Mesh

class HasFaces(Protocol):
    @property
    def vertices(self) -> Any: ...
    @property
    def faces(self) -> Any: ...

class HasTriangles(Protocol):
    @property
    def vertices(self) -> Any: ...
    @property
    def triangles(self) -> Any: ...

class HasTensors(Protocol):
    @property
    def vertex(self) -> Any: ...
    @property
    def triangle(self) -> Any: ...

MeshLike = Union[Mesh, Tuple[ArrayLike, ArrayLike], HasFaces, HasTriangles, HasTensors]
#: A (4, 4) or (3, 4) matrix, N of them, or a tuple of rotations and translations.
PoseLike = Union[ArrayLike, Tuple[ArrayLike, ArrayLike]]
Kind = Literal["aabb", "obb", "sphere", "kdop"]
Preset = Literal["fast", "balanced", "tight"]
#: Whether a mesh is a surface or a solid; an open mesh is an error if True, and stays a surface if "if_closed".
Solid = Union[bool, Literal["if_closed"]]
#: A choice for both meshes, or one for A and one for B; "robust" gives open meshes an inside.
RobustSolids = Union[Solid, Literal["robust"], Tuple[Union[Solid, Literal["robust"]], Union[Solid, Literal["robust"]]]]
#: Layers of A's triangles and of B's, as bits; None is all.
Masks = Tuple[Optional[int], Optional[int]]
Path = Union[str, "os.PathLike[str]"]
#: One result for a single item, an array for many.
Bools = Union[bool, NDArray[np.bool_]]
Ints = Union[int, NDArray[np.int64]]
Floats = Union[float, NDArray[np.float64]]
#: One record with named fields, or an array of them.
Records = Any
#: An array of results; for many items, a tuple of offsets and one array of all results.
Lists = Union[NDArray[Any], Tuple[NDArray[np.int64], NDArray[Any]]]
Table = Dict[str, NDArray[Any]]

class OwnVolume(Protocol):
    """A bounding volume of your own; `volume_metrics` says what else it may have."""

    @property
    def volume(self) -> float: ...
    @property
    def surface_area(self) -> float: ...
    @property
    def aabb(self) -> ArrayLike: ...
    def contains(self, point: NDArray[np.float64], /) -> Any: ...
    def meets_line(self, point: NDArray[np.float64], direction: NDArray[np.float64], /) -> Any: ...

#: A function that fits a volume to points: a convex shape, the points whose hull it is, or an object of your own.
FitVolume = Callable[[NDArray[np.float64]], Union[ConvexShape, ArrayLike, OwnVolume]]
