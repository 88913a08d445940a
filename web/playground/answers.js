// Results as text and figures.

import { element, grouped, plural, readable } from "./viewer/dom.js";

const RELATIONS = {
  separate: "Separate",
  touching: "Touching, not crossing",
  crossing: "Crossing",
  a_in_b: "The first is in the second",
  b_in_a: "The second is in the first",
  undefined: "Undefined: a mesh has holes",
};
const MESHES = ["First", "Second"];
// Browsers round their clocks, so the median of this many times is shown.
const LAST = 24;
let times = [];

// Call it when other trees are chosen.
export const forgetTimes = () => (times = []);

export function describe(place, { touching, distance, isApart }) {
  const pairs = touching.answer.faces.length / 2;
  const { curves } = touching.answer;
  const told = isApart
    ? distance.answer && [element("strong", {}, `${readable(distance.answer.distance)} apart`)]
    : [element("strong", { class: "touching" }, `${plural(pairs, "pair")} of triangles ${pairs === 1 ? "touches" : "touch"}`), curves.length > 0 && `, along ${plural(curves.length, "curve")}`];
  place.replaceChildren(...(told || ["One of the meshes is empty"]).filter(Boolean));
}

export function figures(list, { touching, distance, relation, isApart }) {
  times.push(touching.time + (distance?.time ?? 0) + relation.time);
  if (times.length > LAST) times.shift();
  const median = [...times].sort((x, y) => x - y)[times.length >> 1];
  const asked = [touching, distance, relation].filter(Boolean);
  const sum = (key) => asked.reduce((all, question) => all + question[key], 0);
  const faces = touching.answer.faces;
  const rows = [
    ["Relation", RELATIONS[relation.answer]],
    isApart && distance.answer ? ["Distance", precise(distance.answer.distance)] : ["Touching pairs", grouped.format(faces.length / 2)],
    isApart && distance.answer ? ["Nearest triangles", `${distance.answer.faceA} and ${distance.answer.faceB}`] : ["Contact curves", grouped.format(touching.answer.curves.length)],
    ["Volumes tested", grouped.format(sum("volumeTests"))],
    ["Triangles tested", grouped.format(sum("triangleTests"))],
    ["Time for all queries", `${grouped.format(1000 * median)} µs`],
  ];
  show(list, rows, { relation: relation.answer, pairs: faces.length / 2, distance: distance?.answer?.distance ?? 0, micros: 1000 * median });
}

// What a ray hits first; nothing if there is no ray.
export function describeRay(list, sign, ray, hit) {
  sign.textContent = hit ? `Ray: ${MESHES[hit.mesh].toLowerCase()} mesh, triangle ${hit.face}` : "";
  const rows = hit && [
    ["Hit", `${MESHES[hit.mesh]} mesh, triangle ${hit.face}`],
    ["Distance", precise(hit.time)],
    ["Point", hit.point.map(precise).join(", ")],
    ["Normal", hit.normal.map((x) => x.toFixed(4)).join(", ")],
  ];
  show(list, rows ?? [["Hit", ray ? "none" : "–"]], hit && { ...ray, ...hit });
}

// What the last step of a walk found; nothing after a walk.
export function describeWalk(list, sign, outcome) {
  sign.textContent = "";
  if (!outcome) return show(list, [], {});
  const { feet, ground, isCrushed, overlap, steps, falls } = outcome;
  const on = ground ? `${MESHES[ground.body]} mesh, triangle ${ground.face}` : "none: in the air";
  const stuck = overlap && `Stuck ${readable(overlap.depth)} deep in the ${MESHES[overlap.body].toLowerCase()} mesh`;
  sign.textContent = stuck || (isCrushed && "Crushed") || (ground ? "On the ground" : "In the air");
  show(list, [["Feet", feet.map((x) => x.toFixed(2)).join(", ")], ["Ground", on], ["Falls out of the mesh", falls]], { feet, ground: ground?.face ?? "", steps, falls });
}

function show(list, rows, data) {
  for (const key of Object.keys(list.dataset)) delete list.dataset[key];
  Object.assign(list.dataset, data);
  list.replaceChildren(...rows.flatMap(([term, text]) => [element("dt", {}, term), element("dd", {}, text)]));
}

const precise = (x) => String(Number(x.toPrecision(8)));
