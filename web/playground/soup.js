// Triangles for drawing: each has its own three corners with a normal.

import { difference } from "./viewer/vectors.js";

// Maximum number of points of a mesh that the camera keeps in view.
const OUTLINE = 800;
// A mesh is a hull, seen from outside, if its triangles enclose at least this part of the volume of a sphere with their area
// (squared: the isoperimetric quotient). Levels, whose normals point into their rooms, buildings with walls and sheets do not.
const HULL = 0.02;

export const extents = (bounds) => [0, 1, 2].map((k) => bounds[k + 3] - bounds[k]);

export const middleOf = (bounds) => [0, 1, 2].map((k) => (bounds[k] + bounds[k + 3]) / 2);

// Returns the triangles of a mesh, relative to its middle, and some of its points.
export function soupOf({ positions: vertices, indices, bounds }) {
  const middle = middleOf(bounds);
  const count = indices.length;
  // Six times the signed volume between the triangles and the middle, and twice the area.
  let [volume, area] = [0, 0];
  const [positions, normals] = [new Float32Array(3 * count), new Float32Array(3 * count)];
  for (let i = 0; i < count; i++) {
    for (let k = 0; k < 3; k++) positions[3 * i + k] = vertices[3 * indices[i] + k] - middle[k];
  }
  for (let i = 0; i < 9 * Math.floor(count / 3); i += 9) {
    const [a, b, c] = [0, 3, 6].map((k) => positions.subarray(i + k, i + k + 3));
    const [ux, uy, uz] = [b[0] - a[0], b[1] - a[1], b[2] - a[2]];
    const [vx, vy, vz] = [c[0] - a[0], c[1] - a[1], c[2] - a[2]];
    const normal = [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx];
    const length = Math.hypot(...normal) || 1;
    volume += a[0] * normal[0] + a[1] * normal[1] + a[2] * normal[2];
    area += length;
    for (let k = 0; k < 9; k++) normals[i + k] = normal[k % 3] / length;
  }
  const step = 3 * Math.max(1, Math.floor(count / OUTLINE));
  const sample = [];
  for (let i = 0; i + 2 < positions.length; i += step) sample.push(Array.from(positions.subarray(i, i + 3)));
  const isHull = volume > 0 && 36 * Math.PI * (volume / 6) ** 2 > HULL * (area / 2) ** 3;
  return { soup: { count, positions, normals, isInsideOut: !isHull }, sample };
}

// Returns some triangles of a mesh.
export function picked({ positions, normals }, faces) {
  const made = { count: 3 * faces.length, positions: new Float32Array(9 * faces.length), normals: new Float32Array(9 * faces.length) };
  faces.forEach((face, i) => {
    made.positions.set(positions.subarray(9 * face, 9 * face + 9), 9 * i);
    made.normals.set(normals.subarray(9 * face, 9 * face + 9), 9 * i);
  });
  return made;
}

// Returns middles and half axes of volumes, relative to the mesh's middle.
export function solids(matrices, middle) {
  const made = [];
  for (let i = 0; i < matrices.length; i += 16) {
    const column = (k) => Array.from(matrices.subarray(i + 4 * k, i + 4 * k + 3));
    made.push({ center: difference(column(3), middle), axes: [column(0), column(1), column(2)] });
  }
  return made;
}

export const ball = (center, radius) => capsule(center, radius, 0);

// Returns an upright capsule of triangles; its axis extends from the center by a length both ways.
export function capsule(center, radius, length) {
  // An odd number of rings: the middle one becomes the side.
  const [rings, sectors] = [9, 16];
  const at = (r, s) => {
    const [polar, around] = [(Math.PI * r) / rings, (2 * Math.PI * s) / sectors];
    return [Math.sin(polar) * Math.cos(around), Math.sin(polar) * Math.sin(around), Math.cos(polar)];
  };
  const [positions, normals] = [[], []];
  for (let r = 0; r < rings; r++) {
    for (let s = 0; s < sectors; s++) {
      const corners = [[0, 0], [1, 0], [1, 1], [0, 0], [1, 1], [0, 1]].map(([i, k]) => at(r + i, s + k));
      for (const corner of corners) {
        const along = [0, 0, length * Math.sign(corner[2])];
        positions.push(...corner.map((x, k) => center[k] + radius * x + along[k]));
        normals.push(...corner);
      }
    }
  }
  return { count: positions.length / 3, positions: new Float32Array(positions), normals: new Float32Array(normals) };
}
