/**
 * 16 numbers column by column, as `matrix.elements` of three.js: a rotation and a translation. None is no motion. Entries that are not
 * finite are refused, and matrices R of which an entry of R^T R - I exceeds 1e-4 (room for what float32 rounds) or that mirror. A
 * translation may be of any size.
 */
export type Matrix = ArrayLike<number> | null | undefined;
/** Three numbers. */
export type Point = [number, number, number];
export type Numbers = ArrayLike<number>;
export type Kind = "aabb" | "obb" | "sphere";
export type Preset = "fast" | "balanced" | "tight";
export type Relation = "separate" | "touching" | "crossing" | "a_in_b" | "b_in_a" | "undefined";
export type Containment = "inside" | "outside" | "on_surface" | "undefined";

export interface ReadOptions {
  /** The axis that points up in the file: the mesh is turned so that its z does. None leaves it. */
  up?: "x" | "y" | "z";
  /** What coordinates are multiplied by. */
  scale?: number;
  /** Whether vertices with the same coordinates become one; by default in STL only. */
  weld?: boolean;
}

/** Thrown by what is handed arguments; the message is the library's. */
export interface BvtreeError extends Error {
  name: "InvalidMesh" | "InvalidFile" | "InvalidPose" | "InvalidArgument";
}

/** Two points of two meshes that are nearest to each other, in A's frame. */
export interface ClosestPair {
  /** 0 exactly when the meshes intersect. */
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
  /** The unit normals of both, six numbers for each contact. */
  normals: Float64Array;
  /** Where each contact's points begin, counted in points, and where the last one's end. */
  starts: Uint32Array;
  /** Three numbers each, in A's frame: one point, a segment's ends or a polygon's corners. */
  points: Float64Array;
}

export interface Polyline {
  /** Three numbers each, in A's frame; the first is not repeated at the end. */
  points: Float64Array;
  isClosed: boolean;
}

export interface IntersectionCurves {
  /** A's triangle and B's of each contact, one after the other. */
  faces: Uint32Array;
  curves: Polyline[];
}

export interface Penetration {
  /** How far to move B: the penetration depth is at most this. */
  upperBound: number;
  direction: Point;
}

export interface DirectionalPenetration {
  /** Moved by more than this, no two triangles touch. */
  depth: number;
  normal: Point;
  faceA: number;
  faceB: number;
}

export interface RayHit {
  /** In multiples of the direction's length. */
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
