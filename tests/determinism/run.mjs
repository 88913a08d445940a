// Runs a test program that was compiled to WebAssembly (wasm32-unknown-unknown): node run.mjs PROGRAM.wasm. Such a program can print
// nothing. A test that fails ends it, and the functions on the stack, the test's among them, tell which it was.
import { readFile } from "node:fs/promises";
import { argv, exit } from "node:process";

Error.stackTraceLimit = 50;
const module = await WebAssembly.compile(await readFile(argv[2]));
const needs = WebAssembly.Module.imports(module).map(({ module, name }) => `${module}.${name}`);
if (needs.length > 0) throw new Error(`the program imports ${needs.join(", ")}`);
const { exports } = await WebAssembly.instantiate(module, {});
const started = performance.now();
const status = exports.main(0, 0);
console.log(`${argv[2]}: status ${status} after ${Math.round(performance.now() - started)} ms`);
exit(status);
