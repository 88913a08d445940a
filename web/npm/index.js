// The package for browsers and workers: call `await init()` before anything else.

import start, { initSync as startSync } from "./core.js";
import { hasSimd } from "./simd.js";

export * from "./core.js";

let started;
let isPending = false;

// Loads the given module, or the one next to this file that suits the engine. Further calls do nothing.
export default function init(source) {
  const own = () => (hasSimd() ? new URL("./bvtree_simd.wasm", import.meta.url) : new URL("./bvtree.wasm", import.meta.url));
  started ??= load(source ?? own());
  return started;
}

async function load(source) {
  isPending = true;
  try {
    await start({ module_or_path: source });
  } catch (error) {
    started = undefined;
    throw error;
  } finally {
    isPending = false;
  }
}

// Loads the module synchronously, from bytes or a compiled module.
export function initSync(source) {
  // A second instance, with memory of its own, would take the place of this one under the objects that were created in between.
  if (isPending) throw new Error("init() has not finished: await it instead of calling initSync()");
  startSync({ module: source });
  started = Promise.resolve();
}
