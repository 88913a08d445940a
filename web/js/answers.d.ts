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
  /** What groups are: `"object"` by default, `"material"`, or `"both"`, objects with their materials. */
  groupBy?: "object" | "material" | "both";
}

/** The distinct names of groups or materials, and the index of each triangle's name, by face. */
export interface GroupIds {
  names: string[];
  ids: Uint32Array;
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
  /** A's triangle and B's of each point, one after the other; 4294967295 for a convex shape. */
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

/** A region in which two solids overlap: a connected piece of their intersection. */
export interface OverlapRegion extends OverlapDepth {
  /** Corners of the region's bounding box, in A's frame. */
  bounds: { lower: Point; upper: Point };
}

export interface HausdorffDistance {
  /** Proven bounds of the distance. */
  lower: number;
  upper: number;
  /** Point farthest from the other surface, and the point of the other surface closest to it, in A's frame. */
  point: Point;
  closest: Point;
  /** Whether `point` is on B's surface; otherwise it is on A's. */
  isOnB: boolean;
}

/** Direction of a Hausdorff distance: from A's points, from B's, or the greater of both. */
export type HausdorffDirection = "a_to_b" | "b_to_a" | "both";

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

/** Contact of a convex shape with a triangle, where they are nearest or overlap, in the mesh's frame. */
export interface ConvexContact {
  /** Distance between the surfaces; negative where they overlap: minus the penetration depth, which is along the normal. */
  distance: number;
  onShape: Point;
  /** Point of the triangle, at `distance` from the shape's along the normal. */
  onMesh: Point;
  /** Unit normal from the triangle to the shape. */
  normal: Point;
  /** Unit normal of the triangle, from the order of its corners; zero if it has no area. */
  faceNormal: Point;
  face: number;
}

/** Contact of two convex shapes, where they are nearest or overlap, in A's frame. */
export interface ShapeContact {
  /** Distance; negative where they overlap: minus the length of the shortest translation that separates them. */
  distance: number;
  onA: Point;
  onB: Point;
  /** Unit normal from A to B. */
  normal: Point;
}

/** Vertex of a mesh that is farthest along a direction. */
export interface SupportPoint {
  point: Point;
  /** Triangle that has it as a corner. */
  face: number;
}

export interface CapsuleCastHit extends CapsuleContact {
  /** Time of the hit as a fraction of the displacement: no triangle is touched earlier. */
  time: number;
}

/** Options for a body of a scene; all are optional. */
export interface BodyOptions {
  /** Whether the body is static; two static bodies are compared only if the scene includes static pairs. */
  isStatic?: boolean;
  /**
   * Whether a mesh is solid and not only a surface: what lies inside it then touches it. `true` requires a closed mesh;
   * `"if_closed"` treats an open one as a surface. Convex shapes are always solid.
   */
  solid?: boolean | "if_closed";
  /** Collision groups of the body, as bits; 1 by default. */
  groups?: number;
  /**
   * Collision groups that the body is compared with, as bits; all by default. Two bodies are compared if each one's
   * mask includes a group of the other.
   */
  mask?: number;
}

/** The motion of a body from one pose in the world to another. A pose that is omitted is that of the body. */
export interface BodyMotion {
  body: number;
  start?: Matrix;
  end?: Matrix;
}

export type BodyRelation = Relation | "coincident";

export interface RelatedPair {
  a: number;
  b: number;
  relation: BodyRelation;
}

/** The parts of two bodies that a result is about; 0 of a body that is no compound. */
export interface Parts {
  partA: number;
  partB: number;
}

/** Two bodies near each other, with their closest points in the world. */
export interface NearPair extends ClosestPair, Parts {
  a: number;
  b: number;
}

/** A body near a mesh, with the closest points in the world; A is the mesh. */
export interface NearBody extends ClosestPair {
  body: number;
  /** The body's part; 0 unless it is a compound. */
  part: number;
}

export interface OverlappingPair extends OverlapDepth, Parts {
  a: number;
  b: number;
}

export interface PenetratingPair extends PenetrationDepth {
  a: number;
  b: number;
}

/** Contact manifolds of pairs of bodies, in the world, the deepest of a pair first. */
export interface BodyManifolds extends ContactManifolds {
  /** Two bodies for each manifold. */
  bodies: Uint32Array;
  /** The part of either body for each manifold; 0 of a body that is no compound. */
  parts: Uint32Array;
}

/** The first impact of two moving bodies, in the world at that time. */
export interface BodyImpact extends ClosestPair, Parts {
  a: number;
  b: number;
  /** Time from 0 to 1 before which they don't touch. */
  time: number;
  /** Unit normal from A to B; zero if undefined. */
  normal: Point;
}

export interface BodyHit extends RayHit {
  body: number;
  /** The body's part; 0 unless it is a compound. */
  part: number;
}

export interface BodyPoint extends ClosestOnMesh {
  body: number;
  /** The body's part; 0 unless it is a compound. */
  part: number;
}

export interface BodyContact extends CapsuleContact {
  body: number;
  /** The body's part; 0 unless it is a compound. */
  part: number;
}

export interface BodyCastHit extends CapsuleCastHit {
  body: number;
  /** The body's part; 0 unless it is a compound. */
  part: number;
}

/** Sizes and limits of a character, in the unit of the meshes and in seconds; all are optional. */
export interface CharacterOptions {
  /** Radius of the upright capsule; 0.3 by default. */
  radius?: number;
  /** Height from the feet to the top, at least twice the radius; 1.8 by default. */
  height?: number;
  /** The up direction, of any nonzero length; z by default. */
  up?: Numbers;
  /** Gap kept between the capsule and every obstacle; 0.01 by default. */
  skin?: number;
  /** Height of the highest step that the character climbs; 0.3 by default. */
  maxStep?: number;
  /** Steepest slope that the character climbs, as rise over run; 1 by default. */
  maxSlope?: number;
  /** How far below the feet the character follows the ground; 0.35 by default. */
  snapDistance?: number;
  /**
   * How far inside the capsule's side the edge of a ledge must be for the character to stand on it, and the least width
   * of a step that it climbs, unless ground follows within `snapDistance` below; 0 by default.
   */
  perchRadiusThreshold?: number;
  /** Downward acceleration; 9.81 by default. */
  gravity?: number;
  /** Acceleration of the velocity toward the desired walk while in the air; 10 by default. */
  airAcceleration?: number;
  /** Time in which half of `Character.cameraOffset` is gone; 0.05 by default. */
  cameraHalfLife?: number;
  /** Longest substep; longer time steps are divided. A 60th of a second by default. */
  maxSubstep?: number;
}

/** The input of a character's step. */
export interface Intent {
  /** Desired velocity, relative to the ground; only the horizontal part counts. In the air it steers the fall. */
  walk?: Numbers;
  /** Upward speed of a jump if the character stands. */
  jump?: number;
}

/** What moves during a character's step, and what is an obstacle. */
export interface Surroundings {
  /** Bodies that move during the step; their poses in the scene don't count. */
  motions?: BodyMotion[];
  /** Surfaces that move relative to their bodies, such as conveyor belts, with velocities in the world. */
  surfaceVelocities?: { body: number; velocity: Numbers }[];
  /** Meshes whose triangles the character passes from behind, such as platforms onto which one jumps from below. */
  oneSided?: number[];
  /** Collision groups of the obstacles, as bits; all by default. */
  mask?: number;
}

export interface CharacterStep {
  /** Whether something other than ground was in the way. */
  isBlocked: boolean;
  /** Whether moving bodies left no space for the capsule. */
  isCrushed: boolean;
  isOnGround: boolean;
  /** The body that the capsule overlaps most, and how deep, as long as the overlap lasts. */
  overlap?: { body: number; depth: number };
}

/** The ground on which a character stands. */
export interface Ground {
  body: number;
  normal: Point;
  /** Point of contact, in the world. */
  point: Point;
  face: number;
}

/** A body that was in the way of a character. */
export interface Push {
  body: number;
  point: Point;
  /** Unit normal of the contact, from the body to the character. */
  normal: Point;
  /** Speed with which the character would have moved on against the normal. */
  speed: number;
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
