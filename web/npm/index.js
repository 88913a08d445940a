// The package for browsers and workers: call `await init()` before anything else.

import start, { initSync as startSync } from "./core.js";
import { hasSimd } from "./simd.js";

export * from "./core.js";

let started;

// Loads the given module, or the one next to this file that suits the engine. Further calls do nothing.
export default function init(source) {
  const own = () => (hasSimd() ? new URL("./bvtree_simd.wasm", import.meta.url) : new URL("./bvtree.wasm", import.meta.url));
  started ??= start({ module_or_path: source ?? own() }).then(
    () => {},
    (error) => {
      started = undefined;
      throw error;
    },
  );
  return started;
}

// Loads the module synchronously, from bytes or a compiled module.
export function initSync(source) {
  startSync({ module: source });
  started = Promise.resolve();
}
