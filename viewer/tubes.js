// Curves drawn as tubes with a triangular cross-section.

import { cross, difference, normalized } from "./vectors.js";

const SIDES = [0, 1, 2].map((k) => [Math.cos((k * 2 * Math.PI) / 3), Math.sin((k * 2 * Math.PI) / 3)]);
const CORNERS = 18;

// Triangles of tubes along curves of points, with the normals of their facets.
export function tubes(curves, radius) {
  const segments = curves.reduce((sum, points) => sum + Math.max(0, points.length - 1), 0);
  const count = segments * CORNERS;
  const made = { count, positions: new Float32Array(3 * count), normals: new Float32Array(3 * count) };
  let at = 0;
  for (const points of curves) {
    for (let i = 1; i < points.length; i++, at += CORNERS) addTube(made, at, points[i - 1], points[i], radius);
  }
  return made;
}

function addTube({ positions, normals }, at, start, end, radius) {
  const along = normalized(difference(end, start));
  const aside = normalized(cross(along, Math.abs(along[2]) < 0.9 ? [0, 0, 1] : [1, 0, 0]));
  const beside = cross(along, aside);
  const outwards = SIDES.map(([cos, sin]) => aside.map((x, i) => radius * (cos * x + sin * beside[i])));
  const corner = (point, side) => point.map((x, i) => x + outwards[side][i]);
  for (let k = 0; k < 3; k++) {
    const next = (k + 1) % 3;
    const [a, b, c, d] = [corner(start, k), corner(start, next), corner(end, next), corner(end, k)];
    const normal = normalized(cross(difference(b, a), difference(c, a)));
    [a, b, c, a, c, d].forEach((point, i) => {
      positions.set(point, 3 * (at + 6 * k + i));
      normals.set(normal, 3 * (at + 6 * k + i));
    });
  }
}
