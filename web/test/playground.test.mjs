// The playground in a real browser: dragged by the mouse, moved by keys, kept by a link, silent, and with the program's answers.
// Pictures go to the folder $BVTREE_PICTURES, if there is one.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { Chromium, chromiumProgram, serve } from "./chromium.mjs";
import { built, cooked, data, lacking, run, skip } from "./program.mjs";

const [LAPTOP, PHONE] = [[1366, 900], [390, 844]];
const chromium = chromiumProgram();
const reason = lacking("browser", chromium, "no Chromium");
let [site, browser] = [null, null];

before(async () => {
  if (reason) return;
  site = await serve(built("playground"));
  browser = await Chromium.start(chromium);
});

after(async () => {
  await browser?.stop();
  site?.close();
});

const isAnswered = "document.getElementById('figures').dataset.relation";
const figures = () => browser.evaluate("({ ...document.getElementById('figures').dataset })");
const text = (id) => browser.evaluate(`document.getElementById('${id}').textContent`);

async function open(hash, size = LAPTOP) {
  await browser.open(`${site.address}${hash}`, size);
  await browser.until(isAnswered);
  await browser.frames(3);
}

async function picture(name) {
  const bytes = await browser.picture();
  if (process.env.BVTREE_PICTURES) writeFileSync(join(process.env.BVTREE_PICTURES, `${name}.png`), bytes);
  return bytes;
}

// What the page tells is what the program tells of the pose that the page shows.
async function agrees(a, b) {
  const row = await text("row");
  const asked = (mode) => run(["query", data(`${a}.obj`), data(`${b}.obj`), "--poses", "-", "--mode", mode], row)[0];
  const told = await figures();
  assert.equal(told.relation, asked("relation").relation);
  assert.equal(Number(told.pairs), Number(asked("pairs").pairs));
  assert.equal(Number(told.distance), Number(asked("distance").distance));
  return told;
}

test("dragged through another mesh it tells what the program tells", { skip: reason || skip, timeout: 300_000 }, async () => {
  await open("#a=teapot&b=gear&place=40,0,0&look=clear");
  const apart = await agrees("teapot", "gear");
  assert.equal(apart.relation, "separate");
  const before = await picture("apart");
  // The second mesh is where the cursor says that it can be grabbed.
  const grabbed = await place();
  let touching = 0;
  let at = grabbed;
  for (let i = 0; i < 4; i++) {
    const next = [at[0] - 90, at[1] - 25];
    await browser.drag(at, next, 6);
    at = next;
    const told = await agrees("teapot", "gear");
    touching += told.pairs > 0;
  }
  assert.ok(touching >= 2, `${touching} of 4 places touch`);
  assert.ok(!before.equals(await picture("touching")));
  const [x, y, z] = (await state()).place;
  await browser.drag(at, [at[0] + 30, at[1]], 3, { modifiers: 8 });
  const turned = await state();
  assert.deepEqual(turned.place, [x, y, z], "Shift turns and does not move");
  assert.ok(Math.hypot(...turned.turn) > 5, `${turned.turn}`);
  await agrees("teapot", "gear");
  assert.deepEqual(browser.complaints(site.address), []);
});

// Somewhere on the second mesh, as the mouse finds it.
async function place() {
  const [left, top, width, height] = await browser.evaluate("(({ left, top, width, height }) => [left, top, width, height])(document.getElementById('view').getBoundingClientRect())");
  for (let i = 1; i < 20; i++) {
    for (let k = 1; k < 20; k++) {
      const at = [left + (width * (20 - i)) / 20, top + (height * k) / 20];
      await browser.mouse("mouseMoved", at, { button: "none", buttons: 0, clickCount: 0 });
      if (await browser.evaluate("document.getElementById('view').classList.contains('grabs')")) return at;
    }
  }
  throw new Error("the second mesh is nowhere");
}

async function state() {
  const numbers = (key) => browser.evaluate(`[...document.querySelectorAll('[data-key=${key}]')].map((input) => input.valueAsNumber)`);
  return { place: await numbers("place"), turn: await numbers("turn") };
}

test("all kinds and presets are measured, and the link brings everything back", { skip: reason, timeout: 300_000 }, async () => {
  await open("#a=crate&b=crate&kind=sphere&preset=tight&level=1&volumes=on&place=0.9,0.1,0.2&turn=10,20,30");
  await browser.until("document.getElementById('view').dataset.measured === 'true'");
  const cells = await browser.evaluate("[...document.querySelectorAll('#table tbody td')].map((cell) => cell.textContent)");
  assert.equal(cells.length, 12 * 6);
  assert.ok(cells.every((cell) => Number(cell.replaceAll(",", "")) >= 0), `${cells}`);
  assert.ok(Number(await browser.evaluate("document.getElementById('view').dataset.volumes")) > 2);
  const told = await figures();
  await browser.evaluate("document.querySelector('#table tbody button').click()");
  await browser.until("document.querySelector('[name=kind]:checked').value === 'aabb'");
  await browser.frames(3);
  const other = await figures();
  assert.deepEqual([other.relation, other.pairs, other.distance], [told.relation, told.pairs, told.distance], "the kind changes no answer");
  await browser.until("location.hash.includes('kind=aabb')");
  const hash = await browser.evaluate("location.hash");
  await open(hash);
  const again = await figures();
  assert.deepEqual([again.relation, again.pairs, again.distance], [told.relation, told.pairs, told.distance]);
  assert.deepEqual(browser.complaints(site.address), []);
});

test("it fits a phone, in the dark, and can be used by keys", { skip: reason, timeout: 300_000 }, async () => {
  await open("#a=chain_link&b=chain_link&volumes=on", PHONE);
  assert.equal(await browser.evaluate("document.documentElement.scrollWidth"), PHONE[0]);
  const light = await picture("phone");
  await browser.evaluate("document.getElementById('theme').click()");
  await browser.frames(3);
  assert.ok(!light.equals(await picture("phone-dark")));
  const before = await state();
  await browser.evaluate("document.getElementById('view').focus()");
  await browser.ask("Input.dispatchKeyEvent", { type: "keyDown", key: "ArrowRight", windowsVirtualKeyCode: 39, modifiers: 8 });
  await browser.frames(3);
  assert.notDeepEqual((await state()).place, before.place);
  // Every control has a name.
  const nameless = await browser.evaluate("[...document.querySelectorAll('button, input, select')].filter((e) => !(e.textContent.trim() || e.getAttribute('aria-label') || e.labels?.[0]?.textContent.trim())).length");
  assert.equal(nameless, 0);
  assert.deepEqual(browser.complaints(site.address), []);
});

test("files of one's own are read, and nonsense is told", { skip: reason, timeout: 300_000 }, async () => {
  await open("#a=crate&b=crate");
  const { distance, relation: first } = await figures();
  const give = (name, content) =>
    browser.evaluate(`(() => { const bytes = Uint8Array.from(atob(${JSON.stringify(Buffer.from(content).toString("base64"))}), (x) => x.charCodeAt(0));
      const files = new DataTransfer(); files.items.add(new File([bytes], ${JSON.stringify(name)}));
      const input = document.querySelector('[type=file]'); input.files = files.files; input.dispatchEvent(new Event('change')); })()`);
  await give("<b>x</b>.off", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n");
  await browser.until("document.getElementById('row').textContent.includes('<b>x</b>.off')");
  const { relation } = await figures();
  assert.ok(["crossing", "undefined"].includes(relation), `${relation} of one triangle and a crate`);
  if (!skip) {
    await give("cooked.BVT", cooked("crate", "aabb", "fast"));
    await browser.until("document.getElementById('row').textContent.includes('cooked.BVT')");
    // The same crate at the same place as at first.
    await browser.until(`document.getElementById('figures').dataset.relation === '${first}' && document.getElementById('figures').dataset.distance === '${distance}'`);
  }
  await give("bad.bvt", "BVT no more");
  await browser.until("document.getElementById('notes').textContent.length > 0");
  await give("bad.obj", "v 1 2\n");
  await browser.until("document.getElementById('notes').textContent.includes('line 1')");
  assert.deepEqual(browser.complaints(site.address), []);
});

test("100,000 triangles against as many follow the hand", { skip: reason, timeout: 300_000 }, async () => {
  await open("#a=knot-100k&b=knot-100k&place=30,3,12");
  const at = await place();
  await browser.drag(at, [at[0] - 200, at[1] + 20], 40);
  const { pairs, micros } = await figures();
  await picture("knots");
  console.log(`knots of 100,352 triangles: ${pairs} pairs, all answers of a frame in ${Math.round(micros)} µs`);
  assert.deepEqual(browser.complaints(site.address), []);
});
