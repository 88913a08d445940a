// What a ray from the eye hits.

// How far outside of a triangle a ray may pass, as a fraction of its edges: none slips through between two triangles.
const SLACK = 1e-6;

// The nearest hit of a ray with the triangles in some ranges of a surface's corners, or null: the distance in lengths
// of the direction, the point, and the index of the triangle's first corner. `accepts(point)` may refuse hits.
export function hitSurface({ positions }, spans, { eye, direction }, accepts = () => true) {
  let nearest = null;
  for (const [first, count] of spans) {
    for (let corner = first; corner + 2 < first + count; corner += 3) {
      const distance = hitTriangle(positions, 3 * corner, eye, direction);
      if (distance == null || (nearest && distance >= nearest.distance)) continue;
      const point = eye.map((x, k) => x + distance * direction[k]);
      if (accepts(point)) nearest = { distance, point, corner };
    }
  }
  return nearest;
}

// The algorithm of Möller and Trumbore, from both sides. Null for a miss.
function hitTriangle(p, at, eye, direction) {
  const [ux, uy, uz] = [p[at + 3] - p[at], p[at + 4] - p[at + 1], p[at + 5] - p[at + 2]];
  const [vx, vy, vz] = [p[at + 6] - p[at], p[at + 7] - p[at + 1], p[at + 8] - p[at + 2]];
  const [dx, dy, dz] = direction;
  const [hx, hy, hz] = [dy * vz - dz * vy, dz * vx - dx * vz, dx * vy - dy * vx];
  const volume = ux * hx + uy * hy + uz * hz;
  if (volume === 0) return null;
  const [sx, sy, sz] = [eye[0] - p[at], eye[1] - p[at + 1], eye[2] - p[at + 2]];
  const u = (sx * hx + sy * hy + sz * hz) / volume;
  if (u < -SLACK || u > 1 + SLACK) return null;
  const [qx, qy, qz] = [sy * uz - sz * uy, sz * ux - sx * uz, sx * uy - sy * ux];
  const v = (dx * qx + dy * qy + dz * qz) / volume;
  if (v < -SLACK || u + v > 1 + SLACK) return null;
  const distance = (vx * qx + vy * qy + vz * qz) / volume;
  return distance > 0 ? distance : null;
}
