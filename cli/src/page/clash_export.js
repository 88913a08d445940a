// The clashes that are shown, as CSV for spreadsheets, for `--status` and for `--baseline`, and on paper.

// Lengths of the file are in the data's unit, as in the program's own tables.
const CSV_COLUMNS = {
  id: ({ id }) => id,
  a: ({ names }) => names[0],
  b: ({ names }) => names[1],
  relation: ({ relation }) => relation,
  class: ({ kind }) => kind,
  depth: ({ depth }) => depth,
  penetration: ({ penetration }) => penetration,
  distance: ({ distance }) => distance,
  moved: ({ moved }) => moved,
  x: ({ place }) => place[0],
  y: ({ place }) => place[1],
  z: ({ place }) => place[2],
  location: ({ location }) => location,
  storeys: ({ storeys }) => distinct(storeys).join(" / "),
  file_a: ({ files }) => files[0],
  file_b: ({ files }) => files.at(-1),
  ifc_class_a: ({ classes }) => classes[0],
  ifc_class_b: ({ classes }) => classes.at(-1),
  global_id_a: ({ globalIds }) => globalIds[0],
  global_id_b: ({ globalIds }) => globalIds[1],
  pairs: ({ pairs }) => pairs,
  issue: ({ issue }) => issue,
  rule: ({ rule }) => rule,
  change: ({ change }) => change,
  status: ({ status }) => status,
  author: ({ author }) => author,
  reason: ({ reason }) => reason,
};

function clashCsv(clashes) {
  const values = Object.values(CSV_COLUMNS);
  return csvText([Object.keys(CSV_COLUMNS), ...clashes.map((clash) => values.map((value) => value(clash)))]);
}

const PAPER_COLUMNS = [
  ["Bodies", ({ names }) => names.join(" × ")],
  ["Trades", ({ trades }) => distinct(trades).join(" × ")],
  ["Type", ({ type }) => type],
  ["Depth", (clash, units) => measured(clash, units)],
  ["Place", ({ location }) => location],
  ["Rule", ({ rule }) => rule ?? ""],
  ["Status", ({ status, change }) => [status, change].filter(Boolean).join(", ")],
];

// Fills the part of the page that only printers show while a print lasts. `shown()` has the clashes in their order.
function createPaper(paper, shown, isGrouped, units) {
  const line = (clash) => element("tr", {}, PAPER_COLUMNS.map(([, value]) => element("td", {}, value(clash, units))));
  function body({ title, clashes, worst }) {
    const about = `${title} – ${clashCount(clashes.length)}, worst ${measured(worst, units)}`;
    return element("tbody", {}, element("tr", {}, element("th", { colspan: PAPER_COLUMNS.length, scope: "rowgroup" }, about)), clashes.map(line));
  }
  addEventListener("beforeprint", () => {
    const clashes = shown();
    const heads = element("thead", {}, element("tr", {}, PAPER_COLUMNS.map(([title]) => element("th", { scope: "col" }, title))));
    const bodies = isGrouped() ? issuesOf(clashes).map(body) : [element("tbody", {}, clashes.map(line))];
    paper.replaceChildren(element("p", {}, byId("count").textContent), element("table", {}, heads, bodies));
  });
  addEventListener("afterprint", () => paper.replaceChildren());
}
