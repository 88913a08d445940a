// Forward kinematics. A pose is the 12 numbers of the rows of [R | t].

const STILL = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0];

function product(a, b) {
  const at = (row, column) => a[row] * b[column] + a[row + 1] * b[4 + column] + a[row + 2] * b[8 + column];
  return [0, 4, 8].flatMap((row) => [at(row, 0), at(row, 1), at(row, 2), at(row, 3) + a[row + 3]]);
}

function inverse(pose) {
  const rows = [0, 1, 2].map((row) => [pose[row], pose[4 + row], pose[8 + row]]);
  const at = [pose[3], pose[7], pose[11]];
  return rows.flatMap((row) => [...row, -dot(row, at)]);
}

// The rotation of a unit quaternion, and a translation.
function rigid([x, y, z, w], [tx, ty, tz]) {
  return [
    1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w), tx,
    2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w), ty,
    2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y), tz,
  ];
}

const scaled = (vector, factor) => vector.map((x) => x * factor);
const turned = (axis, angle, at = [0, 0, 0]) => rigid([...scaled(axis, Math.sin(angle / 2)), Math.cos(angle / 2)], at);

// The directions in which a planar joint slides: x and y, turned by the least rotation from z to the axis.
function plane([x, y, z]) {
  if (z < -1 + 1e-12) return [[1, 0, 0], [0, -1, 0]];
  const share = 1 / (1 + z);
  return [[1 - x * x * share, -x * y * share, -x], [-x * y * share, 1 - y * y * share, -y]];
}

// How a joint with these values moves its child link from the joint's origin.
const MOVES = {
  fixed: () => STILL,
  revolute: (axis, [angle]) => turned(axis, angle),
  continuous: (axis, [angle]) => turned(axis, angle),
  prismatic: (axis, [way]) => rigid([0, 0, 0, 1], scaled(axis, way)),
  planar(axis, [x, y, angle]) {
    const [along, across] = plane(axis);
    return turned(axis, angle, along.map((k, i) => x * k + y * across[i]));
  },
  floating(axis, [x, y, z, ...quaternion]) {
    const length = Math.hypot(...quaternion);
    return rigid(length > 0 ? scaled(quaternion, 1 / length) : [0, 0, 0, 1], [x, y, z]);
  },
};

// `joints` are those of a tree with this number of links, each after the one above it. A joint has the indices of its
// values, or of the value that it follows by a factor and an offset. `place(values)` returns each link's pose in the
// root's frame.
function createKinematics(links, joints) {
  return function place(row) {
    const placed = Array(links).fill(STILL);
    for (const { kind, parent, child, origin, axis, values, scale: [factor, offset] } of joints) {
      const moved = MOVES[kind](axis, values.map((index) => factor * row[index] + offset));
      placed[child] = product(product(placed[parent], origin), moved);
    }
    return placed;
  };
}

// The values between two rows; a quaternion turns on the shorter way, nearly evenly.
function between(from, to, part, quaternions) {
  const row = from.map((x, k) => x + (to[k] - x) * part);
  for (const first of quaternions) {
    const [a, b] = [from, to].map((ends) => ends.slice(first, first + 4));
    const unit = (q) => scaled(q, 1 / (Math.hypot(...q) || 1));
    const [start, end] = [unit(a), unit(b)];
    const sign = start.reduce((sum, x, k) => sum + x * end[k], 0) < 0 ? -1 : 1;
    row.splice(first, 4, ...start.map((x, k) => x + (sign * end[k] - x) * part));
  }
  return row;
}
