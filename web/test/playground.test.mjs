// The playground in a real browser: dragged by the mouse, moved by keys, kept by a link, silent, and with the program's answers.
// Pictures go to the folder $BVTREE_PICTURES, if there is one.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";

import { hitSurface } from "../../viewer/picking.js";
import { Chromium, chromiumProgram, serve } from "./chromium.mjs";
import { built, cooked, data, lacking, run, skip } from "./program.mjs";

const { Mesh } = await import(pathToFileURL(built("bvtree/node.js")));

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
  assert.equal(await text("answer"), "There is no first mesh");
  assert.deepEqual(browser.complaints(site.address), []);
});

// Gives the first mesh as a file of one's own.
const give = (name, content) =>
  browser.evaluate(`(() => { const bytes = Uint8Array.from(atob(${JSON.stringify(Buffer.from(content).toString("base64"))}), (x) => x.charCodeAt(0));
    const files = new DataTransfer(); files.items.add(new File([bytes], ${JSON.stringify(name)}));
    const input = document.querySelector('[type=file]'); input.files = files.files; input.dispatchEvent(new Event('change')); })()`);

async function giveObj(name, corners, faces, place) {
  await give(name, [...corners.map((corner) => `v ${corner.join(" ")}`), ...faces.map((face) => `f ${face.map((i) => i + 1).join(" ")}`)].join("\n"));
  await browser.until(`document.getElementById('row').textContent.includes(${JSON.stringify(name)})`);
  await moveTo(place);
}

// Puts the middle of the second mesh somewhere by the number fields.
async function moveTo(place) {
  await browser.evaluate(`${JSON.stringify(place)}.forEach((value, at) => {
    const input = document.querySelector(\`[data-key=place][data-at="\${at}"]\`); input.value = value; input.dispatchEvent(new Event('change')); })`);
  await browser.frames(3);
}

const choose = (name, value) => browser.evaluate(`document.querySelector('[name=${name}][value=${value}]').click()`);
const dataset = (id) => browser.evaluate(`({ ...document.getElementById('${id}').dataset })`);
const numbers = (list) => list.split(",").map(Number);
const BOX = [0, 1, 2, 3, 4, 5, 6, 7].map((i) => [i & 1 ? 5 : -5, i & 2 ? 5 : -5, i & 4 ? 5 : -5]);
const BOX_FACES = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];

test("it says that it loads until it answers, and when a mesh is replaced", { skip: reason, timeout: 300_000 }, async () => {
  const { identifier } = await browser.ask("Page.addScriptToEvaluateOnNewDocument", {
    source: `window.texts = []; new MutationObserver(() => { const text = document.getElementById("answer")?.textContent; if (text !== undefined && text !== texts.at(-1)) texts.push(text); })
      .observe(document, { subtree: true, childList: true, characterData: true });`,
  });
  const isVisible = () => browser.evaluate("(({ width, height }) => width > 60 && height > 20)(document.getElementById('answer').getBoundingClientRect())");
  const loads = async (held, what) => {
    await held.met;
    await browser.frames(2);
    assert.ok((await text("answer")) === "Loading…" && (await isVisible()), `${what}: ${await text("answer")}`);
    held.release();
  };
  const [script, module, worker, mesh] = ["soup.js", ".wasm", "worker.js", "crate.obj"].map(site.hold);
  await browser.open(`${site.address}#a=crate&b=crate`, LAPTOP);
  await script.met;
  await browser.until("document.getElementById('answer').textContent.startsWith('Loading… A page opened from a file cannot load')");
  assert.ok(await isVisible());
  script.release();
  await loads(module, "the module");
  await worker.met;
  const own = site.hold(".wasm");
  await loads(worker, "the worker");
  await loads(own, "the worker's module");
  await loads(mesh, "the mesh");
  await browser.until(isAnswered);
  await browser.frames(3);
  const texts = await browser.evaluate("texts");
  const answer = texts.findIndex((text) => /apart|touch/.test(text));
  assert.ok(answer > 0 && texts.slice(0, answer).every((text) => /^(Loading|Building)/.test(text)), `${texts}`);
  const other = site.hold("gear.obj");
  await browser.evaluate("Object.assign(document.getElementById('mesh-b'), { value: 'gear' }).dispatchEvent(new Event('change'))");
  await loads(other, "another mesh");
  await browser.until("document.getElementById('row').textContent.includes('crate,gear')");
  await browser.ask("Page.removeScriptToEvaluateOnNewDocument", { identifier });
  assert.deepEqual(browser.complaints(site.address), []);
});

test("a cutaway shows what is inside, whichever way normals point, and no face vanishes", { skip: reason, timeout: 300_000 }, async () => {
  await open("#a=crate&b=crate");
  const middle = await browser.evaluate("(({ left, top, width, height }) => [left + width / 2, top + height / 2].map(Math.round))(document.getElementById('view').getBoundingClientRect())");
  // The second mesh has a warm colour.
  const isWarm = ([red, , blue]) => red > blue + 15;
  const look = async (value) => {
    await choose("look", value);
    await browser.frames(3);
    return (await browser.colours([middle]))[0];
  };
  for (const [name, faces] of [["hull.obj", BOX_FACES], ["room.obj", BOX_FACES.map((face) => face.toReversed())]]) {
    await giveObj(name, BOX, faces, [0, 0, 0]);
    const show = (height) => browser.evaluate(`Object.assign(document.getElementById('cut'), { value: ${height} }).dispatchEvent(new Event('input'))`);
    const hit = async () => Number((await dataset("ray")).mesh);
    assert.ok(!isWarm(await look("solid")), `${name} hides what is inside`);
    assert.ok(isWarm(await look("cutaway")), `${name} is cut`);
    await picture(`cutaway-${name}`);
    await show(70);
    assert.ok(isWarm(await look("solid")), `${name} without its top`);
    await show(100);
    assert.ok(!isWarm(await look("solid")), `${name} is whole again`);
    // Rays pass what is not drawn.
    await browser.click(middle);
    assert.equal(await hit(), 0, name);
    await look("cutaway");
    assert.equal(await hit(), 1, name);
    await look("solid");
    await show(70);
    await browser.frames(3);
    assert.equal(await hit(), 1, name);
    await show(100);
  }
  // A level sheet, seen from above, with the second mesh far below.
  for (const [name, face] of [["up.obj", [0, 1, 3, 2]], ["down.obj", [0, 2, 3, 1]]]) {
    await giveObj(name, BOX, [face], [0, 0, -30]);
    await look("none");
    const [nothing] = await browser.colours([middle]);
    const seen = await look("cutaway");
    assert.ok(Math.max(...seen.map((x, i) => Math.abs(x - nothing[i]))) > 4, `${name}: ${seen} on ${nothing}`);
  }
  assert.deepEqual(browser.complaints(site.address), []);
});

test("a click casts a ray, which hits what all triangles tell", { skip: reason, timeout: 300_000 }, async () => {
  // The second mesh hides parts of the first, and the first parts of the second.
  await open("#a=gear&b=teapot&place=34,-22,12");
  const soups = ["gear", "teapot"].map((name) => {
    const { positions, indices } = Mesh.read(readFileSync(data(`${name}.obj`)), name);
    return { positions: Float64Array.from([...indices].flatMap((i) => [0, 1, 2].map((k) => positions[3 * i + k]))) };
  });
  const isHit = "document.getElementById('ray').dataset.face";
  const check = async () => {
    const ray = await dataset("ray");
    const [origin, direction, point, normal] = ["origin", "direction", "point", "normal"].map((key) => numbers(ray[key]));
    const rows = (await text("row")).split("\n")[1].split(",").slice(3).map(Number);
    const hits = soups.map(({ positions }, mesh) => hitSurface({ positions }, [[0, positions.length / 3]], { eye: origin.map((x, i) => x - mesh * rows[4 * i + 3]), direction }));
    const first = (hits[0]?.distance ?? Infinity) < (hits[1]?.distance ?? Infinity) ? 0 : 1;
    assert.deepEqual([Number(ray.mesh), Number(ray.face)], [first, hits[first].corner / 3]);
    assert.ok(Math.abs(ray.time - hits[first].distance) < 1e-9 * ray.time, `${ray.time} and ${hits[first].distance}`);
    point.forEach((x, i) => assert.ok(Math.abs(x - origin[i] - ray.time * direction[i]) < 1e-9 * ray.time, `${point}`));
    const corners = [0, 3, 6].map((k) => Array.from(soups[first].positions.subarray(9 * ray.face + k, 9 * ray.face + k + 3)));
    const [u, v] = [1, 2].map((k) => corners[k].map((x, i) => x - corners[0][i]));
    assert.ok(Math.abs(normal.reduce((sum, x, i) => sum + x * u[i], 0)) + Math.abs(normal.reduce((sum, x, i) => sum + x * v[i], 0)) < 1e-9, `${normal}`);
    return hits.map((hit) => (hit ? (hit === hits[first] ? "first" : "behind") : "none")).join();
  };
  const before = await picture("no-ray");
  const [left, top, width, height] = await browser.evaluate("(({ left, top, width, height }) => [left, top, width, height])(document.getElementById('view').getBoundingClientRect())");
  const found = new Set();
  for (let i = 3; i < 13; i++) {
    for (let k = 4; k < 13; k += 2) {
      await browser.click([left + (width * i) / 16, top + (height * k) / 16]);
      if (await browser.evaluate(isHit)) found.add(await check());
    }
  }
  assert.ok(["first,none", "none,first", "behind,first"].every((what) => found.has(what)), `${[...found].join("; ")}`);
  await browser.click(await place());
  assert.ok(!before.equals(await picture("ray")));
  // The link brings the ray back.
  const told = await dataset("ray");
  await browser.until(`location.hash.includes(",${numbers(told.direction).map((x) => Number(x.toPrecision(9)))}&")`);
  await open(await browser.evaluate("location.hash"));
  assert.equal((await dataset("ray")).face, told.face);
  await browser.click([left + 5, top + height - 60]);
  assert.deepEqual(await dataset("ray"), {});
  assert.deepEqual(browser.complaints(site.address), []);
});

test("a capsule walks, jumps, is pushed, falls, comes back and leaves", { skip: reason, timeout: 300_000 }, async () => {
  await open("#a=crate&b=crate");
  await giveObj("floor.obj", [[-6, -6, 0], [6, -6, 0], [6, 6, 0], [-6, 6, 0]], [[0, 1, 2, 3]], [0, 0, 40]);
  const before = await browser.evaluate("location.hash");
  await browser.evaluate("document.getElementById('walk').click()");
  const walk = async () => {
    const { feet, ...more } = await dataset("walk-figures");
    return { ...more, feet: numbers(feet) };
  };
  const stands = "document.getElementById('walk-figures').dataset.ground";
  await browser.until(stands);
  const start = await walk();
  assert.ok(Math.hypot(...start.feet) < 0.02, `${start.feet} is in the middle of the floor`);
  assert.equal(await text("walking"), "On the ground");
  await picture("walk");
  const far = (now) => Math.hypot(now.feet[0] - start.feet[0], now.feet[1] - start.feet[1]);
  await browser.key("keyDown", "KeyW");
  const walked = async (far) => {
    await browser.until(`Math.hypot(...document.getElementById('walk-figures').dataset.feet.split(',').slice(0, 2)) > ${far}`);
    return walk();
  };
  const [early, late] = [await walked(0.2), await walked(1.5)];
  await browser.key("keyUp", "KeyW");
  await browser.frames(3);
  const [way, steps] = [far(late) - far(early), late.steps - early.steps];
  assert.ok(steps > 0 && Math.abs(way - (4 * steps) / 60) < 1e-6, `${way} m in ${steps} steps of 1/60 s at 4 m/s`);
  await browser.key("keyDown", "Space");
  await browser.until("document.getElementById('walking').textContent === 'In the air'");
  await browser.key("keyUp", "Space");
  await browser.until(stands);
  const landed = await walk();
  // The second mesh comes from above, and pushes sideways from 3 m behind to 3 m beyond.
  const [x, y] = landed.feet;
  await moveTo([x - 4, y, 0.9]);
  await moveTo([x + 1, y, 0.9]);
  await browser.frames(5);
  const pushed = await walk();
  assert.ok(pushed.feet[0] > x + 1 && Math.abs(pushed.feet[2]) < 0.02, `${landed.feet} to ${pushed.feet}`);
  await moveTo([0, 0, 40]);
  await browser.key("keyDown", "ArrowUp");
  await browser.until("Number(document.getElementById('walk-figures').dataset.falls) === 1");
  await browser.key("keyUp", "ArrowUp");
  await browser.until(stands);
  assert.ok(far(await walk()) < 1.5, "it is back near the start");
  await browser.key("keyDown", "Escape");
  await browser.until("document.getElementById('walk').textContent === 'Walk'");
  await browser.frames(3);
  assert.equal(await browser.evaluate("location.hash.match(/view=.*/)[0]"), before.match(/view=.*/)[0], "the view is as before");
  assert.deepEqual(browser.complaints(site.address), []);
});

test("walls do not hide the capsule", { skip: reason, timeout: 300_000 }, async () => {
  await open("#a=crate&b=crate");
  await giveObj("room.obj", BOX, BOX_FACES.map((face) => face.toReversed()), [3, 3, 3]);
  await browser.evaluate("document.getElementById('walk').click()");
  await browser.until("document.getElementById('walk-figures').dataset.ground");
  for (let i = 0; i < 20; i++) await browser.key("keyDown", "-");
  await browser.frames(5);
  const middle = await browser.evaluate("(({ left, top, width, height }) => [left + width / 2, top + height / 2].map(Math.round))(document.getElementById('view').getBoundingClientRect())");
  const [[red, , blue]] = await browser.colours([middle]);
  await picture("walk-room");
  assert.ok(red > blue + 110, `${red} and ${blue}`);
  assert.deepEqual(browser.complaints(site.address), []);
});

test("on a phone, buttons walk", { skip: reason, timeout: 300_000 }, async () => {
  await open("#a=terrain&b=gear&place=0,0,60", PHONE);
  await browser.evaluate("document.getElementById('walk').click()");
  await browser.until("document.getElementById('walk-figures').dataset.ground");
  const feet = async () => numbers((await dataset("walk-figures")).feet);
  const start = await feet();
  const at = await browser.evaluate("(({ left, top, width, height }) => [left + width / 2, top + height / 2])(document.querySelector('#pad [data-key=left]').getBoundingClientRect())");
  await browser.mouse("mousePressed", at);
  await browser.frames(30);
  await picture("walk-phone");
  await browser.mouse("mouseReleased", at);
  await browser.frames(3);
  const end = await feet();
  assert.ok(Math.hypot(end[0] - start[0], end[1] - start[1]) > 0.5, `${start} to ${end}`);
  await browser.frames(10);
  assert.deepEqual(await feet(), end, "it stands still");
  assert.equal(await browser.evaluate("document.documentElement.scrollWidth"), PHONE[0]);
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
