// For users of three.js: meshes of its geometries, poses of its objects. Nothing of three.js is imported.

import { Mesh, relativePose } from "bvtree";

// The mesh of a `BufferGeometry`, indexed or not, plain, interleaved or quantized. Triangles of the index are faces 0, 1, 2 and
// so on. A `Matrix4`, if given, is applied to the vertices: poses of bvtree don't scale.
export function meshOf(geometry, matrix) {
  const { position } = geometry.attributes;
  if (!position) throw new TypeError("the geometry has no positions");
  return new Mesh(coordinates(position, matrix), geometry.index ? numbersOf(geometry.index) : undefined);
}

// Where the second object stands in the first one's frame, of their `matrixWorld`s without scale.
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

// The numbers of an attribute that is nothing but them.
const plain = ({ array, itemSize, count, normalized, isInterleavedBufferAttribute, isBufferAttribute, data }) =>
  isBufferAttribute && !isInterleavedBufferAttribute && !data && array instanceof Float32Array && itemSize === 3 && !normalized
    ? array.subarray(0, 3 * count)
    : null;

const numbersOf = (index) => (index.array.length === index.count ? index.array : Uint32Array.from({ length: index.count }, (_, i) => index.getX(i)));
