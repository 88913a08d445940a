// Decodes the page's data about meshes and trees into arrays to draw. Coordinates are read as 16-bit numbers in a cube
// around each mesh (scene.rs writes them) and returned in world coordinates: z up, the scene's middle at 0, its radius
// 1.

import { AXES, clamp } from "./vectors.js";

function bytesOf(text) {
  const letters = atob(text);
  const bytes = new Uint8Array(letters.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = letters.charCodeAt(i);
  return bytes;
}

const shortsOf = (text) => new Uint16Array(bytesOf(text).buffer);
const indicesOf = ({ wide, data }) => (wide ? new Uint32Array(bytesOf(data).buffer) : shortsOf(data));

const FULL = 65535;
// Points of all parts, about, that determine what must be in view.
const OUTLINE_POINTS = 30_000;
const UPRIGHT = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0];

export function decodeScene(scene) {
  const parts = scene.parts.map((part) => {
    const positions = decodePoints(part, shortsOf(part.positions), scene.up);
    return { ...part, positions, corners: indicesOf(part.indices) };
  });
  const world = worldOf(parts);
  return {
    world,
    parts: parts.map((part, number) => ({
      name: part.name,
      triangles: part.triangles,
      drawn: part.drawn,
      highlights: part.highlights ?? 0,
      surface: soup(part.positions, part.corners, world),
      highlighted: part.highlighted
        ? soup(decodePoints(part, shortsOf(part.highlighted), scene.up), null, world)
        : null,
      trees: part.trees.map((tree) => decodeTree(tree, scene.parts[number], scene.up, world)),
    })),
  };
}

// The right-handed rotation that maps the up axis to z.
export const toUp = (up, [x, y, z]) => (up === "y" ? [z, x, y] : [x, y, z]);

function posed(pose, [x, y, z], isPoint) {
  const at = (row) => pose[row] * x + pose[row + 1] * y + pose[row + 2] * z + (isPoint ? pose[row + 3] : 0);
  return [at(0), at(4), at(8)];
}

// Plain loops here and in `soup`: assemblies have thousands of parts.
function decodePoints({ frame: { origin, size }, pose = UPRIGHT }, words, up) {
  const rows = toUp(up, [0, 4, 8]);
  const points = new Float64Array(words.length);
  for (let i = 0; i < words.length; i += 3) {
    const x = origin[0] + (words[i] / FULL) * size;
    const y = origin[1] + (words[i + 1] / FULL) * size;
    const z = origin[2] + (words[i + 2] / FULL) * size;
    for (let k = 0; k < 3; k++) {
      const row = rows[k];
      points[i + k] = pose[row] * x + pose[row + 1] * y + pose[row + 2] * z + pose[row + 3];
    }
  }
  return points;
}

function worldOf(parts) {
  const lower = [Infinity, Infinity, Infinity];
  const upper = [-Infinity, -Infinity, -Infinity];
  for (const { positions } of parts) {
    for (let i = 0; i < positions.length; i++) {
      const k = i % 3;
      if (positions[i] < lower[k]) lower[k] = positions[i];
      if (positions[i] > upper[k]) upper[k] = positions[i];
    }
  }
  if (!(lower[0] <= upper[0])) return { center: [0, 0, 0], radius: 1, outline: [[0, 0, 0]] };
  const center = [0, 1, 2].map((k) => (lower[k] + upper[k]) / 2);
  const half = center.map((middle, k) => upper[k] - middle);
  const radius = Math.hypot(...half) || 1;
  const world = { center, radius };
  const most = clamp(OUTLINE_POINTS / parts.length, 8, 1500);
  return { ...world, outline: parts.flatMap(({ positions }) => sampled(positions, most, world)) };
}

// Some points in world coordinates, enough to determine what must be in view.
function sampled(positions, most, world) {
  const step = 3 * Math.max(1, Math.floor(positions.length / 3 / most));
  const points = [];
  for (let i = 0; i + 2 < positions.length; i += step) points.push(toWorld(world, positions.slice(i, i + 3)));
  return points.map((point) => Array.from(point));
}

export const toWorld = ({ center, radius }, point) => point.map((x, k) => (x - center[k]) / radius);

// Three separate corners for each triangle, with its normal: flat shading shows the triangles that trees contain.
function soup(points, corners, { center, radius }) {
  const count = 3 * Math.floor((corners ?? points).length / (corners ? 3 : 9));
  const positions = new Float32Array(count * 3);
  const normals = new Float32Array(count * 3);
  for (let i = 0; i < count; i++) {
    const at = 3 * (corners ? corners[i] : i);
    for (let k = 0; k < 3; k++) positions[3 * i + k] = (points[at + k] - center[k]) / radius;
    if (i % 3 === 2) setNormal(normals, positions, 3 * (i - 2));
  }
  return { count, positions, normals };
}

// The normal of the triangle whose nine coordinates begin at an index, for each of its corners; up if it has no area.
function setNormal(normals, points, at) {
  const ax = points[at + 3] - points[at];
  const ay = points[at + 4] - points[at + 1];
  const az = points[at + 5] - points[at + 2];
  const bx = points[at + 6] - points[at];
  const by = points[at + 7] - points[at + 1];
  const bz = points[at + 8] - points[at + 2];
  const x = ay * bz - az * by;
  const y = az * bx - ax * bz;
  const z = ax * by - ay * bx;
  const length = Math.sqrt(x * x + y * y + z * z);
  for (let i = at; i < at + 9; i += 3) {
    normals[i] = length > 0 ? x / length : 0;
    normals[i + 1] = length > 0 ? y / length : 0;
    normals[i + 2] = length > 0 ? z / length : 1;
  }
}

const WORDS = { aabb: 6, obb: 10, sphere: 4, kdop: 6 };

function decodeTree(tree, part, up, world) {
  const words = shortsOf(tree.volumes);
  const parents = indicesOf(tree.parents);
  const children = bytesOf(tree.children);
  const owners = tree.owners && indicesOf(tree.owners);
  const level = tree.levels.flatMap((count, depth) => Array(count).fill(depth));
  const { origin, size } = part.frame;
  const pose = part.pose ?? UPRIGHT;
  const turned = (vector) => toUp(up, posed(pose, vector, false)).map((x) => x / world.radius);

  // The centre and three half axes of each volume, in world coordinates.
  function volume(node) {
    const at = node * WORDS[tree.kind];
    const fraction = (k) => words[at + k] / FULL;
    const middle = [0, 1, 2].map((k) => origin[k] + fraction(k) * size);
    const half = tree.kind === "sphere" ? [3, 3, 3] : [3, 4, 5];
    const extents = half.map((k) => fraction(k) * size);
    const axes = tree.kind === "obb" ? axesOf([6, 7, 8, 9].map((k) => 2 * fraction(k) - 1)) : AXES;
    const center = toWorld(world, toUp(up, posed(pose, middle, true)));
    return { center, axes: axes.map((axis, k) => turned(axis.map((x) => x * extents[k]))) };
  }

  // The nodes at a level and the leaves above it, which together cover the mesh.
  function cut(depth) {
    const nodes = [];
    level.forEach((own, node) => {
      if (own === depth || (own < depth && children[node] === 0)) nodes.push(node);
    });
    return nodes;
  }

  // The index within a cut of the volume that holds each drawn triangle, or null if the page does not contain it.
  function places(nodes, depth) {
    if (!owners) return null;
    const place = new Map(nodes.map((node, number) => [node, number]));
    const ofNode = level.map((_, node) => {
      while (level[node] > depth) node = parents[node];
      return place.get(node) ?? 0;
    });
    return Array.from(owners, (node) => ofNode[node]);
  }

  return { kind: tree.kind, label: tree.label, nodes: tree.nodes, cuts: tree.cuts, shown: tree.levels.length, hasOwners: Boolean(owners), volume, cut, places };
}

// The columns of the rotation of a quaternion (x, y, z, w) whose length is 1 up to rounding.
function axesOf(quaternion) {
  const length = Math.hypot(...quaternion) || 1;
  const [x, y, z, w] = quaternion.map((k) => k / length);
  return [
    [1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w)],
    [2 * (x * y - z * w), 1 - 2 * (x * x + z * z), 2 * (y * z + x * w)],
    [2 * (x * z + y * w), 2 * (y * z - x * w), 1 - 2 * (x * x + y * y)],
  ];
}
