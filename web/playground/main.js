// The playground: choices, poses of the meshes, and results.

import init, { simdLevel, version } from "./bvtree/index.js";
import { createComparison } from "./comparison.js";
import { createHand } from "./drag.js";
import { createLive } from "./live.js";
import { UNPLACED, createPickers } from "./pickers.js";
import { columns, poseRow, turned, turnedFurther } from "./pose.js";
import { asNumbers, createRays, ofNumbers } from "./rays.js";
import { middleOf } from "./soup.js";
import { createStage } from "./stage.js";
import { readState, writeState } from "./state.js";
import { describe, describeRay, describeWalk, figures, forgetTimes } from "./answers.js";
import { createTrees } from "./trees.js";
import { createWalk } from "./walk.js";
import { usualHeight } from "./walker.js";
import { KIND_NAMES, byId, element, segmented, themeButton, volumesOf } from "./viewer/dom.js";
import { listenToClicks } from "./viewer/gestures.js";

const LOOKS = [["solid", "Solid"], ["cutaway", "Cutaway"], ["clear", "Clear"], ["none", "Hidden"]];
// Maximum number of volumes drawn for a mesh.
const DRAWN = 20000;
// After this many milliseconds without a change, the table is measured and the link is updated.
const CALM = 250;
// Number of repetitions of each query after a pause, because the first one takes longer.
const AGAIN = 6;

const state = readState(location.hash);
const meshes = [null, null];
const sources = [null, null];
const canvas = byId("view");
let changed = { asked: true, volumes: true, at: 0, again: 0 };
let stage = null;

// Scripts run, so the page was not opened from a file.
byId("answer").textContent = "Loading…";
await init().catch((error) => {
  byId("answer").textContent = `WebAssembly did not load: ${error.message}`;
  throw error;
});
byId("engine").textContent = `bvtree ${version()}, WebAssembly with ${simdLevel() === "simd128" ? "128-bit SIMD" : "no SIMD"}, on one thread. Nothing leaves this page.`;

const live = createLive();
const trees = createTrees(heard);
const rays = createRays();
listenToClicks(canvas, cast);
const hand = createHand(canvas, () => stage, hitAt, () => state.drag === "turn", {
  move: (step) => moveTo(state.place.map((x, k) => x + step[k])),
  turn: (axis, angle) => turnTo(turnedFurther(state.turn, axis, angle)),
});
stage = createStage(canvas, onFrame);
if (!stage) {
  const notice = element("p", { class: "notice" }, "This browser cannot show the 3D view: WebGL 2 is missing or disabled. Results are shown all the same.");
  canvas.replaceWith(notice);
  byId("hint").hidden = true;
}
const walk = stage && createWalk(stage, byId("pad"), wallBehind, walked);
const comparison = createComparison(byId("table"), trees, live, (kind, preset) => choose({ kind, preset }));
const pickers = createPickers(byId("pickers"), state, { begin, load, fail, complain: tell });
const fields = poseFields();
controls();
themeButton(byId("theme"), () => stage?.redraw());
byId("walk").addEventListener("click", () => (walk.isOn() ? walk.stop() : startWalk()));
byId("home").addEventListener("click", () => {
  stage?.frame(boundsOf());
  stage?.camera.reset();
  place();
});
pickers.dropOn(byId("stage"), byId("drop"));
pickers.loadAll();
addEventListener("hashchange", () => {
  if (location.hash !== writeState(state)) location.reload();
});
setInterval(whenCalm, 60);
if (!stage) setInterval(() => onFrame(performance.now()), 50);

// A mesh will be replaced; "Loading" stands for the answer until there is one.
function begin(slot) {
  walk?.stop();
  byId("notes").textContent = "";
  byId("answer").textContent = "Loading…";
  meshes[slot] = null;
  comparison.clear();
}

function load(slot, source) {
  begin(slot);
  sources[slot] = source;
  trees.load(slot, { ...source, up: state.up === "z" ? undefined : state.up }, [state.kind, state.preset]);
}

function fail(slot, error) {
  const mesh = `${["first", "second"][slot]} mesh`;
  if (!meshes[slot]) byId("answer").textContent = `There is no ${mesh}`;
  tell(`The ${mesh}: ${error}`);
}

function heard({ slot, mesh, tree, error }) {
  if (error) return fail(slot, error);
  if (mesh) {
    meshes[slot] = mesh;
    forgetTimes();
    if (slot === 0) byId("height").value = usualHeight(mesh.bounds);
    stage?.setMesh(slot, mesh);
    if (meshes.every(Boolean)) placed();
  }
  if (tree) change({ volumes: true });
}

function tell(text) {
  byId("notes").textContent = text;
}

const boundsOf = () => meshes.map(({ bounds }) => bounds);

// Called when both meshes are loaded. B gets the link's pose, or one next to A at which they intersect.
function placed() {
  const [a, b] = meshes.map(({ bounds }) => [0, 1, 2].map((k) => bounds[k + 3] - bounds[k]));
  state.place ??= [0.45 * (a[0] + b[0]), 0.03 * b[1], 0.1 * b[2]];
  place();
  stage?.frame(boundsOf());
  place();
  if (state.view && stage) {
    const [yaw, pitch, distance, ...target] = state.view;
    stage.camera.place({ yaw, pitch, distance, target });
  }
}

// Returns B's rotation about its middle, and its pose in A's frame.
function pose() {
  const rotation = turned(state.turn);
  const [a, b] = boundsOf().map(middleOf);
  const at = a.map((x, k) => x + state.place[k]);
  const translation = at.map((x, k) => x - (rotation[k][0] * b[0] + rotation[k][1] * b[1] + rotation[k][2] * b[2]));
  return { rotation, translation, matrix: columns(rotation, translation) };
}

function place() {
  stage?.place(turned(state.turn), state.place);
  fields.show();
  change();
}

function moveTo(to) {
  state.place = to;
  place();
}

function turnTo(turn) {
  state.turn = turn;
  place();
}

function change(more = {}) {
  changed = { ...changed, asked: true, at: performance.now(), again: 0, ...more };
  comparison.invalidate();
  stage?.redraw();
}

const chosen = () => trees.pair(state.kind, state.preset);

// Returns the trees and the pose for dragging and queries, or null before they exist.
function handled() {
  const pair = chosen();
  if (!pair || !state.place || !meshes.every(Boolean)) return null;
  return { trees: pair.map(({ tree }) => tree), ...pose() };
}

// Returns the first hit of the ray through a place of the canvas, in CSS pixels.
function hitAt(x, y) {
  const scene = handled();
  return scene && firstSeen(scene, stage.ray(x, y));
}

const firstSeen = (scene, ray) => rays.closestHit(scene, ray, stage?.seen(ray));

// Keeps the ray through the place of a click, or none if it hits nothing.
function cast(x, y) {
  state.ray = hitAt(x, y) ? asNumbers(stage.ray(x, y)) : null;
  change();
}

function rayAndHit(scene) {
  const ray = state.ray && ofNumbers(state.ray);
  return { ray, hit: ray && firstSeen(scene, ray) };
}

function startWalk() {
  const scene = handled();
  const height = byId("height").valueAsNumber;
  if (!scene || !(height > 0)) return;
  const { ray, hit } = rayAndHit(scene);
  walk.start(scene, meshes[0].bounds, height, ray, hit);
  byId("stage").classList.add("walks");
  byId("walk").textContent = "Leave";
  canvas.focus({ preventScroll: true });
}

// Surfaces that are drawn solid hide the capsule.
function wallBehind(ray) {
  const scene = state.look === "solid" && handled();
  return (scene && firstSeen(scene, ray)?.time) || Infinity;
}

function walked(outcome) {
  describeWalk(byId("walk-figures"), byId("walking"), outcome);
  if (outcome) return;
  byId("stage").classList.remove("walks");
  byId("walk").textContent = "Walk";
}

// Runs the steps of the walk and the queries for the frame about to be drawn.
function onFrame(now) {
  if (walk?.isOn()) walk.frame(now, pose().matrix);
  if (!changed.asked) return;
  const scene = handled();
  if (!scene) {
    if (meshes.every(Boolean)) byId("answer").textContent = `Building ${KIND_NAMES[state.kind]} trees…`;
    return;
  }
  changed.asked = false;
  // Rays pass what is not drawn, so the looks come first.
  if (changed.volumes) showVolumes(scene.trees);
  changed.volumes = false;
  const found = live.ask(scene.trees, scene.matrix);
  const { ray, hit } = rayAndHit(scene);
  byId("buttons").hidden = !stage;
  describe(byId("answer"), found);
  describeRay(byId("ray"), byId("ray-sign"), ray, hit);
  figures(byId("figures"), found);
  byId("row").textContent = `#mesh_a,mesh_b,label,r00,r01,r02,tx,r10,r11,r12,ty,r20,r21,r22,tz\n${state.a},${state.b},here,${poseRow(scene.matrix)}`;
  const { faces, curves } = found.touching.answer;
  const ofPart = (part) => new Set(faces.filter((_, i) => i % 2 === part));
  stage?.show({ ray: hit && { ...ray, ...hit }, found: { faces: [ofPart(0), ofPart(1)].map((set) => Array.from(set)), curves, closest: found.distance?.answer && [found.distance.answer.onA, found.distance.answer.onB] } });
}

// The height in A's frame above which nothing is drawn.
function cutHeight() {
  byId("cut-text").textContent = `${state.cut} %`;
  const [lowest, highest] = [2, 5].map((k) => meshes[0].bounds[k]);
  return state.cut < 100 ? lowest + ((highest - lowest) * state.cut) / 100 : Infinity;
}

function showVolumes(pair) {
  const deepest = Math.max(...pair.map(({ depth }) => depth));
  const level = Math.min(state.level, deepest);
  const slider = byId("level");
  Object.assign(slider, { max: deepest, value: level });
  byId("level-text").textContent = `${level} of ${deepest}`;
  const of = pair.map((tree) => (state.volumes ? tree.volumes(level) : new Float32Array()));
  const counts = of.map((matrices) => matrices.length / 16);
  stage?.show({ volumes: { kind: state.kind, of: of.map((matrices, i) => (counts[i] <= DRAWN ? matrices : null)) }, look: state.look, cut: cutHeight() });
  const tooMany = counts.some((count) => count > DRAWN) ? " Too many to draw." : "";
  byId("volumes").textContent = state.volumes ? `${volumesOf(state.kind, counts[0] + counts[1])} at level ${level}.${tooMany}` : "";
}

// When nothing changes: measures one row of the table at a time, and updates the link.
function whenCalm() {
  if (hand.isHeld() || !state.place || performance.now() - changed.at < CALM) return;
  const scene = handled();
  if (scene && changed.again < AGAIN && Number(byId("figures").dataset.pairs) > 0) {
    changed.again += 1;
    changed.asked = true;
    stage?.redraw();
    return;
  }
  if (scene) comparison.step(scene.matrix);
  canvas.dataset.measured = comparison.isDone();
  if (stage && !walk.isOn()) {
    const { yaw, pitch, distance, target } = stage.camera.placed();
    state.view = [yaw, pitch, distance, ...target];
  }
  const hash = writeState(state);
  if (hash !== location.hash) history.replaceState(null, "", hash);
}

function choose(changes) {
  Object.assign(state, changes);
  trees.prefer(state.kind, state.preset);
  comparison.choose(state.kind, state.preset);
  forgetTimes();
  for (const input of byId("controls").querySelectorAll("[name=kind], [name=preset]")) input.checked = input.value === state[input.name];
  change({ volumes: true });
}

function controls() {
  const set = (key) => (value) => choose({ [key]: value });
  const slider = element("input", { type: "range", id: "level", min: 0, max: 8, value: state.level, input: () => choose({ level: slider.valueAsNumber }) });
  const cut = element("input", { type: "range", id: "cut", min: 1, max: 100, value: state.cut, input: () => choose({ cut: cut.valueAsNumber }) });
  byId("controls").append(
    segmented("kind", "Volumes", Object.entries(KIND_NAMES).map(([kind, name]) => [kind, name, kind]), state.kind, set("kind")),
    segmented("preset", "Build", ["fast", "balanced", "tight"].map((name) => [name, name]), state.preset, set("preset")),
    element("div", { class: "level" }, element("label", { for: "level" }, "Level"), slider, element("output", { id: "level-text", for: "level" })),
    segmented("look", "Meshes", LOOKS, state.look, set("look")),
    element("div", { class: "level" }, element("label", { for: "cut" }, "Height shown"), cut, element("output", { id: "cut-text", for: "cut" })),
    segmented("drag", "Dragging", [["move", "Moves"], ["turn", "Turns"]], state.drag, set("drag")),
    element("label", { class: "switch" }, element("input", { type: "checkbox", name: "volumes", checked: state.volumes, change: (event) => choose({ volumes: event.target.checked }) }), "Show volumes"),
  );
  byId("axes").append(segmented("up", "Up axis of mesh files", [["z", "z"], ["y", "y"]], state.up, (up) => {
    Object.assign(state, UNPLACED, { up });
    sources.forEach((source, slot) => source && load(slot, source));
  }));
  comparison.choose(state.kind, state.preset);
}

// Number fields for the pose, also for users who cannot drag.
function poseFields() {
  const field = (key, k, name) => element("input", { type: "number", step: "any", "aria-label": name, "data-key": key, "data-at": k, change: (event) => set(key, k, event.target.valueAsNumber) });
  const set = (key, k, value) => {
    if (!Number.isFinite(value) || !state.place) return fields.show();
    const made = state[key].with ? state[key].with(k, value) : Object.assign([...state[key]], { [k]: value });
    (key === "place" ? moveTo : turnTo)(made);
  };
  const row = (key, title, what) => [element("span", {}, title), ..."xyz".split("").map((axis, k) => field(key, k, `${what} ${axis}`))];
  byId("pose").append(...row("place", "Middle", "Middle of the second mesh from the first one's,"), ...row("turn", "Turn, °", "Turn of the second mesh, degrees about"));
  const inputs = [...byId("pose").querySelectorAll("input")];
  return {
    show() {
      for (const input of inputs) {
        const value = state[input.dataset.key]?.[input.dataset.at];
        if (value != null && document.activeElement !== input) input.value = Number(value.toPrecision(5));
      }
    },
  };
}
