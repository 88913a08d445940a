// The package in browsers and workers: `await init()`, then everything is there.

import start, { initSync as startSync } from "./core.js";
import { hasSimd } from "./simd.js";

export * from "./core.js";

let started;

// Loads the module that suits the engine from beside this file, or what is given. Once is enough; more does no harm.
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

// The same at once, of the bytes or the compiled module.
export function initSync(source) {
  startSync({ module: source });
  started = Promise.resolve();
}
