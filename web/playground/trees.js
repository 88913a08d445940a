// The two meshes with their trees: the worker builds, here they are opened.

import { Tree } from "./bvtree/index.js";

export const KINDS = ["aabb", "obb", "sphere", "kdop"];
export const PRESETS = ["fast", "balanced", "tight"];
export const BUILDS = KINDS.flatMap((kind) => PRESETS.map((preset) => [kind, preset]));

// `heard` is told of each mesh, tree and error that comes, with its slot.
export function createTrees(heard) {
  const worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
  const slots = [0, 1].map(() => ({ load: 0, trees: new Map() }));
  const key = (kind, preset) => `${kind} ${preset}`;

  worker.onmessage = ({ data }) => {
    const slot = slots[data.slot];
    // Of a mesh that another one has replaced.
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
    // The one that is chosen before the others.
    prefer: (kind, preset) => worker.postMessage({ order: [kind, preset] }),
    of: (number, kind, preset) => slots[number].trees.get(key(kind, preset)),
    // Both meshes' trees of a kind and preset, if both are there.
    pair(kind, preset) {
      const found = slots.map(({ trees }) => trees.get(key(kind, preset)));
      return found.every(Boolean) ? found : null;
    },
  };
}
