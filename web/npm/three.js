// Conversions for three.js: meshes from geometries, poses from objects. It does not import three.js.

import { Mesh, relativePose } from "bvtree";

// Creates a mesh from a `BufferGeometry`, indexed or not, plain, interleaved or quantized. Its triangles are faces 0, 1, 2 and so
// on. The `Matrix4`, if given, is applied to the vertices, since poses of bvtree don't scale.
export function meshOf(geometry, matrix) {
  const { position } = geometry.attributes;
  if (!position) throw new TypeError("the geometry has no positions");
  return new Mesh(coordinates(position, matrix), geometry.index ? numbersOf(geometry.index) : undefined);
}

// Computes the second object's pose in the first one's frame from their world matrices, which must not scale.
export function poseOf(a, b) {
  return relativePose(a.matrixWorld.elements, b.matrixWorld.elements);
}

function coordinates(attribute, matrix) {
  const own = plain(attribute);
  if (own && !matrix) return own;
  const made = new Float32Array(3 * attribute.count);
  const m = matrix?.elements;
  for (let i = 0; i < attribute.count; i++) {
    const [x, y, z] = [attribute.getX(i), attribute.getY(i), attribute.getZ(i)];
    for (let k = 0; k < 3; k++) {
      made[3 * i + k] = m ? m[k] * x + m[k + 4] * y + m[k + 8] * z + m[k + 12] : [x, y, z][k];
    }
  }
  return made;
}

// Returns the array of an attribute that is neither interleaved nor quantized.
const plain = ({ array, itemSize, count, normalized, isInterleavedBufferAttribute, isBufferAttribute, data }) =>
  isBufferAttribute && !isInterleavedBufferAttribute && !data && array instanceof Float32Array && itemSize === 3 && !normalized
    ? array.subarray(0, 3 * count)
    : null;

const numbersOf = (index) => (index.array.length === index.count ? index.array : Uint32Array.from({ length: index.count }, (_, i) => index.getX(i)));
