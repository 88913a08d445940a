// The table of all kinds and presets, measured one after the other at the current pose.

import { KIND_NAMES, element, readable } from "./viewer/dom.js";
import { BUILDS } from "./trees.js";

const COLUMNS = [
  ["Build, ms", ({ build }) => build],
  ["kB", ({ kilobytes }) => kilobytes],
  ["Touching, µs", ({ pairs }) => pairs?.micros],
  ["tests", ({ pairs }) => pairs && pairs.volumeTests + pairs.triangleTests],
  ["Distance, µs", ({ distance }) => distance?.micros],
  ["tests", ({ distance }) => distance && distance.volumeTests + distance.triangleTests],
];

export function createComparison(table, trees, live, onChoose) {
  const rows = BUILDS.map(([kind, preset]) => {
    const button = element("button", { type: "button", "data-kind": kind, click: () => onChoose(kind, preset) }, `${KIND_NAMES[kind]} ${preset}`);
    const cells = COLUMNS.map(() => element("td", {}, "–"));
    return { kind, preset, button, cells, figures: {}, line: element("tr", { "data-kind": kind }, element("th", { scope: "row" }, button), cells) };
  });
  table.append(
    element("thead", {}, element("tr", {}, element("th", { scope: "col" }, "Tree"), COLUMNS.map(([title]) => element("th", { scope: "col" }, title)))),
    element("tbody", {}, rows.map(({ line }) => line)),
  );
  // Rows that were measured at another pose.
  let stale = new Set(rows);

  function show() {
    COLUMNS.forEach(([, of], i) => {
      const values = rows.map(({ figures }) => of(figures));
      const least = Math.min(...values.filter((x) => x != null));
      rows.forEach(({ cells }, k) => {
        cells[i].textContent = values[k] == null ? "–" : readable(values[k] >= 10 ? Math.round(values[k]) : values[k]);
        cells[i].classList.toggle("best", values[k] === least);
      });
    });
  }

  return {
    choose: (kind, preset) => rows.forEach((row) => row.button.setAttribute("aria-pressed", row.kind === kind && row.preset === preset)),
    invalidate: () => (stale = new Set(rows)),
    clear() {
      for (const row of rows) row.figures = {};
      stale = new Set(rows);
      show();
    },
    isDone: () => rows.every((row) => !stale.has(row)),
    // Measures the next row whose trees are built; returns whether such a row existed.
    step(pose) {
      for (const row of stale) {
        const pair = trees.pair(row.kind, row.preset);
        if (!pair) continue;
        const sum = (of) => of(pair[0]) + of(pair[1]);
        row.figures = { build: sum(({ time }) => time), kilobytes: sum(({ bytes }) => bytes) / 1000, ...live.measure(pair.map(({ tree }) => tree), pose) };
        stale.delete(row);
        show();
        return true;
      }
      return false;
    },
  };
}
