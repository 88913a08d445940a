// A generated mesh: a knotted tube with any number of triangles, to measure large meshes.

const [AROUND_AXIS, THROUGH_HOLE] = [2, 3];

export function knot(rings, sectors) {
  const middle = (t) => {
    const r = 20 + 8 * Math.cos(THROUGH_HOLE * t);
    return [r * Math.cos(AROUND_AXIS * t), r * Math.sin(AROUND_AXIS * t), 8 * Math.sin(THROUGH_HOLE * t)];
  };
  const positions = new Float32Array(3 * rings * sectors);
  const indices = new Uint32Array(6 * rings * sectors);
  for (let i = 0; i < rings; i++) {
    const t = (2 * Math.PI * i) / rings;
    const [here, next] = [middle(t), middle(t + 1e-4)];
    const along = unit(next.map((x, k) => x - here[k]));
    const side = unit(cross(along, [0, 0, 1]));
    const up = cross(side, along);
    for (let k = 0; k < sectors; k++) {
      const s = (2 * Math.PI * k) / sectors;
      // The tube has ribs.
      const radius = 4 + 0.35 * Math.cos(9 * s) * Math.cos(90 * t);
      const [c, d] = [radius * Math.cos(s), radius * Math.sin(s)];
      positions.set(here.map((x, j) => x + c * side[j] + d * up[j]), 3 * (i * sectors + k));
      const [ring, sector] = [((i + 1) % rings) * sectors, (k + 1) % sectors];
      indices.set([i * sectors + k, ring + k, ring + sector, i * sectors + k, ring + sector, i * sectors + sector], 6 * (i * sectors + k));
    }
  }
  return { positions, indices };
}

const unit = (v) => v.map((x) => x / Math.hypot(...v));
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
