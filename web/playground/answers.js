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
  Object.assign(list.dataset, { relation: relation.answer, pairs: faces.length / 2, distance: distance?.answer?.distance ?? 0, micros: 1000 * median });
  list.replaceChildren(...rows.flatMap(([term, text]) => [element("dt", {}, term), element("dd", {}, text)]));
}

const precise = (x) => String(Number(x.toPrecision(8)));
