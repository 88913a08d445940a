// Rotations as matrices of three rows, and poses as the column-major 4x4 matrices of bvtree.

export const apply = (m, [x, y, z]) => m.map((row) => row[0] * x + row[1] * y + row[2] * z);
export const transposed = (m) => [0, 1, 2].map((k) => m.map((row) => row[k]));

// Rotation by an angle in radians about a unit axis (Rodrigues). A rotation about a coordinate axis leaves that coordinate
// unchanged to the last bit, and quarter turns consist of zeros and ones, so flush surfaces stay flush.
export function rotation([x, y, z], angle) {
  const [c, s] = [Math.cos(angle), Math.sin(angle)].map((value) => (Math.abs(value) < 1e-15 ? 0 : value));
  const v = 1 - c;
  return [
    [x * x + c * (y * y + z * z), x * y * v - z * s, x * z * v + y * s],
    [y * x * v + z * s, y * y + c * (x * x + z * z), y * z * v - x * s],
    [z * x * v - y * s, z * y * v + x * s, z * z + c * (x * x + y * y)],
  ];
}

// A turn is a rotation vector: axis times angle in degrees.
export function turned(turn) {
  const degrees = Math.hypot(...turn);
  return degrees > 0 ? rotation(turn.map((x) => x / degrees), (degrees * Math.PI) / 180) : rotation([1, 0, 0], 0);
}

// Returns a turn followed by a rotation about an axis, by quaternions, which stay accurate near half a turn.
export function turnedFurther(turn, axis, angle) {
  const [w, x, y, z] = times(quaternion(axis, angle), quaternion(unit(turn), (Math.hypot(...turn) * Math.PI) / 180));
  const sine = Math.hypot(x, y, z);
  const degrees = (2 * Math.atan2(sine, Math.abs(w)) * 180) / Math.PI;
  return sine > 0 ? [x, y, z].map((k) => (Math.sign(w || 1) * k * degrees) / sine) : [0, 0, 0];
}

const unit = (v) => v.map((x) => x / (Math.hypot(...v) || 1));
const quaternion = (axis, angle) => [Math.cos(angle / 2), ...axis.map((x) => x * Math.sin(angle / 2))];
const times = ([a, b, c, d], [e, f, g, h]) => [a * e - b * f - c * g - d * h, a * f + b * e + c * h - d * g, a * g - b * h + c * e + d * f, a * h + b * g - c * f + d * e];

export const columns = (m, t) => [0, 1, 2].flatMap((k) => [m[0][k], m[1][k], m[2][k], 0]).concat(t, 1);

// Returns the pose as a row of a pose file: the rows of the 3x4 matrix.
export const poseRow = (p) => [0, 1, 2].map((row) => [p[row], p[row + 4], p[row + 8], p[row + 12]].join(",")).join(",");
