// Colours of everything except volumes, as numbers from 0 to 1.

export const PART_COLOURS = [[0.73, 0.75, 0.79], [0.86, 0.78, 0.62]];
export const HIGHLIGHT = [0.96, 0.1, 0.42];
export const CURVE = [1, 0.82, 0.1];

// Parses `#rrggbb`.
export function rgb(text) {
  const value = parseInt(text.trim().slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255].map((x) => x / 255);
}
