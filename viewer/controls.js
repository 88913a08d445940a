// Controls of the 3D view: kind, build, level and looks. All inputs are native, so the usual keys work.

import { KIND_NAMES, element, grouped, plural, segmented, volumesOf } from "./dom.js";
import { clamp } from "./vectors.js";

const LOOKS = [["solid", "Solid"], ["clear", "Clear"], ["none", "Hidden"]];
const SWITCHES = [
  ["volumes", "Volumes"],
  ["faces", "Fill"],
  ["byVolume", "Colour by volume"],
  ["edges", "Edges"],
];
const START = { look: "solid", volumes: true, faces: true, byVolume: false, edges: false };

// The choices are kept when the scene changes.
export function createControls(container, status, viewer, start = {}) {
  const looksOf = { ...START, ...start.looks };
  const choice = { kind: start.kind ?? null, label: start.label ?? null, level: start.level ?? 2 };
  let scene = null;

  const kinds = element("div", { class: "slot" });
  const labels = element("div", { class: "slot" });
  const levels = levelSlider((step) => setLevel(choice.level + step), setLevel);
  const looks = element("div", { class: "slot" });
  container.replaceChildren(kinds, labels, levels.row, looks, switchRow(looksOf, look));

  const trees = () => scene.parts[0].trees;
  const tree = () => trees().find(({ kind, label }) => kind === choice.kind && label === choice.label);

  function look(key, value) {
    looksOf[key] = value;
    viewer.update({ [key]: value });
    allowSwitches(container, looksOf);
    tell();
  }

  function setLevel(level) {
    choice.level = clamp(level, 0, lastLevel(tree()));
    apply();
  }

  // Chooses an existing tree, of the same kind if possible.
  function settle() {
    if (tree()) return;
    const { kind, label } = trees().find(({ kind }) => kind === choice.kind) ?? trees()[0] ?? {};
    Object.assign(choice, { kind, label });
  }

  function choose(changes) {
    Object.assign(choice, changes);
    settle();
    build();
    apply();
  }

  function build() {
    const offeredKinds = [...new Set(trees().map(({ kind }) => kind))].map((kind) => [kind, KIND_NAMES[kind], kind]);
    const ofKind = trees().filter(({ kind }) => kind === choice.kind);
    offer(kinds, "kind", "Volumes", offeredKinds, choice.kind, (kind) => choose({ kind }));
    offer(labels, "label", "Build", ofKind.map(({ label }) => [label, label]), choice.label, (label) => choose({ label }));
    container.querySelector("[name=byVolume]").closest("label").hidden = !tree()?.hasOwners;
    offer(looks, "look", "Mesh", LOOKS, looksOf.look, (chosen) => look("look", chosen));
  }

  function apply() {
    const shown = tree();
    const level = Math.min(choice.level, lastLevel(shown));
    levels.show(level, lastLevel(shown), shown ? shown.cuts.length - 1 : 0);
    viewer.update({ tree: shown ? { kind: shown.kind, label: shown.label } : null, level });
    tell();
  }

  function tell() {
    const shown = looksOf.volumes ? tree() : null;
    const sentences = [...aboutVolumes(scene, shown, Math.min(choice.level, lastLevel(shown))), ...aboutMeshes(scene)];
    status.replaceChildren(...sentences.map((text) => element("span", {}, text)));
  }

  return {
    show(decoded, changes = {}) {
      const isNew = !scene;
      scene = decoded;
      Object.assign(choice, changes);
      settle();
      build();
      viewer.show(decoded, { tree: null, ...(isNew ? looksOf : {}) });
      apply();
      allowSwitches(container, looksOf);
    },
  };
}

// The deepest level of a tree that the page contains.
const lastLevel = (tree) => (tree?.shown ?? 1) - 1;

// A slider for the level, with buttons for one level up and down.
function levelSlider(step, set) {
  const slider = element("input", { type: "range", id: "level", min: 0, step: 1, input: () => set(slider.valueAsNumber) });
  const text = element("output", { for: "level" });
  const row = element(
    "div",
    { class: "level" },
    element("label", { for: "level" }, "Level"),
    element("button", { type: "button", "aria-label": "One level up", click: () => step(-1) }, "−"),
    slider,
    element("button", { type: "button", "aria-label": "One level down", click: () => step(1) }, "+"),
    text,
  );

  // `last` is the deepest level of the page, `all` that of the tree.
  function show(level, last, all) {
    slider.max = last;
    slider.value = level;
    slider.disabled = last === 0;
    const leftOut = last < all ? `, the page ends at ${last}` : "";
    text.textContent = `${level} of ${all}${leftOut}`;
    slider.setAttribute("aria-valuetext", `level ${text.textContent}`);
  }

  return { row, show };
}

function switchRow(looksOf, look) {
  const switches = SWITCHES.map(([key, title]) =>
    element(
      "label",
      { class: "switch" },
      element("input", { type: "checkbox", name: key, checked: looksOf[key], change: (event) => look(key, event.target.checked) }),
      title,
    ),
  );
  return element("div", { class: "switches" }, switches);
}

// Switches about volumes are disabled and not ticked while volumes are off.
function allowSwitches(container, looksOf) {
  for (const key of ["faces", "byVolume"]) {
    const input = container.querySelector(`[name=${key}]`);
    input.disabled = !looksOf.volumes;
    input.checked = looksOf.volumes && looksOf[key];
  }
}

// Radio buttons are kept while their options are the same, so that the focus is not lost.
function offer(slot, name, title, options, chosen, change) {
  const offered = JSON.stringify(options);
  if (slot.dataset.offered === offered) {
    for (const input of slot.querySelectorAll("input")) input.checked = input.value === chosen;
    return;
  }
  slot.dataset.offered = offered;
  slot.replaceChildren(...(options.length > 1 ? [segmented(name, title, options, chosen, change)] : []));
}

function aboutVolumes({ parts }, shown, level) {
  if (!shown) return [];
  const trees = parts.map(({ trees }) => trees.find(({ kind, label }) => kind === shown.kind && label === shown.label));
  const count = trees.reduce((sum, own) => sum + (own ? own.cuts[Math.min(level, lastLevel(own))] : 0), 0);
  const said = [`${volumesOf(shown.kind, count)} at level ${level}.`];
  if (shown.shown < shown.cuts.length && level === lastLevel(shown)) {
    said.push(`Deeper levels (up to ${plural(shown.nodes, "volume")}) are left out of this page to keep it light.`);
  }
  return said;
}

const aboutMeshes = ({ parts }) =>
  parts
    .filter(({ triangles, drawn }) => drawn < triangles)
    .map(({ name, triangles, drawn }) => `${name} is drawn with ${grouped.format(drawn)} of its ${plural(triangles, "triangle")}.`);
