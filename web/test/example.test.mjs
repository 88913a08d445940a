// The example of three.js in a real browser: the capsule falls, walks to the wall, jumps, and rides on the lift.
// A picture goes to the folder $BVTREE_PICTURES, if there is one.

import assert from "node:assert/strict";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";

import { Chromium, chromiumProgram, serve } from "./chromium.mjs";
import { lacking } from "./program.mjs";

const chromium = chromiumProgram();
const three = fileURLToPath(new URL("../node_modules/three", import.meta.url));
const reason = lacking("browser", chromium, "no Chromium") || lacking("npm", existsSync(three), "no three.js: npm --prefix web install");
let [site, browser] = [null, null];

before(async () => {
  if (reason) return;
  site = await serve(fileURLToPath(new URL("../..", import.meta.url)));
  browser = await Chromium.start(chromium);
});

after(async () => {
  await browser?.stop();
  site?.close();
});

const feet = async () => (await browser.evaluate("document.body.dataset.feet")).split(",").map(Number);
const isAt = (condition) => `((x, y, z) => ${condition})(...document.body.dataset.feet.split(',').map(Number))`;

test("the character of three-mesh-bvh's example walks with bvtree", { skip: reason, timeout: 300_000 }, async () => {
  await browser.open(`${site.address}web/examples/character.html`, [800, 600]);
  await browser.until("document.body.dataset.ground === '0'");
  const [x, y, z] = await feet();
  assert.ok(Math.hypot(x, z - 3) < 1e-6 && y > 0 && y < 0.02, `${x} ${y} ${z}`);

  // Forward is away from the camera, to the wall at z = -5.8.
  await browser.key("keyDown", "KeyW");
  await browser.until(isAt("z < -5.4"));
  await new Promise((done) => setTimeout(done, 1000));
  const wall = await feet();
  assert.ok(wall[2] > -5.5 && wall[2] < -5.45, `${wall}`);
  await browser.key("keyUp", "KeyW");

  await browser.key("keyDown", "Space");
  await browser.until("document.body.dataset.ground === 'none'");
  await browser.key("keyUp", "Space");
  await browser.until("document.body.dataset.ground !== 'none'");

  await browser.key("keyDown", "KeyV");
  await browser.key("keyDown", "KeyR");
  await browser.until(isAt("z > 2"));
  // Onto the lift when it is down: it carries the capsule up.
  await browser.key("keyDown", "KeyD");
  await browser.until("document.body.dataset.ground === '1'");
  await browser.key("keyUp", "KeyD");
  await browser.until(isAt("y > 1.4"));
  if (process.env.BVTREE_PICTURES) writeFileSync(join(process.env.BVTREE_PICTURES, "example.png"), await browser.picture());
  assert.deepEqual(browser.complaints(site.address), []);
});
