// The package in node: there at once.

import { readFileSync } from "node:fs";

import { initSync as startSync } from "./core.js";
import { hasSimd } from "./simd.js";

export * from "./core.js";

startSync({ module: readFileSync(new URL(hasSimd() ? "./bvtree_simd.wasm" : "./bvtree.wasm", import.meta.url)) });

// What browsers need. Here it does nothing.
export default async function init() {}
export function initSync() {}
