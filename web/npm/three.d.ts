import type { Mesh } from "bvtree";


/** The part of `BufferGeometry` that bvtree uses. */
export interface Geometry {
  readonly attributes: Record<string, unknown>;
  readonly index: unknown;
}

interface Matrix4 {
  readonly elements: ArrayLike<number>;
}

/**
 * Creates a mesh from a `BufferGeometry`, indexed or not, plain, interleaved or quantized. The `Matrix4`, if given, is
 * applied to the vertices. Use it for scaling, since poses of bvtree don't scale.
 */
export function meshOf(geometry: Geometry, matrix?: Matrix4): Mesh;

/** Computes the second object's pose in the first one's frame from their world matrices, which must not scale. */
export function poseOf(a: { readonly matrixWorld: Matrix4 }, b: { readonly matrixWorld: Matrix4 }): Float64Array;
