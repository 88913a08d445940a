// The package for Node.js, loaded synchronously.

import { readFileSync } from "node:fs";

import { initSync as startSync } from "./core.js";
import { hasSimd } from "./simd.js";

export * from "./core.js";

startSync({ module: readFileSync(new URL(hasSimd() ? "./bvtree_simd.wasm" : "./bvtree.wasm", import.meta.url)) });

// Does nothing; browsers need it.
export default async function init() {}
export function initSync() {}
