import type { Mesh } from "bvtree";


/** What is used of `BufferGeometry`. */
export interface Geometry {
  readonly attributes: Record<string, unknown>;
  readonly index: unknown;
}

interface Matrix4 {
  readonly elements: ArrayLike<number>;
}

/**
 * The mesh of a `BufferGeometry`, indexed or not, plain, interleaved or quantized. A `Matrix4`, if given, is applied to the
 * vertices: poses of bvtree don't scale.
 */
export function meshOf(geometry: Geometry, matrix?: Matrix4): Mesh;

/** Where the second object stands in the first one's frame, of their world matrices, which may not scale. */
export function poseOf(a: { readonly matrixWorld: Matrix4 }, b: { readonly matrixWorld: Matrix4 }): Float64Array;
