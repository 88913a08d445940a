// Colours of volumes, as in the program's pages: variations of one hue for each kind.

const HUES = { aabb: 215, obb: 24, sphere: 158, kdop: 285 };
const SHADES = 12;

// The n-th volume has the n-th colour; neighbours in the list differ clearly.
export function shades(kind) {
  return Array.from({ length: SHADES }, (_, i) => {
    const step = ((i * 5) % SHADES) / (SHADES - 1) - 0.5;
    return hsl(HUES[kind] + 26 * step, 0.7, 0.48 - 0.24 * step);
  });
}

function hsl(hue, saturation, lightness) {
  const chroma = saturation * Math.min(lightness, 1 - lightness);
  return [0, 8, 4].map((offset) => {
    const k = (offset + hue / 30) % 12;
    return lightness - chroma * Math.max(-1, Math.min(k - 3, 9 - k, 1));
  });
}
