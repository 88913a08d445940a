/**
 * A column-major 4x4 matrix, as `matrix.elements` of three.js: a rotation and a translation. If omitted, it is the
 * identity. Entries must be finite, the rotation R must not mirror, and no entry of R^T R - I may exceed 1e-4, which
 * allows for float32 rounding. The translation may have any length.
 */
export type Matrix = ArrayLike<number> | null | undefined;
/** A point or vector: three numbers. */
export type Point = [number, number, number];
export type Numbers = ArrayLike<number>;
export type Kind = "aabb" | "obb" | "sphere" | "kdop";
export type Preset = "fast" | "balanced" | "tight";
export type Solid = "no" | "if_closed" | "robust";
export type Relation = "separate" | "touching" | "crossing" | "a_in_b" | "b_in_a" | "undefined";
export type Containment = "inside" | "outside" | "on_surface" | "undefined";

export interface ReadOptions {
  /** The file's up axis: the mesh is rotated so that z points up. If omitted, the axes stay as they are. */
  up?: "x" | "y" | "z";
  /** Factor for all coordinates, applied after the rotation; 1 by default. */
  scale?: number;
  /** Whether to merge vertices with the same coordinates; by default in STL files only. */
  weld?: boolean;
}

/** Thrown for invalid arguments; the message is the library's. */
export interface BvtreeError extends Error {
  name: "InvalidMesh" | "InvalidFile" | "InvalidPose" | "InvalidArgument";
}

/** The closest points of two meshes, in A's frame. */
export interface ClosestPair {
  /** Distance; 0 exactly when the meshes intersect. */
  distance: number;
  onA: Point;
  onB: Point;
  faceA: number;
  faceB: number;
}

export type TimeOfImpact =
  | { outcome: "no_impact" }
  | ({ outcome: "touching" | "impact"; time: number; normal: Point } & ClosestPair);

export interface Contacts {
  /** A's triangle and B's of each contact, one after the other. */
  faces: Uint32Array;
  /** The unit normals of both triangles, six numbers for each contact. */
  normals: Float64Array;
  /** Offsets at which each contact's points begin, counted in points, and where the last one's end. */
  starts: Uint32Array;
  /** Points of all contacts, three numbers each, in A's frame: one point, a segment's ends or a polygon's corners. */
  points: Float64Array;
}

/** Contact manifolds, the deepest first: up to four points with a common normal for each region of contact. */
export interface ContactManifolds {
  /** Unit normals from A to B, in A's frame, three numbers for each manifold. */
  normals: Float64Array;
  /** Offsets at which each manifold's points begin, and where the last one's end. */
  starts: Uint32Array;
  /** Seven numbers for each point: the point of A and that of B, in A's frame, and the depth, negative across a gap. */
  points: Float64Array;
  /** A's triangle and B's of each point, one after the other. */
  faces: Uint32Array;
  /** Names of the vertices, edges or faces that touch: equal from frame to frame while the same ones touch. */
  ids: BigUint64Array;
}

export interface Polyline {
  /** Points of the curve, three numbers each, in A's frame; the first is not repeated at the end. */
  points: Float64Array;
  isClosed: boolean;
}

export interface IntersectionCurves {
  /** A's triangle and B's of each contact, one after the other. */
  faces: Uint32Array;
  curves: Polyline[];
}

export interface OverlapDepth {
  /** Proven bounds of the depth; 0 if nothing overlaps. */
  lower: number;
  upper: number;
  /** Deepest point and the point of the other surface closest to it, in A's frame, if one was found inside. */
  deepest?: { point: Point; wayOut: Point; isOnB: boolean };
}

export interface PenetrationDepth {
  /** Proven bounds of the depth; 0 if nothing overlaps. */
  lower: number;
  upper: number;
  /** Translation of B that separates it, in A's frame, of length `upper`. */
  translation: Point;
}

export interface Penetration {
  /** Length of the translation of B: an upper bound of the penetration depth. */
  upperBound: number;
  direction: Point;
}

export interface DirectionalPenetration {
  /** Penetration depth along the direction: after any longer move, no two triangles touch. */
  depth: number;
  normal: Point;
  faceA: number;
  faceB: number;
}

/** Translations along a direction at which B is free of A. */
export interface FreeInterval {
  /** Length from which B is free; 0 if B is free where it is. */
  start: number;
  /** Length at which B meets A again; infinite if it never does. */
  end: number;
}

export interface RobustContainment {
  containment: "inside" | "outside" | "on_surface";
  /** How certain that is, 0 to 1. */
  certainty: number;
}

export interface RayHit {
  /** Ray parameter of the hit, in units of the direction's length. */
  time: number;
  point: Point;
  normal: Point;
  face: number;
}

export interface ClosestOnMesh {
  distance: number;
  point: Point;
  face: number;
}

/** The closest points of a convex shape and a mesh, in the mesh's frame. */
export interface ClosestToConvex {
  /** Distance; 0 exactly when the shape touches a triangle. */
  distance: number;
  onShape: Point;
  onMesh: Point;
  face: number;
}

/** Contact of a capsule with a triangle, where they are closest or overlap. */
export interface CapsuleContact {
  /** Distance between the surfaces; negative where they overlap: minus the way along the normal that separates them. */
  distance: number;
  /** Contact point on the triangle. */
  point: Point;
  /** Unit normal from the triangle to the capsule; zero if undefined. */
  normal: Point;
  /** Unit normal of the triangle, from the order of its corners; zero if it has no area. */
  faceNormal: Point;
  face: number;
}

export interface CapsuleCastHit extends CapsuleContact {
  /** Time of the hit as a fraction of the displacement: no triangle is touched earlier. */
  time: number;
}

export interface MeshReport {
  triangles: number;
  vertices: number;
  distinctVertices: number;
  zeroAreaTriangles: number;
  duplicateTriangles: number;
  openEdges: number;
  nonManifoldEdges: number;
  inconsistentEdges: number;
  components: number;
  isClosed: boolean;
  isEdgeManifold: boolean;
}
