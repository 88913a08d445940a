// The page of `bvtree compare --html`.

const data = JSON.parse(byId("data").textContent);
const meshes = new Map(data.meshes.map((mesh) => [mesh.name, mesh]));
const scenes = new Map();

// Decoded on first use.
function sceneOf(mesh) {
  if (!scenes.has(mesh.name)) scenes.set(mesh.name, decodeScene(mesh.scene));
  return scenes.get(mesh.name);
}

byId("title").textContent = data.title;
byId("setup").textContent = data.setup;
byId("footer").textContent = data.footer;
byId("notes").append(...data.notes.flatMap(([term, text]) => [element("dt", {}, term), element("dd", {}, text)]));

const canvas = byId("view");
const viewer = createViewer(canvas, data.palette);
const controls = viewer && createControls(byId("controls"), byId("status"), viewer, { level: 2 });
if (viewer) {
  byId("home").addEventListener("click", viewer.resetCamera);
} else {
  byId("stage").replaceWith(element("p", { class: "notice" }, "This browser shows no 3D here: WebGL 2 is missing or switched off."));
}

// Cards.

const cards = new Map(
  data.meshes.map((mesh) => {
    const { use, because } = mesh.verdict;
    const card = element(
      "article",
      { class: "card", "data-kind": use?.kind },
      viewer && element("canvas", { width: 232, height: 232, "aria-hidden": "true" }),
      element("h3", {}, element("button", { type: "button", click: () => look(mesh.name) }, mesh.name)),
      element("p", { class: "use" }, use ? `Use ${KIND_NAMES[use.kind]}, ${use.preset}` : "No recommendation"),
      element("p", { class: "because" }, `because ${because}`),
    );
    return [mesh.name, card];
  }),
);
byId("verdicts").append(...cards.values());

// Draws the cards' pictures one at a time, so that the page stays responsive; then the view shows its own scene again.
let round = 0;

function drawPictures() {
  const waiting = [...data.meshes];
  const own = ++round;
  const step = () => {
    const mesh = waiting.shift();
    if (!mesh || own !== round) return;
    const { use } = mesh.verdict;
    const { tree, level } = viewer.state();
    const shown = use ? { kind: use.kind, label: use.preset } : null;
    viewer.show(sceneOf(mesh), { tree: shown, level: 2 });
    viewer.picture(cards.get(mesh.name).querySelector("canvas"));
    viewer.show(sceneOf(chosen), { tree, level });
    setTimeout(step, 0);
  };
  step();
}

// The chosen mesh.

let chosen = data.meshes[0];
const picker = byId("mesh");
picker.append(...data.meshes.map(({ name, triangles }) => element("option", { value: name }, `${name} (${plural(triangles, "triangle")})`)));
picker.addEventListener("change", () => choose(picker.value));

function choose(name, use) {
  chosen = meshes.get(name);
  picker.value = name;
  for (const [other, card] of cards) card.classList.toggle("chosen", other === name);
  const verdict = chosen.verdict;
  const recommended = verdict.use;
  byId("verdict").replaceChildren(
    recommended ? element("strong", { "data-kind": recommended.kind }, `Use ${KIND_NAMES[recommended.kind]}, ${recommended.preset}: `) : "",
    [`because ${verdict.because}`, ...verdict.otherwise].join(" "),
  );
  byId("charts-mesh").textContent = name;
  canvas.setAttribute("aria-label", `3D view of ${name}`);
  const shown = use ?? recommended;
  controls?.show(sceneOf(chosen), shown ? { kind: shown.kind, label: shown.preset } : {});
  drawCharts();
  showBeside(recommended);
}

function look(name, use) {
  choose(name, use);
  byId("closer").scrollIntoView({ behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" });
}

// The charts, and the choice of trees that they show.

const kinds = [...new Set(data.meshes.flatMap(({ rows }) => rows.map(({ kind }) => kind)))];
const presets = [...new Set(data.meshes.flatMap(({ rows }) => rows.map(({ preset }) => preset)))];
const hidden = new Set();
const toggle = (name, kind, ...shown) =>
  element(
    "label",
    { class: "switch", "data-kind": kind },
    element("input", {
      type: "checkbox",
      checked: true,
      change: (event) => {
        if (event.target.checked) hidden.delete(name);
        else hidden.add(name);
        drawCharts();
      },
    }),
    shown,
  );
const sample = (preset) =>
  svgElement(
    "svg",
    { viewBox: "0 0 30 14", "aria-hidden": "true" },
    svgElement("path", { d: "M0,7H30", "stroke-dasharray": DASHES[preset] }),
    svgElement("path", { d: markOf(preset)(3.2), transform: "translate(15,7)" }),
  );
byId("legend").append(
  ...kinds.map((kind) => toggle(kind, kind, element("span", { class: "dot" }), KIND_NAMES[kind])),
  ...(presets.length > 1 ? presets.map((preset) => toggle(preset, null, sample(preset), preset)) : []),
);

const charts = data.charts.map((chart) => {
  const select = element(
    "select",
    { "aria-label": `${chart.title}: figure`, change: () => drawCharts() },
    chart.choices.map(({ title }, i) => element("option", { value: i }, title)),
  );
  const save = element("button", { type: "button", title: "Download this chart", click: () => saveChart(chart, select, figure) }, "SVG");
  const tools = element("div", { class: "tools" }, chart.choices.length > 1 ? select : null, save);
  const heading = element("figcaption", {}, element("h3", {}, chart.title), tools);
  const figure = element("figure", {}, heading);
  byId("charts").append(figure);
  const drawing = createChart(figure);
  figure.append(element("p", { class: "note" }, chart.note));
  return { ...chart, select, drawing };
});

function drawCharts() {
  for (const { id, choices, select, drawing, scatter } of charts) {
    const { key, x, y } = choices[select.value || 0];
    const rows = chosen.rows.filter(({ kind, preset }) => !hidden.has(kind) && !hidden.has(preset));
    const series = rows.map(({ kind, preset, series }) => ({ kind, preset, points: series[id]?.[key] ?? [] }));
    drawing.draw({ x: { ...x, places: chosen[x.places] }, y, scatter, series });
  }
}

function saveChart({ id, title, note, choices }, select, figure) {
  const { key, title: what } = choices[select.value || 0];
  const colour = (kind) => getComputedStyle(byId("legend").querySelector(`[data-kind="${kind}"]`)).getPropertyValue("--kind");
  const shown = (names) => names.filter((name) => !hidden.has(name));
  const dashes = { fast: "dotted", tight: "dashed" };
  const legend = shown(kinds).map((kind) => [`● ${KIND_NAMES[kind]}`, colour(kind)]);
  const lines = presets.length > 1 ? shown(presets).map((preset) => [`${preset}: ${dashes[preset] ?? "solid"}`, "gray"]) : [];
  const description = `${note} ${data.provenance} Triangles of the mesh: XXH3-128 ${chosen.rows[0]?.digest}.`;
  const text = svgFile(figure.querySelector("svg.chart"), `${title} of ${chosen.name}: ${what}`, description, [...legend, ...lines]);
  download(`${chosen.name}-${id}-${key}.svg`, "image/svg+xml", text);
}

// The volumes beside those of a tree of the chosen mesh.

const BESIDE_NAMES = { hull: "Convex hull", kdop14: "14-DOP", kdop18: "18-DOP", kdop26: "26-DOP", "shared-axes": "Shared axes", rss: "Rectangle swept spheres" };
const besideTree = byId("beside-tree");
besideTree.addEventListener("change", drawBeside);

function showBeside(recommended) {
  const rows = chosen.rows.filter(({ beside }) => beside.length > 0);
  byId("beside").hidden = rows.length === 0;
  byId("beside-mesh").textContent = chosen.name;
  const isRecommended = ({ kind, preset }) => kind === recommended?.kind && preset === recommended?.preset;
  besideTree.replaceChildren(
    ...rows.map((row) => element("option", { value: chosen.rows.indexOf(row), selected: isRecommended(row) }, `${KIND_NAMES[row.kind]}, ${row.preset}`)),
  );
  drawBeside();
}

function drawBeside() {
  const row = chosen.rows[besideTree.value];
  if (!row) return;
  // What no volume has is left out.
  const shown = data.besideTitles.map((title, i) => ({ title, i })).filter(({ i }) => row.beside.some(({ values }) => values[i] != null));
  const cells = ({ name, values }) => [
    element("th", { scope: "row" }, KIND_NAMES[name] ?? BESIDE_NAMES[name]),
    ...shown.map(({ i }) => element("td", { class: "number" }, readable(values[i]))),
  ];
  byId("beside-table").replaceChildren(
    element("thead", {}, element("tr", {}, element("th", { scope: "col", class: "plain" }, "Volumes"), shown.map(({ title }) => element("th", { scope: "col", class: "plain number" }, title)))),
    element("tbody", {}, row.beside.map((line) => element("tr", {}, cells(line)))),
  );
}

// The table.

const rows = data.meshes.flatMap(({ name, rows }) => rows.map((row) => ({ mesh: name, ...row })));
const table = createTable(byId("table"), data.columns, rows, (mesh, kind, preset) => look(mesh, { kind, preset }));
const filter = byId("filter");
filter.append(
  element("option", { value: "" }, "everything"),
  ...[["mesh", "Meshes", data.meshes.map(({ name }) => [name, name])], ["kind", "Volumes", kinds.map((kind) => [kind, KIND_NAMES[kind]])],
      ["preset", "Builds", presets.map((preset) => [preset, preset])]]
    .filter(([, , options]) => options.length > 1)
    .map(([key, title, options]) =>
      element("optgroup", { label: title }, options.map(([value, text]) => element("option", { value: `${key} ${value}` }, text)))),
);
filter.addEventListener("change", () => {
  const [key, ...words] = filter.value.split(" ");
  const value = words.join(" ");
  table.filter((row) => !key || row[key] === value);
});

byId("csv").addEventListener("click", () => download("figures.csv", "text/csv", csvFile(data.columns, rows, data.provenance)));

choose(chosen.name);
themeButton(byId("theme"), () => {
  if (viewer) drawPictures();
});
