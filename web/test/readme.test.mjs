// The code of README.md, as one program beside an installed package.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

import { built, data } from "./program.mjs";

// `fetch` of a page beside its meshes, and two objects of three.js: a triangle, and the same one 2 to the right.
const PRELUDE = `
import { readFileSync } from "node:fs";
globalThis.fetch = async () => new Response(readFileSync(${JSON.stringify(data("gear.obj"))}));
const [array, at] = [new Float32Array([0, 0, 0, 1, 0, 0, 0, 1, 0]), (x) => ({ elements: [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, x, 0, 0, 1] })];
const geometry = { attributes: { position: { array, itemSize: 3, count: 3, isBufferAttribute: true } }, index: null };
const [object, otherObject] = [{ geometry, matrixWorld: at(0) }, { geometry, matrixWorld: at(2) }];
let other;
`;

test("the README's code runs and gives what it says", () => {
  const folder = mkdtempSync(join(tmpdir(), "bvtree-readme-"));
  try {
    mkdirSync(join(folder, "node_modules"));
    cpSync(built("bvtree"), join(folder, "node_modules/bvtree"), { recursive: true });
    const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
    const [first, scenes, three] = [...readme.matchAll(/^```js\n(.*?)^```/gms)].map((block) => block[1]);
    const asserted = `
console.log(JSON.stringify([query.intersects(gear, gear, bToA), query.distance(gear, gear, bToA).distance.toFixed(3)]));
other = new Tree(Mesh.read(bytes, "gear.obj"));
`;
    const together = `
const [{ distance }] = scene.pairsWithin(10);
const { body, time, point } = scene.closestHit([0, 8, 90], [0, 0, -1]);
console.log(JSON.stringify([distance.toFixed(6), body, time, point, character.ground()?.body === floor]));
`;
    writeFileSync(join(folder, "readme.mjs"), PRELUDE + first + asserted + scenes + together + three);
    const output = execFileSync(process.execPath, ["readme.mjs"], { cwd: folder, encoding: "utf8" });
    const [alone, inScene] = output.trim().split("\n").map((line) => JSON.parse(line));
    assert.deepEqual(alone, [false, "16.016"]);
    assert.deepEqual(inScene, ["7.500000", 1, 70.5, [0, 8, 19.5], true]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
