// The unit box and the unit sphere from which volumes are drawn: their edges, the sphere's outline, and their faces.

// A line as two triangles. Each corner has the line's start and end, its position along the line and its side.
function lineCorners(start, end) {
  const corner = (along, beside) => [...start, ...end, along, beside];
  return [corner(0, -1), corner(1, -1), corner(1, 1), corner(0, -1), corner(1, 1), corner(0, 1)].flat();
}

function circle(segments, at) {
  const points = Array.from({ length: segments + 1 }, (_, i) => at((2 * Math.PI * i) / segments));
  return points.slice(1).flatMap((end, i) => lineCorners(points[i], end));
}

export function boxShape() {
  const lines = [];
  const faces = [];
  for (let k = 0; k < 3; k++) {
    const [u, v] = [(k + 1) % 3, (k + 2) % 3];
    const point = (a, b, c) => {
      const made = [0, 0, 0];
      [made[k], made[u], made[v]] = [a, b, c];
      return made;
    };
    for (const [b, c] of [[-1, -1], [-1, 1], [1, -1], [1, 1]]) lines.push(...lineCorners(point(-1, b, c), point(1, b, c)));
    for (const a of [-1, 1]) {
      for (const [b, c] of [[-1, -1], [1, -1], [1, 1], [-1, -1], [1, 1], [-1, 1]]) faces.push(...point(a, b, c), ...point(a, 0, 0));
    }
  }
  return { lines: new Float32Array(lines), faces: new Float32Array(faces) };
}

export function ballShape() {
  const [rings, sectors] = [16, 24];
  const at = (ring, sector) => {
    const [polar, around] = [(Math.PI * ring) / rings, (2 * Math.PI * sector) / sectors];
    return [Math.sin(polar) * Math.cos(around), Math.sin(polar) * Math.sin(around), Math.cos(polar)];
  };
  const faces = [];
  for (let r = 0; r < rings; r++) {
    for (let s = 0; s < sectors; s++) {
      for (const [i, k] of [[0, 0], [1, 0], [1, 1], [0, 0], [1, 1], [0, 1]]) {
        const point = at(r + i, s + k);
        faces.push(...point, ...point);
      }
    }
  }
  const round = (t) => [Math.cos(t), Math.sin(t), 0];
  return { lines: new Float32Array(0), outline: new Float32Array(circle(48, round)), faces: new Float32Array(faces) };
}
