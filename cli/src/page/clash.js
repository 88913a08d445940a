// The page of `bvtree clash`: a table of clashes, and the assembly in a 3D view that flies to the selected clash.

const data = JSON.parse(byId("data").textContent);
const canvas = byId("view");
const clashes = data.clashes.map((clash, number) => prepared(clash, number, data.bodies));
const hasRules = new Set(clashes.map(({ rule }) => rule)).size > 1;
const clashCount = (count) => `${grouped.format(count)} ${count === 1 ? "clash" : "clashes"}`;

byId("title").textContent = data.title;
byId("summary").textContent = data.summary;
canvas.setAttribute("aria-label", `3D view of ${data.title}`);

const units = createUnits(byId("units"), data.metres ?? 1, (factor) => {
  filters.unitChanged(factor);
  table.repaint();
  tell();
  tools?.unitChanged();
  viewer?.redraw();
});
let picked = null;
let shown = [];

const cell = (name, ...lines) => element("span", { class: name, role: "gridcell" }, lines.map((line) => element("span", {}, line)));
const body = (place, name, about) =>
  element("span", { class: "body" }, element("i", { class: place, "aria-hidden": "true" }), element("b", {}, name), element("small", {}, about));

// The cells of a clash; those whose column is not in the table are left out.
function drawClash(clash) {
  const { names, trades, classes, type, rule, location, status, change } = clash;
  const about = (k) => [trades[k], classes[k]].filter(Boolean).join(" · ");
  const cells = {
    names: () => element("span", { class: "names", role: "gridcell" }, body("first", names[0], about(0)), body("second", names[1], about(1))),
    depth: () => cell("depth", measured(clash, units), type),
    place: () => cell("place", location, (hasRules && rule) || ""),
    state: () => cell("state", status, change ? element("em", { "data-change": change }, change) : ""),
  };
  return filters.columns.map((column) => cells[column]());
}

const drawIssue = ({ title, clashes, worst }) => [
  element("span", { class: "fold", "aria-hidden": "true" }),
  element("span", { class: "issue", role: "gridcell" }, title),
  element("span", { class: "worst", role: "gridcell" }, measured(worst, units)),
  element("span", { class: "tally", role: "gridcell", title: clashCount(clashes.length) }, grouped.format(clashes.length)),
];

// Browsers refuse many changes of the address in a short time, which a key that is held makes: the last one counts.
let naming = 0;
function nameInAddress() {
  clearTimeout(naming);
  naming = setTimeout(() => history.replaceState(null, "", picked ? `#${picked.id}` : location.pathname + location.search), 100);
}

function pick(clash) {
  picked = clash;
  nameInAddress();
  tell();
  viewer?.show(clash);
  tools?.show(clash);
}

function tell() {
  const told = byId("told");
  told.hidden = !picked;
  if (!picked) return;
  const { names, type, family, rule, location, status, author, reason, depth, distance } = picked;
  const how = depth != null ? `${units.text(depth)} deep` : distance > 0 ? `${units.text(distance)} apart` : null;
  const decided = [status, author && `by ${author}`, reason && `(${reason})`].filter(Boolean).join(" ");
  const facts = [family === type ? type : `${family}, ${type}`, how, location, rule && `rule ${rule}`, decided];
  const name = (k) => element("strong", { class: ["first", "second"][k] }, names[k]);
  told.replaceChildren(element("p", {}, name(0), " and ", name(1)), element("p", { class: "muted" }, facts.filter(Boolean).join(" · ")));
}

function update() {
  shown = filters.shown();
  const issues = issuesOf(shown).length;
  byId("count").textContent = `${grouped.format(shown.length)} of ${clashCount(data.total)}, ${plural(issues, "issue")}`;
  byId("rows").dataset.empty = shown.length > 0 ? "" : clashes.length > 0 ? "No clash passes these filters." : "No clashes.";
  table.show(shown);
  viewer?.mark(shown);
}

function clear() {
  table.clear();
  pick(null);
}

// Opens a clash in the table and the view, whatever the filters are.
function openClash(clash) {
  if (!shown.includes(clash)) filters.clear();
  table.open(clash);
}

function openNamed() {
  const clash = clashes.find(({ id }) => `#${id}` === location.hash);
  if (clash && clash !== picked) openClash(clash);
}

const viewer = createClashViewer(canvas, units, openClash, () => tools.tellMeasured());
const tools = viewer && createClashTools(byId("tools"), viewer, units);
const filters = createFilters(clashes, units, () => update());
const table = createClashTable(byId("rows"), { draw: drawClash, drawGroup: drawIssue, onPick: pick, onFly: (clash) => viewer?.show(clash) });
createPaper(byId("paper"), () => shown, () => byId("grouping").checked, units);
for (const part of [byId("heads"), byId("rows")]) part.dataset.columns = filters.columns.join(" ");
tools?.show(null);
update();
openNamed();

byId("more").open = innerWidth > 760;
byId("grouping").addEventListener("change", (event) => table.group(event.target.checked));
byId("export").addEventListener("click", () => download("clashes.csv", "text/csv", clashCsv(shown)));
byId("print").addEventListener("click", () => print());
byId("home").addEventListener("click", clear);
addEventListener("hashchange", openNamed);
addEventListener("keydown", (event) => {
  const isTyping = event.target.matches('input[type="search"], input[type="number"]');
  if (event.key === "Escape" && !(isTyping && event.target.value) && !tools?.stopMeasuring()) clear();
  if (event.key !== "/" || isTyping) return;
  event.preventDefault();
  byId("search").focus();
});
themeButton(byId("theme"), () => viewer?.redraw());
if (!viewer) {
  canvas.replaceWith(element("p", { class: "notice" }, "This browser shows no 3D here: WebGL 2 is missing or switched off."));
  for (const name of ["hint", "home", "tools"]) byId(name).remove();
}
