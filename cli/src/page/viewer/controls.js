// What the 3D view shows: kind, build, level and looks. Native inputs throughout, so that keys work as everywhere.

import { KIND_NAMES, element, grouped, plural, segmented, volumesOf } from "./dom.js";

const LOOKS = [["solid", "Solid"], ["clear", "Clear"], ["none", "Hidden"]];
const SWITCHES = [
  ["volumes", "Volumes"],
  ["faces", "Fill"],
  ["byVolume", "Colour by volume"],
  ["edges", "Edges"],
];
const START = { look: "solid", volumes: true, faces: true, byVolume: false, edges: false };

// The choices outlive a change of scene; `onChange` hears of kind and label.
export function createControls(container, status, viewer, start = {}, onChange = () => {}) {
  const looksOf = { ...START, ...start.looks };
  const choice = { kind: start.kind ?? null, label: start.label ?? null, level: start.level ?? 2 };
  let scene = null;

  const kinds = element("div", { class: "slot" });
  const labels = element("div", { class: "slot" });
  const slider = element("input", { type: "range", id: "level", min: 0, step: 1, input: () => setLevel(slider.valueAsNumber) });
  const levelText = element("output", { for: "level" });
  const looks = element("div", { class: "slot" });
  const switches = SWITCHES.map(([key, title]) =>
    element(
      "label",
      { class: "switch" },
      element("input", { type: "checkbox", name: key, checked: looksOf[key], change: (event) => look(key, event.target.checked) }),
      title,
    ),
  );
  const levelRow = element(
    "div",
    { class: "level" },
    element("label", { for: "level" }, "Level"),
    element("button", { type: "button", "aria-label": "One level up", click: () => setLevel(choice.level - 1) }, "−"),
    slider,
    element("button", { type: "button", "aria-label": "One level down", click: () => setLevel(choice.level + 1) }, "+"),
    levelText,
  );
  container.replaceChildren(kinds, labels, levelRow, looks, element("div", { class: "switches" }, switches));

  const trees = () => scene.parts[0].trees;
  const tree = () => trees().find(({ kind, label }) => kind === choice.kind && label === choice.label);
  const unique = (values) => [...new Set(values)];

  function look(key, value) {
    looksOf[key] = value;
    viewer.update({ [key]: value });
    allow();
    tell();
  }

  // What is about the volumes has no say while they are off, and is not ticked then.
  function allow() {
    for (const key of ["faces", "byVolume"]) {
      const input = container.querySelector(`[name=${key}]`);
      input.disabled = !looksOf.volumes;
      input.checked = looksOf.volumes && looksOf[key];
    }
  }

  function setLevel(level) {
    choice.level = Math.max(0, Math.min(level, (tree()?.shown ?? 1) - 1));
    apply();
  }

  function choose(changes) {
    Object.assign(choice, changes);
    if (!tree()) choice.label = (trees().find(({ kind }) => kind === choice.kind) ?? trees()[0])?.label;
    build();
    apply();
    onChange(choice);
  }

  // Radio buttons stay while what they offer stays, for the one in use has the focus.
  function offer(slot, name, title, options, chosen, change) {
    const offered = JSON.stringify(options);
    if (slot.dataset.offered === offered) {
      for (const input of slot.querySelectorAll("input")) input.checked = input.value === chosen;
      return;
    }
    slot.dataset.offered = offered;
    slot.replaceChildren(...(options.length > 1 ? [segmented(name, title, options, chosen, change)] : []));
  }

  function build() {
    const offeredKinds = unique(trees().map(({ kind }) => kind)).map((kind) => [kind, KIND_NAMES[kind], kind]);
    const ofKind = trees().filter(({ kind }) => kind === choice.kind);
    offer(kinds, "kind", "Volumes", offeredKinds, choice.kind, (kind) => choose({ kind }));
    offer(labels, "label", "Build", ofKind.map(({ label }) => [label, label]), choice.label, (label) => choose({ label }));
    const colouring = container.querySelector("[name=byVolume]").closest("label");
    colouring.hidden = !tree()?.hasOwners;
    offer(looks, "look", "Mesh", LOOKS, looksOf.look, (chosen) => look("look", chosen));
  }

  function apply() {
    const shown = tree();
    const last = (shown?.shown ?? 1) - 1;
    const level = Math.min(choice.level, last);
    slider.max = last;
    slider.value = level;
    slider.disabled = last === 0;
    const all = shown ? shown.cuts.length - 1 : 0;
    const leftOut = last < all ? `, the page ends at ${last}` : "";
    levelText.textContent = `${level} of ${all}${leftOut}`;
    slider.setAttribute("aria-valuetext", `level ${level} of ${all}${leftOut}`);
    viewer.update({ tree: shown ? { kind: shown.kind, label: shown.label } : null, level });
    tell();
  }

  function tell() {
    const level = Math.min(choice.level, (tree()?.shown ?? 1) - 1);
    status.replaceChildren(...sentences(tree(), level).map((text) => element("span", {}, text)));
  }

  function sentences(shown, level) {
    const said = [];
    if (shown && looksOf.volumes) {
      const counts = scene.parts.map(({ trees }) => trees.find(({ kind, label }) => kind === shown.kind && label === shown.label));
      const count = counts.reduce((sum, own) => sum + (own ? own.cuts[Math.min(level, own.shown - 1)] : 0), 0);
      said.push(`${volumesOf(shown.kind, count)} at level ${level}.`);
      if (shown.shown < shown.cuts.length && level === shown.shown - 1) {
        said.push(`Deeper levels (up to ${plural(shown.nodes, "volume")}) are left out of this page to keep it light.`);
      }
    }
    for (const { name, triangles, drawn } of scene.parts) {
      if (drawn < triangles) said.push(`${name} is drawn with ${grouped.format(drawn)} of its ${plural(triangles, "triangle")}.`);
    }
    return said;
  }

  return {
    show(decoded, changes = {}) {
      const isNew = !scene;
      scene = decoded;
      Object.assign(choice, changes);
      if (!tree()) {
        const first = trees().find(({ kind }) => kind === choice.kind) ?? trees()[0];
        Object.assign(choice, { kind: first?.kind, label: first?.label });
      }
      build();
      viewer.show(decoded, { tree: null, ...(isNew ? looksOf : {}) });
      apply();
      allow();
    },
    choose,
    choice,
  };
}
