// The trees of the two meshes: a worker builds them, and they are opened here.

import { Tree } from "./bvtree/index.js";

export const KINDS = ["aabb", "obb", "sphere", "kdop"];
export const PRESETS = ["fast", "balanced", "tight"];
export const BUILDS = KINDS.flatMap((kind) => PRESETS.map((preset) => [kind, preset]));

// Calls `heard` with each mesh, tree and error from the worker, with its slot.
export function createTrees(heard) {
  const worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
  const slots = [0, 1].map(() => ({ load: 0, trees: new Map() }));
  const key = (kind, preset) => `${kind} ${preset}`;

  worker.onerror = () => slots.forEach((_, slot) => heard({ slot, error: "the worker that builds trees did not start" }));
  worker.onmessage = ({ data }) => {
    const slot = slots[data.slot];
    // The message belongs to a mesh that has been replaced.
    if (slot?.load !== data.load) return;
    if (data.tree) {
      const { kind, preset, time, bytes } = data.tree;
      slot.trees.set(key(kind, preset), { tree: Tree.fromBytes(bytes), time, bytes: bytes.length });
    }
    heard(data);
  };

  return {
    load(number, source, first) {
      const slot = slots[number];
      slot.load += 1;
      slot.trees.forEach(({ tree }) => tree.free());
      slot.trees.clear();
      const trees = [...BUILDS].sort((x, y) => (key(...y) === key(...first)) - (key(...x) === key(...first)));
      worker.postMessage({ slot: number, load: slot.load, trees, ...source });
    },
    // Builds the chosen tree before the others.
    prefer: (kind, preset) => worker.postMessage({ order: [kind, preset] }),
    of: (number, kind, preset) => slots[number].trees.get(key(kind, preset)),
    // Returns both meshes' trees of a kind and preset, or null if one is not built yet.
    pair(kind, preset) {
      const found = slots.map(({ trees }) => trees.get(key(kind, preset)));
      return found.every(Boolean) ? found : null;
    },
  };
}
