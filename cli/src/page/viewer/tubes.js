// Curves as they are drawn: triangular tubes.

import { cross, difference, normalized } from "./vectors.js";

// Along curves of points, with the normals of their facets.
export function tubes(curves, radius) {
  const corners = [];
  for (const points of curves) {
    points.slice(1).forEach((end, i) => corners.push(...tube(points[i], end, radius)));
  }
  const positions = new Float32Array(corners.flat());
  const normals = new Float32Array(positions.length);
  for (let i = 0; i + 2 < corners.length; i += 3) {
    const normal = normalized(cross(difference(corners[i + 1], corners[i]), difference(corners[i + 2], corners[i])));
    for (let k = 0; k < 3; k++) normals.set(normal, 3 * (i + k));
  }
  return { count: corners.length, positions, normals };
}

function tube(start, end, radius) {
  const along = normalized(difference(end, start));
  const aside = normalized(cross(along, Math.abs(along[2]) < 0.9 ? [0, 0, 1] : [1, 0, 0]));
  const beside = cross(along, aside);
  const at = (point, k) => {
    const [sin, cos] = [Math.sin((k * 2 * Math.PI) / 3), Math.cos((k * 2 * Math.PI) / 3)];
    return point.map((x, i) => x + radius * (cos * aside[i] + sin * beside[i]));
  };
  return [0, 1, 2].flatMap((k) => {
    const [a, b, c, d] = [at(start, k), at(start, k + 1), at(end, k + 1), at(end, k)];
    return [a, b, c, a, c, d];
  });
}
