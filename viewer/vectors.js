// Numbers, and vectors of three of them.

export const clamp = (x, low, high) => Math.min(high, Math.max(low, x));

export const AXES = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];

export const difference = (a, b) => a.map((x, k) => x - b[k]);
export const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
export const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];

export function normalized(vector) {
  const length = Math.hypot(...vector);
  return length > 0 ? vector.map((x) => x / length) : [0, 0, 1];
}
