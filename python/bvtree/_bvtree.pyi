"""Types of the compiled module. For documentation see its docstrings: `help(bvtree.intersects)`."""

import math
from typing import Any, Callable, Dict, Iterable, List, Literal, Mapping, Optional, Tuple, Union, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bvtree._types import Bools, FitVolume, Floats, Ints, Kind, Lists, Masks, MeshLike, Path, PoseLike, Preset, Records, RobustSolids, Solid, Table

__all__ = [
    "_clash_issues",
    "_rules_as_json",
    "_same_parts",
    "Character",
    "Compound",
    "ConvexShape",
    "DeformingTree",
    "DistanceTracker",
    "Error",
    "InvalidFile",
    "InvalidMesh",
    "InvalidPose",
    "JointPath",
    "Mesh",
    "NotClosed",
    "Robot",
    "Scene",
    "Tree",
    "World",
    "__version__",
    "_DividedMesh",
    "_build_tile",
    "_run_program",
    "_sample_poses",
    "_viewer",
    "closest_points",
    "compare",
    "contact_manifolds",
    "contact_patches",
    "contacts",
    "count_pairs",
    "distance",
    "first_hit",
    "free_interval_along",
    "hausdorff_distance",
    "intersecting_pairs",
    "intersection_curves",
    "intersects",
    "metrics",
    "overlap_depth",
    "overlap_regions",
    "pairs_within",
    "penetration",
    "penetration_along",
    "penetration_depth",
    "pose_from_axis_angle",
    "pose_from_euler_angles",
    "pose_from_quaternion",
    "pose_from_translation",
    "relation",
    "relative_pose",
    "self_pairs",
    "time_of_impact",
    "volume_metrics",
    "volume_query_cost",
    "within",
]
__version__: str

class Error(ValueError): ...
class InvalidMesh(Error): ...
class InvalidPose(Error): ...
class InvalidFile(Error): ...
class NotClosed(Error):
    open_edges: int

@final
class Mesh:
    def __new__(cls, vertices: ArrayLike, faces: ArrayLike) -> Mesh: ...
    @staticmethod
    def open(
        path: Path,
        *,
        weld: Optional[bool] = None,
        up: Optional[Literal["x", "y", "z"]] = None,
        scale: float = 1.0,
        group_by: Literal["object", "material", "both"] = "object",
    ) -> Mesh: ...
    @staticmethod
    def from_object(object: MeshLike) -> Mesh: ...
    @staticmethod
    def _from_parts(
        vertices: ArrayLike, faces: ArrayLike, polygons: NDArray[np.uint32], groups: List[Tuple[str, str, int]], origin: List[float]
    ) -> Mesh: ...
    @property
    def vertices(self) -> NDArray[np.float32]: ...
    @property
    def faces(self) -> NDArray[np.uint32]: ...
    @property
    def bounds(self) -> NDArray[np.float64]: ...
    def report(self) -> Dict[str, Union[int, bool]]: ...
    def mass_properties(self) -> Dict[str, Any]: ...
    def __len__(self) -> int: ...
    def __copy__(self) -> Mesh: ...
    def __deepcopy__(self, _memo: Any) -> Mesh: ...
    def __reduce__(self) -> Tuple[Any, ...]: ...

@final
class Tree:
    def __new__(
        cls,
        mesh: MeshLike,
        kind: Kind = "obb",
        *,
        preset: Preset = "balanced",
        threads: Optional[int] = None,
        **options: Any,
    ) -> Tree: ...
    @staticmethod
    def cook(
        mesh: MeshLike,
        path: Path,
        kind: Kind = "obb",
        *,
        preset: Preset = "balanced",
        threads: Optional[int] = None,
        **options: Any,
    ) -> Tree: ...
    @staticmethod
    def open(path: Path, *, mmap: bool = False) -> Tree: ...
    @staticmethod
    def from_bytes(data: bytes) -> Tree: ...
    def save(self, path: Path, *, compact: bool = False) -> None: ...
    def to_bytes(self, *, compact: bool = False) -> bytes: ...
    def to_mesh(self) -> Mesh: ...
    @property
    def kind(self) -> Kind: ...
    @property
    def options(self) -> Dict[str, Any]: ...
    @property
    def bounds(self) -> NDArray[np.float64]: ...
    @property
    def node_count(self) -> int: ...
    @property
    def depth(self) -> int: ...
    @property
    def leaf_count(self) -> int: ...
    @property
    def nbytes(self) -> int: ...
    @property
    def is_closed(self) -> bool: ...
    @property
    def groups(self) -> List[Tuple[str, int]]: ...
    @property
    def group_ids(self) -> Tuple[List[str], NDArray[np.int64]]: ...
    @property
    def material_ids(self) -> Tuple[List[str], NDArray[np.int64]]: ...
    def set_layers(self, layers: ArrayLike, one_sided: Optional[ArrayLike] = None) -> None: ...
    @property
    def mesh_digest(self) -> str: ...
    def nodes(self) -> NDArray[Any]: ...
    @property
    def leaf_order(self) -> NDArray[np.uint32]: ...
    def closest_hit(
        self, origins: ArrayLike, directions: ArrayLike, *, max_time: float = math.inf,
        mask: Optional[int] = None, threads: Optional[int] = None
    ) -> Records: ...
    def any_hit(
        self, origins: ArrayLike, directions: ArrayLike, *, max_time: float = math.inf,
        mask: Optional[int] = None, threads: Optional[int] = None
    ) -> Bools: ...
    def all_hits(
        self, origins: ArrayLike, directions: ArrayLike, *, max_time: float = math.inf,
        mask: Optional[int] = None, threads: Optional[int] = None
    ) -> Lists: ...
    def closest_point(
        self, points: ArrayLike, *, max_distance: float = math.inf,
        mask: Optional[int] = None, threads: Optional[int] = None
    ) -> Records: ...
    def intersects_convex(
        self, shape: ConvexShape, poses: Optional[PoseLike] = None, *, threads: Optional[int] = None
    ) -> Bools: ...
    def closest_to_convex(
        self,
        shape: ConvexShape,
        pose: Optional[PoseLike] = None,
        *,
        max_distance: float = math.inf,
        mask: Optional[int] = None,
        threads: Optional[int] = None,
    ) -> Records: ...
    def cast_convex(
        self,
        shape: ConvexShape,
        displacement: ArrayLike,
        pose: Optional[PoseLike] = None,
        *,
        tolerance: float = 0.0,
        mask: Optional[int] = None,
        threads: Optional[int] = None,
    ) -> Records: ...
    def faces_in_convex(self, shape: ConvexShape, pose: Optional[PoseLike] = None) -> NDArray[np.int64]: ...
    def convex_contacts(
        self,
        shape: ConvexShape,
        pose: Optional[PoseLike] = None,
        *,
        max_distance: float = 0.0,
        mask: Optional[int] = None,
        threads: Optional[int] = None,
    ) -> Lists: ...
    def closest_convex_contact(
        self,
        shape: ConvexShape,
        pose: Optional[PoseLike] = None,
        *,
        max_distance: float = math.inf,
        mask: Optional[int] = None,
        threads: Optional[int] = None,
    ) -> Records: ...
    def convex_contact_manifolds(
        self,
        shape: ConvexShape,
        margin: float,
        pose: Optional[PoseLike] = None,
        *,
        threads: Optional[int] = None,
    ) -> Lists: ...
    def support_point(
        self, directions: ArrayLike, *, mask: Optional[int] = None, threads: Optional[int] = None
    ) -> Records: ...
    def contains(self, points: ArrayLike, *, surface: bool = True, threads: Optional[int] = None) -> Bools: ...
    def contains_robust(self, points: ArrayLike, *, threads: Optional[int] = None) -> Floats: ...
    def signed_distance(self, points: ArrayLike, *, threads: Optional[int] = None) -> Floats: ...
    def winding_number(self, points: ArrayLike, *, threads: Optional[int] = None) -> Floats: ...
    def cast_sphere(
        self,
        centers: ArrayLike,
        displacements: ArrayLike,
        radius: float,
        *,
        tolerance: float = 0.0,
        mask: Optional[int] = None,
        threads: Optional[int] = None,
    ) -> Records: ...
    def faces_in_aabb(self, lower: ArrayLike, upper: ArrayLike) -> NDArray[np.int64]: ...
    def faces_in_sphere(self, center: ArrayLike, radius: float) -> NDArray[np.int64]: ...
    def __len__(self) -> int: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __copy__(self) -> Tree: ...
    def __deepcopy__(self, _memo: Any) -> Tree: ...
    def __reduce__(self) -> Tuple[Any, ...]: ...

@final
class DistanceTracker:
    def __new__(cls, a: Tree, b: Tree, *, solid: RobustSolids = False) -> DistanceTracker: ...
    def distance(self, b_to_a: Optional[PoseLike] = None) -> Floats: ...
    def closest_points(self, b_to_a: Optional[PoseLike] = None) -> Records: ...

@final
class DeformingTree:
    def __new__(
        cls,
        mesh: MeshLike,
        kind: Kind = "obb",
        *,
        preset: Preset = "balanced",
        threads: Optional[int] = None,
        rebuild_above: Optional[float] = None,
        obb_axes: Literal["kept", "turned", "refitted"] = "turned",
        **options: Any,
    ) -> DeformingTree: ...
    def refit(self, vertices: ArrayLike) -> Dict[str, Any]: ...
    def refit_moved(self, indices: ArrayLike, vertices: ArrayLike) -> Dict[str, Any]: ...
    def rebuild(self) -> None: ...
    @property
    def tree(self) -> Tree: ...
    @property
    def mesh(self) -> Mesh: ...
    @property
    def cost_ratio(self) -> float: ...

@final
class Robot:
    def __new__(cls) -> Robot: ...
    @staticmethod
    def from_urdf(
        urdf: Path,
        srdf: Optional[Path] = None,
        package_dirs: Iterable[Path] = (),
        *,
        surfaces: bool = False,
        open_meshes: Literal["solid", "surface", "hull", "error"] = "solid",
        turn_collada_up: bool = False,
        cache: Optional[Path] = None,
    ) -> Robot: ...
    @staticmethod
    def from_pinocchio(
        model: Any,
        geometry_model: Any,
        *,
        surfaces: bool = False,
        open_meshes: Literal["solid", "surface", "hull", "error"] = "solid",
    ) -> Robot: ...
    @property
    def name(self) -> str: ...
    @property
    def joints(self) -> List[str]: ...
    @property
    def limits(self) -> NDArray[np.float64]: ...
    @property
    def links(self) -> List[str]: ...
    @property
    def bodies(self) -> List[str]: ...
    @property
    def pairs(self) -> List[Tuple[str, str]]: ...
    @property
    def groups(self) -> Dict[str, List[str]]: ...
    def state(self, group: str, state: str, rest: Optional[ArrayLike] = None) -> NDArray[np.float64]: ...
    def with_group(self, joints: Union[str, Iterable[str]], rest: Optional[ArrayLike] = None) -> Robot: ...
    def allow(self, a: str, b: str) -> None: ...
    def set_margin(self, a: str, b: str, margin: float) -> None: ...
    def attach(
        self, name: str, link: str, tree: Tree, pose: Optional[PoseLike] = None, *, touched: Iterable[str] = ()
    ) -> None: ...
    def detach(self, name: str) -> None: ...
    def never_colliding(
        self,
        margin: float = 0.0,
        *,
        limits: Optional[ArrayLike] = None,
        budget: int = 1000,
        threads: Optional[int] = None,
    ) -> List[Tuple[str, str]]: ...
    def to_srdf(
        self,
        margin: float = 0.0,
        *,
        limits: Optional[ArrayLike] = None,
        budget: int = 1000,
        threads: Optional[int] = None,
    ) -> str: ...
    def place(self, Q: ArrayLike) -> NDArray[np.float64]: ...
    def free(
        self,
        Q: Optional[ArrayLike] = None,
        world: Optional[World] = None,
        margin: float = 0.0,
        threads: Optional[int] = None,
        *,
        poses: Optional[ArrayLike] = None,
    ) -> Bools: ...
    def within(
        self,
        Q: Optional[ArrayLike] = None,
        distance: float = 0.0,
        world: Optional[World] = None,
        threads: Optional[int] = None,
        *,
        poses: Optional[ArrayLike] = None,
    ) -> Bools: ...
    def colliding(
        self,
        Q: Optional[ArrayLike] = None,
        world: Optional[World] = None,
        margin: float = 0.0,
        threads: Optional[int] = None,
        *,
        poses: Optional[ArrayLike] = None,
    ) -> Tuple[NDArray[np.int64], NDArray[np.int64]]: ...
    def distance(
        self,
        Q: Optional[ArrayLike] = None,
        world: Optional[World] = None,
        upper_bound: float = math.inf,
        threads: Optional[int] = None,
        *,
        poses: Optional[ArrayLike] = None,
    ) -> Floats: ...
    def closest(
        self,
        Q: Optional[ArrayLike] = None,
        world: Optional[World] = None,
        upper_bound: float = math.inf,
        threads: Optional[int] = None,
        *,
        poses: Optional[ArrayLike] = None,
    ) -> Tuple[Floats, NDArray[np.int64]]: ...
    def first_blocked(
        self,
        q0: ArrayLike,
        q1: ArrayLike,
        world: Optional[World] = None,
        steps: int = 128,
        *,
        margin: float = 0.0,
        threads: Optional[int] = None,
    ) -> Union[int, NDArray[np.int64], None]: ...
    def first_impact(
        self,
        q0: ArrayLike,
        q1: ArrayLike,
        world: Optional[World] = None,
        clearance: float = 0.0,
        *,
        tolerance: float = 1e-5,
        threads: Optional[int] = None,
    ) -> Union[float, NDArray[np.float64], None]: ...
    def first_blocked_on(
        self,
        path: Union[JointPath, ArrayLike],
        world: Optional[World] = None,
        steps: int = 128,
        *,
        margin: float = 0.0,
        threads: Optional[int] = None,
    ) -> Optional[Tuple[int, int]]: ...
    def first_impact_on(
        self,
        path: Union[JointPath, ArrayLike],
        world: Optional[World] = None,
        clearance: float = 0.0,
        *,
        tolerance: float = 1e-5,
        threads: Optional[int] = None,
    ) -> Optional[Tuple[int, float]]: ...
    def interpolate_on(
        self, path: Union[JointPath, ArrayLike], piece: int, parameter: float
    ) -> NDArray[np.float64]: ...

@final
class JointPath:
    def __new__(cls, configurations: ArrayLike) -> JointPath: ...
    @staticmethod
    def bezier(control_points: ArrayLike) -> JointPath: ...
    @staticmethod
    def hermite(
        times: ArrayLike,
        positions: ArrayLike,
        velocities: ArrayLike,
        accelerations: Optional[ArrayLike] = None,
    ) -> JointPath: ...
    @staticmethod
    def polynomials(times: ArrayLike, coefficients: ArrayLike) -> JointPath: ...
    def __len__(self) -> int: ...

@final
class World:
    def __new__(cls) -> World: ...
    @property
    def names(self) -> List[str]: ...
    def add_mesh(
        self, tree: Tree, pose: Optional[PoseLike] = None, *, name: Optional[str] = None, surface: bool = False
    ) -> int: ...
    def add_box(self, size: ArrayLike, pose: Optional[PoseLike] = None, *, name: Optional[str] = None) -> int: ...
    def add_sphere(self, radius: float, pose: Optional[PoseLike] = None, *, name: Optional[str] = None) -> int: ...
    def add_cylinder(
        self, radius: float, length: float, pose: Optional[PoseLike] = None, *, name: Optional[str] = None
    ) -> int: ...
    def add_points(self, points: ArrayLike, radius: float, *, name: Optional[str] = None) -> int: ...
    def allow(self, link: str, object: str) -> None: ...
    def set_margin(self, object: str, margin: float) -> None: ...

@final
class ConvexShape:
    def __new__(cls, points: ArrayLike) -> ConvexShape: ...
    @staticmethod
    def box(size: ArrayLike) -> ConvexShape: ...
    @staticmethod
    def sphere(radius: float) -> ConvexShape: ...
    @staticmethod
    def cylinder(radius: float, length: float) -> ConvexShape: ...
    @staticmethod
    def capsule(radius: float, length: float) -> ConvexShape: ...
    @staticmethod
    def cone(radius: float, length: float) -> ConvexShape: ...
    def rounded(self, radius: float) -> ConvexShape: ...
    def mass_properties(self) -> Dict[str, Any]: ...
    def support_point(self, directions: ArrayLike) -> Records: ...
    def contact(
        self,
        other: ConvexShape,
        b_to_a: Optional[PoseLike] = None,
        *,
        max_distance: float = math.inf,
        threads: Optional[int] = None,
    ) -> Records: ...
    def contact_manifolds(
        self,
        other: ConvexShape,
        margin: float,
        b_to_a: Optional[PoseLike] = None,
        *,
        threads: Optional[int] = None,
    ) -> Lists: ...

@final
class Compound:
    def __new__(
        cls, parts: Iterable[Union[Tree, ConvexShape, Tuple[Union[Tree, ConvexShape], Optional[PoseLike]]]]
    ) -> Compound: ...
    @property
    def parts(self) -> List[Tuple[Union[Tree, ConvexShape], NDArray[np.float64]]]: ...
    def __len__(self) -> int: ...

@final
class Scene:
    def __new__(cls, *, include_static_pairs: bool = False, threads: Optional[int] = None) -> Scene: ...
    def add(
        self,
        tree: Union[Tree, ConvexShape, Compound],
        pose: Optional[PoseLike] = None,
        *,
        static: bool = False,
        solid: Solid = False,
        groups: int = 1,
        mask: int = 4294967295,
    ) -> int: ...
    def remove(self, body: int) -> None: ...
    def set_pose(self, body: int, pose: PoseLike) -> None: ...
    def set_poses(self, bodies: ArrayLike, poses: PoseLike) -> None: ...
    def set_tree(self, body: int, tree: Union[Tree, ConvexShape, Compound]) -> None: ...
    def is_solid(self, body: int) -> bool: ...
    def pose(self, body: int) -> NDArray[np.float64]: ...
    def set_groups(self, body: int, groups: int, mask: int) -> None: ...
    def set_ignored(self, a: ArrayLike, b: ArrayLike, ignored: bool = True) -> None: ...
    def set_pair_filter(self, accepts: Optional[Callable[[int, int], Any]]) -> None: ...
    @property
    def bodies(self) -> List[int]: ...
    def neighbor_pairs(self, reach: float = 0.0) -> NDArray[np.int64]: ...
    def bodies_near(
        self, tree: Tree, pose: Optional[PoseLike] = None, *, reach: float = 0.0
    ) -> NDArray[np.int64]: ...
    def intersecting_pairs(self, *, first: bool = False) -> NDArray[np.int64]: ...
    def bodies_intersecting(
        self,
        tree: Tree,
        pose: Optional[PoseLike] = None,
        *,
        solid: Solid = False,
        first: bool = False,
    ) -> NDArray[np.int64]: ...
    def pairs_within(self, clearance: float) -> NDArray[Any]: ...
    def overlap_depths(
        self,
        *,
        solid: Union[Literal["if_closed", "robust"], bool] = "if_closed",
        relative_tolerance: float = 0.01,
        absolute_tolerance: float = 0.0,
        time_limit: Optional[float] = None,
    ) -> Records: ...
    def penetration_depths(
        self,
        *,
        relative_tolerance: float = 0.01,
        absolute_tolerance: float = 0.0,
        time_limit: Optional[float] = None,
    ) -> Records: ...
    def contact_manifolds(self, margin: float) -> Records: ...
    def closest_pair(self) -> Records: ...
    def bodies_within(self, tree: Tree, clearance: float, pose: Optional[PoseLike] = None) -> NDArray[Any]: ...
    def closest_body(
        self,
        tree: Tree,
        pose: Optional[PoseLike] = None,
        *,
        max_distance: float = math.inf,
        ignore: Optional[int] = None,
    ) -> Records: ...
    def clash(
        self,
        *,
        clearance: Optional[float] = None,
        tolerance: float = 0.0,
        allow_touching: bool = False,
        rules: Union[Path, Mapping[str, Any], List[Mapping[str, Any]], None] = None,
        properties: Optional[Mapping[int, Mapping[str, str]]] = None,
        penetration: bool = False,
        undefined: bool = False,
    ) -> Table: ...
    def impacts(self, bodies: ArrayLike, ends: PoseLike, *, accuracy: float = 0.0) -> NDArray[Any]: ...
    def relation(self, a: ArrayLike, b: ArrayLike, *, tolerance: float = 0.0) -> Union[str, NDArray[np.str_]]: ...
    def closest_hit(
        self, origins: ArrayLike, directions: ArrayLike, *, max_time: float = math.inf, mask: int = 4294967295
    ) -> Records: ...
    def any_hit(
        self, origins: ArrayLike, directions: ArrayLike, *, max_time: float = math.inf, mask: int = 4294967295
    ) -> Bools: ...
    def all_hits(
        self, origins: ArrayLike, directions: ArrayLike, *, max_time: float = math.inf, mask: int = 4294967295
    ) -> Lists: ...
    def closest_point(
        self, points: ArrayLike, *, max_distance: float = math.inf, mask: int = 4294967295
    ) -> Records: ...
    def cast_convex(
        self,
        shape: ConvexShape,
        displacement: ArrayLike,
        pose: Optional[PoseLike] = None,
        *,
        tolerance: float = 0.0,
        mask: int = 4294967295,
    ) -> Records: ...
    def __len__(self) -> int: ...
    def __reduce__(self) -> Tuple[Any, ...]: ...

@final
class Character:
    def __new__(cls, feet: ArrayLike, **options: Any) -> Character: ...
    def step(
        self,
        scene: Scene,
        time: float,
        walk: Optional[ArrayLike] = None,
        *,
        jump: float = 0.0,
        motions: Optional[Iterable[Union[Tuple[int, PoseLike], Tuple[int, PoseLike, PoseLike]]]] = None,
        surface_velocities: Optional[Iterable[Tuple[int, ArrayLike]]] = None,
        one_sided: Optional[ArrayLike] = None,
        mask: int = 4294967295,
    ) -> Records: ...
    def ground(self) -> Records: ...
    def pushes(self) -> NDArray[Any]: ...
    def teleport(self, feet: ArrayLike) -> None: ...
    def set_velocity(self, velocity: ArrayLike) -> None: ...
    def set_options(self, **options: Any) -> None: ...
    def has_room(
        self,
        scene: Scene,
        *,
        motions: Optional[Iterable[Union[Tuple[int, PoseLike], Tuple[int, PoseLike, PoseLike]]]] = None,
        mask: int = 4294967295,
        **options: Any,
    ) -> bool: ...
    @property
    def options(self) -> Dict[str, Any]: ...
    @property
    def feet(self) -> NDArray[np.float64]: ...
    @property
    def camera_offset(self) -> float: ...
    @property
    def velocity(self) -> NDArray[np.float64]: ...
    def __reduce__(self) -> Tuple[Any, ...]: ...

def _rules_as_json(rules: Union[Path, Mapping[str, Any], List[Mapping[str, Any]]]) -> str: ...
def _clash_issues(bodies: List[Tuple[Any, ...]], clashes: List[Tuple[Any, ...]]) -> List[str]: ...
def _same_parts(bodies: List[Tuple[str, Dict[str, str]]]) -> List[List[int]]: ...
def relative_pose(a_to_world: PoseLike, b_to_world: PoseLike) -> NDArray[np.float64]: ...
def pose_from_translation(translation: ArrayLike) -> NDArray[np.float64]: ...
def pose_from_quaternion(xyzw: ArrayLike, translation: Optional[ArrayLike] = None) -> NDArray[np.float64]: ...
def pose_from_axis_angle(
    axis: ArrayLike, angle: ArrayLike, translation: Optional[ArrayLike] = None
) -> NDArray[np.float64]: ...
def pose_from_euler_angles(angles: ArrayLike, translation: Optional[ArrayLike] = None) -> NDArray[np.float64]: ...
def intersects(
    a: Tree,
    b: Tree,
    b_to_a: Optional[PoseLike] = None,
    *,
    solid: RobustSolids = False,
    masks: Masks = (None, None),
    threads: Optional[int] = None,
) -> Bools: ...
def first_hit(
    a: Tree,
    b: Tree,
    b_to_a: PoseLike,
    *,
    solid: RobustSolids = False,
    masks: Masks = (None, None),
) -> Optional[int]: ...
def intersecting_pairs(
    a: Tree,
    b: Tree,
    b_to_a: Optional[PoseLike] = None,
    *,
    masks: Masks = (None, None),
    threads: Optional[int] = None,
) -> Lists: ...
def count_pairs(
    a: Tree,
    b: Tree,
    b_to_a: Optional[PoseLike] = None,
    *,
    masks: Masks = (None, None),
    threads: Optional[int] = None,
) -> Ints: ...
def distance(
    a: Tree,
    b: Tree,
    b_to_a: Optional[PoseLike] = None,
    *,
    upper_bound: float = math.inf,
    relative_tolerance: float = 0.0,
    absolute_tolerance: float = 0.0,
    solid: RobustSolids = False,
    masks: Masks = (None, None),
    threads: Optional[int] = None,
) -> Floats: ...
def closest_points(
    a: Tree,
    b: Tree,
    b_to_a: Optional[PoseLike] = None,
    *,
    upper_bound: float = math.inf,
    relative_tolerance: float = 0.0,
    absolute_tolerance: float = 0.0,
    solid: RobustSolids = False,
    masks: Masks = (None, None),
    threads: Optional[int] = None,
) -> Records: ...
def within(
    a: Tree,
    b: Tree,
    tolerance: float,
    b_to_a: Optional[PoseLike] = None,
    *,
    solid: RobustSolids = False,
    masks: Masks = (None, None),
    threads: Optional[int] = None,
) -> Bools: ...
def pairs_within(
    a: Tree,
    b: Tree,
    tolerance: float,
    b_to_a: Optional[PoseLike] = None,
    *,
    masks: Masks = (None, None),
    threads: Optional[int] = None,
) -> Lists: ...
def contacts(
    a: Tree,
    b: Tree,
    b_to_a: Optional[PoseLike] = None,
    *,
    masks: Masks = (None, None),
    threads: Optional[int] = None,
) -> Lists: ...
def contact_manifolds(
    a: Tree, b: Tree, margin: float, b_to_a: Optional[PoseLike] = None, *, threads: Optional[int] = None
) -> Lists: ...
def contact_patches(
    a: Tree,
    b: Tree,
    b_to_a: Optional[PoseLike] = None,
    *,
    masks: Masks = (None, None),
    threads: Optional[int] = None,
) -> Lists: ...
def relation(
    a: Tree, b: Tree, b_to_a: Optional[PoseLike] = None, *, solid: RobustSolids = False, threads: Optional[int] = None
) -> Union[str, NDArray[np.str_]]: ...
def penetration(
    a: Tree,
    b: Tree,
    b_to_a: Optional[PoseLike] = None,
    *,
    threads: Optional[int] = None,
) -> Records: ...
def penetration_along(
    a: Tree,
    b: Tree,
    direction: ArrayLike,
    b_to_a: Optional[PoseLike] = None,
    *,
    masks: Masks = (None, None),
    threads: Optional[int] = None,
) -> Records: ...
def free_interval_along(
    a: Tree,
    b: Tree,
    direction: ArrayLike,
    b_to_a: Optional[PoseLike] = None,
    *,
    solid: RobustSolids = False,
    masks: Masks = (None, None),
    threads: Optional[int] = None,
) -> Records: ...
def overlap_depth(
    a: Tree,
    b: Tree,
    b_to_a: Optional[PoseLike] = None,
    *,
    relative_tolerance: float = 0.01,
    absolute_tolerance: float = 0.0,
    time_limit: Optional[float] = None,
    solid: RobustSolids = False,
    threads: Optional[int] = None,
) -> Records: ...
def overlap_regions(
    a: Tree,
    b: Tree,
    b_to_a: Optional[PoseLike] = None,
    *,
    relative_tolerance: float = 0.01,
    absolute_tolerance: float = 0.0,
    time_limit: Optional[float] = None,
    solid: RobustSolids = False,
    threads: Optional[int] = None,
) -> Lists: ...
def hausdorff_distance(
    a: Tree,
    b: Tree,
    b_to_a: Optional[PoseLike] = None,
    *,
    direction: Literal["both", "a_to_b", "b_to_a"] = "both",
    relative_tolerance: float = 0.01,
    absolute_tolerance: float = 0.0,
    time_limit: Optional[float] = None,
    threads: Optional[int] = None,
) -> Records: ...
def penetration_depth(
    a: Tree,
    b: Tree,
    b_to_a: Optional[PoseLike] = None,
    *,
    relative_tolerance: float = 0.01,
    absolute_tolerance: float = 0.0,
    time_limit: Optional[float] = None,
    threads: Optional[int] = None,
) -> Records: ...
def time_of_impact(
    a: Tree,
    b: Tree,
    start: PoseLike,
    end: PoseLike,
    *,
    accuracy: float = 0.0,
    solid: RobustSolids = False,
    masks: Masks = (None, None),
    threads: Optional[int] = None,
) -> Records: ...
def self_pairs(tree: Tree) -> NDArray[np.int64]: ...
def metrics(tree: Tree, *, seed: int = 0, samples: int = 16384, threads: Optional[int] = None) -> Table: ...
def compare(trees: Iterable[Tree], *, approaches: int = 25, passes: int = 3) -> Table: ...
def volume_metrics(
    tree: Tree,
    fit: FitVolume,
    *,
    seed: int = 0,
    samples: int = 16384,
    threads: Optional[int] = None,
) -> Table: ...
def volume_query_cost(
    a: Tree,
    b: Tree,
    b_to_a: Optional[PoseLike] = None,
    fit: Optional[FitVolume] = None,
    *,
    threads: Optional[int] = None,
) -> Table: ...
def _sample_poses(
    a: Tree, b: Tree, separations: List[float], approaches: int, seed: int
) -> Tuple[List[str], NDArray[np.float64]]: ...
def intersection_curves(
    a: Tree, b: Tree, b_to_a: Optional[PoseLike] = None, *, masks: Masks = (None, None)
) -> List[Tuple[NDArray[np.float64], bool]]: ...
def _run_program(arguments: List[str]) -> int: ...
@final
class _DividedMesh:
    def __new__(cls, path: Path, folder: Path, memory: int, kind: Kind = "obb", *, preset: Preset = "balanced", **options: Any) -> _DividedMesh: ...
    def __len__(self) -> int: ...
    def tile(self, number: int) -> Tuple[Mesh, Floats, int]: ...
    def cook(self, path: Path, trees: List[Path]) -> Tuple[int, int]: ...

def _build_tile(
    mesh: MeshLike, whole: List[List[float]], kind: Kind, *, preset: Preset = "balanced", threads: Optional[int] = None, **options: Any
) -> Tree: ...
def _viewer() -> Tuple[str, str, str]: ...
