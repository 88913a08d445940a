// The state in a link: meshes, tree, looks and poses. Invalid parts of a link are ignored.

const START = { a: "gear", b: "gear", kind: "obb", preset: "balanced", level: 2, volumes: false, look: "solid", cut: 100, drag: "move", up: "z", place: null, turn: [0, 0, 0], ray: null, view: null };

const numbers = (count) => (text) => {
  const made = text.split(",").map(Number);
  return made.length === count && made.every((x) => Number.isFinite(x) && Math.abs(x) < 1e12) ? made : undefined;
};
const oneOf = (...names) => (text) => (names.includes(text) ? text : undefined);
const READERS = {
  a: (text) => text || undefined,
  b: (text) => text || undefined,
  kind: oneOf("aabb", "obb", "sphere", "kdop"),
  preset: oneOf("fast", "balanced", "tight"),
  level: (text) => (/^\d{1,2}$/.test(text) ? Number(text) : undefined),
  volumes: (text) => ({ on: true, off: false })[text],
  look: oneOf("solid", "cutaway", "clear", "none"),
  cut: (text) => (/^[1-9]\d?$/.test(text) ? Number(text) : undefined),
  up: oneOf("z", "y"),
  place: numbers(3),
  turn: numbers(3),
  ray: numbers(6),
  view: numbers(6),
};

export function readState(hash) {
  const state = { ...START };
  for (const [key, text] of new URLSearchParams(hash.replace(/^#/, ""))) {
    const value = READERS[key]?.(text);
    if (value !== undefined) state[key] = value;
  }
  return state;
}

export function writeState(state) {
  const short = (x) => Number(x.toPrecision(9));
  const made = new URLSearchParams();
  for (const key of Object.keys(READERS)) {
    const value = state[key];
    if (value == null) continue;
    made.set(key, Array.isArray(value) ? value.map(short).join(",") : typeof value === "boolean" ? (value ? "on" : "off") : value);
  }
  return `#${made.toString().replaceAll("%2C", ",")}`;
}
