// Choice of the two meshes: the project's, a large generated one, or the visitor's own files, selected or dropped.

import { PART_COLOURS } from "./viewer/colours.js";
import { element } from "./viewer/dom.js";

const OWN = ["bolt", "chain_link", "character", "crate", "gear", "nonmanifold", "open_bowl", "spring", "sword", "teapot", "terrain", "torus_knot"];
// Numbers of rings and sectors; each ring has two triangles for each sector.
const MADE = { "knot-100k": [1568, 32], "knot-400k": [3136, 64] };
const MADE_NAMES = { "knot-100k": "Knot, 100,352 triangles", "knot-400k": "Knot, 401,408 triangles" };
const TITLES = ["First", "Second"];
// Of other meshes.
export const UNPLACED = { place: null, turn: [0, 0, 0], ray: null, view: null };
const ACCEPTED = ".obj,.stl,.ply,.off,.gltf,.glb,.bvt";

// `begin` takes the slot for which a mesh is fetched, `load` also its source for the worker, `fail` an error; `complain`
// takes what is wrong with the link.
export function createPickers(container, state, { begin, load, fail, complain }) {
  const keys = ["a", "b"];
  const selects = keys.map((key, slot) => {
    const options = [...OWN.map((name) => [name, name.replaceAll("_", " ")]), ...Object.entries(MADE_NAMES)];
    return element("select", { id: `mesh-${key}`, change: (event) => choose(slot, event.target.value) }, options.map(([value, title]) => element("option", { value }, title)));
  });
  selects.forEach((select, slot) => {
    const [r, g, b] = PART_COLOURS[slot].map((x) => Math.round(255 * x));
    const dot = element("span", { class: "dot", "aria-hidden": "true" });
    dot.style.background = `rgb(${r} ${g} ${b})`;
    const file = element("input", { type: "file", accept: ACCEPTED, "aria-label": `A file for the ${TITLES[slot].toLowerCase()} mesh`, change: (event) => take(slot, event.target.files[0]) });
    container.append(element("label", { for: select.id }, dot, TITLES[slot]), select, element("label", { class: "switch file" }, file, "File…"));
  });

  function choose(slot, name) {
    state[keys[slot]] = name;
    Object.assign(state, UNPLACED);
    start(slot, name);
  }

  async function start(slot, name) {
    begin(slot);
    if (MADE[name]) return load(slot, { generated: MADE[name] });
    try {
      const answer = await fetch(new URL(`./data/${encodeURIComponent(name)}.obj`, import.meta.url));
      if (!answer.ok) throw new Error(`there is no mesh named ${name}`);
      const bytes = new Uint8Array(await answer.arrayBuffer());
      if (state[keys[slot]] === name) load(slot, { name: `${name}.obj`, bytes });
    } catch (error) {
      fail(slot, error.message);
    }
  }

  async function take(slot, file) {
    if (!file) return;
    begin(slot);
    const bytes = new Uint8Array(await file.arrayBuffer());
    const select = selects[slot];
    select.querySelector("option[data-own]")?.remove();
    select.append(element("option", { value: "", "data-own": true }, file.name));
    select.value = "";
    // A link cannot contain a file.
    state[keys[slot]] = file.name;
    Object.assign(state, UNPLACED);
    load(slot, { name: file.name, bytes });
  }

  return {
    loadAll() {
      keys.forEach((key, slot) => {
        if (!OWN.includes(state[key]) && !MADE[state[key]]) {
          complain(`The link names a file that is not here: ${state[key]}`);
          state[key] = OWN[4];
        }
        selects[slot].value = state[key];
        start(slot, state[key]);
      });
    },
    // A file dropped on the left half becomes the first mesh, on the right half the second.
    dropOn(place, sign) {
      const slotAt = (event) => {
        const { left, width } = place.getBoundingClientRect();
        return event.clientX < left + width / 2 ? 0 : 1;
      };
      place.addEventListener("dragover", (event) => {
        event.preventDefault();
        sign.hidden = false;
        sign.querySelector("span").textContent = TITLES[slotAt(event)].toLowerCase();
      });
      place.addEventListener("dragleave", () => (sign.hidden = true));
      place.addEventListener("drop", (event) => {
        event.preventDefault();
        sign.hidden = true;
        const files = [...event.dataTransfer.files];
        const slot = slotAt(event);
        files.slice(0, 2).forEach((file, i) => take((slot + i) % 2, file));
      });
    },
  };
}
