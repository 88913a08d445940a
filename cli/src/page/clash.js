// The page of `bvtree clash`: a list of clashes, and the assembly in a 3D view that flies to the selected clash.

const BODY = [0.73, 0.75, 0.79];
const CLASHING = [0.86, 0.72, 0.5];
const PICKED = [[0.88, 0.26, 0.3], [0.24, 0.48, 0.98]];
// Thickness of the tubes along curves, as a fraction of the selected bodies' size.
const TUBE = 0.006;

const data = JSON.parse(byId("data").textContent);
const canvas = byId("view");

byId("title").textContent = data.title;
byId("summary").textContent = data.summary;
canvas.setAttribute("aria-label", `3D view of ${data.title}`);

const parts = data.bodies.map(({ name, mesh, pose }) => ({ ...data.scene.parts[mesh], name, pose }));

function createClashViewer(canvas, scene) {
  let picked = null;
  const clashing = new Set(data.clashes.flatMap(({ bodies }) => bodies));
  const inWorld = (point) => toWorld(scene.world, toUp(data.scene.up, point));

  const screen = createScreen(canvas, {
    upload(gpu) {
      scene.parts.forEach((part, number) => {
        const place = picked ? picked.bodies.indexOf(number) : -1;
        if (place >= 0) gpu.addHighlight(part.surface, () => PICKED[place]);
        else gpu.addSurface(part.surface, () => (clashing.has(number) ? CLASHING : BODY));
      });
      if (picked?.curves.length) {
        const curves = picked.curves.map((curve) => curve.map(inWorld));
        gpu.addHighlight(tubes(curves, (TUBE * picked.size) / scene.world.radius), () => CURVE);
      }
      canvas.dataset.picked = picked ? picked.bodies.join(" ") : "";
    },
    look: (aspect) => ({
      ...camera.look(aspect, scene.world.outline),
      look: picked ? "clear" : "solid",
      faces: false,
      edges: false,
    }),
  });
  if (!screen) return null;
  const camera = createCamera(canvas, screen.redraw);
  screen.upload();

  return {
    redraw: screen.redraw,
    show(clash) {
      picked = clash;
      screen.upload();
      if (clash) camera.flyTo(inWorld(clash.place), clash.size / scene.world.radius);
      else camera.reset();
    },
  };
}

function pick(clash) {
  for (const other of byId("rows").querySelectorAll("button")) other.removeAttribute("aria-current");
  byId("told").hidden = !clash;
  if (clash) {
    clash.button.setAttribute("aria-current", "true");
    const [a, b] = clash.bodies.map((number) => data.bodies[number].name);
    history.replaceState(null, "", `#${clash.id}`);
    byId("told").replaceChildren(element("span", { class: "first" }, a), " and ", element("span", { class: "second" }, b), `: ${said(clash)}`);
  }
  viewer?.show(clash);
}

const words = (name) => name.replaceAll("_", " ");

function said({ kind, rule, distance, pairs, depth, status, author, reason }) {
  const parts = [words(kind)];
  if (rule != null) parts.push(rule);
  if (distance > 0) parts.push(`${readable(distance)} apart`);
  if (depth != null) parts.push(`${readable(depth)} deep`);
  if (pairs > 0) parts.push(`${plural(pairs, "pair")} of triangles`);
  if (status) parts.push([status, author && `by ${author}`, reason && `(${reason})`].filter(Boolean).join(" "));
  return parts.join(", ");
}

// What the list is filtered by: a select, its first option, and the values of a clash.
const FACETS = [
  ["class", "All classes", ({ kind }) => [words(kind)]],
  ["issue", "All issues", ({ issue }) => [issue]],
  ["rule", "All rules", ({ rule }) => (rule == null ? [] : [rule])],
  ["status", "Any status", ({ status }) => [status ?? "open"]],
  ["storey", "All storeys", ({ storeys }) => storeys],
  ["model", "All models", ({ files }) => files],
];

const ORDERS = {
  "In order": (a, b) => a.number - b.number,
  "Deepest first": (a, b) => (b.depth ?? -1) - (a.depth ?? -1) || a.distance - b.distance || a.number - b.number,
  "Farthest apart first": (a, b) => b.distance - a.distance || a.number - b.number,
};

// The options of a facet, those with the deepest clash first, and how many clashes each has.
function optionsOf(values) {
  const found = new Map();
  for (const clash of data.clashes) {
    for (const value of values(clash)) {
      const { count, deepest } = found.get(value) ?? { count: 0, deepest: 0 };
      found.set(value, { count: count + 1, deepest: Math.max(deepest, clash.depth ?? 0) });
    }
  }
  const sorted = [...found].sort(([, a], [, b]) => b.deepest - a.deepest || b.count - a.count);
  return sorted.map(([value, { count, deepest }]) =>
    element("option", { value }, `${value} (${grouped.format(count)}${deepest > 0 ? `, up to ${readable(deepest)} deep` : ""})`));
}

function createList() {
  const rows = byId("rows");
  data.clashes.forEach((clash, number) => {
    const [a, b] = clash.bodies.map((number) => data.bodies[number].name);
    clash.number = number;
    clash.names = [a, b];
    clash.text = `${a} ${b} ${clash.issue} ${clash.rule ?? ""}`.toLowerCase();
    clash.button = element("button", { type: "button", click: () => pick(clash) }, element("span", { class: "names" }, `${a} – ${b}`), element("span", { class: "what" }, said(clash)));
    clash.row = element("li", {}, clash.button);
  });
  rows.addEventListener("keydown", (event) => {
    const step = { ArrowDown: "nextElementSibling", ArrowUp: "previousElementSibling" }[event.key];
    const row = step && document.activeElement.closest("li")?.[step];
    if (!row) return;
    event.preventDefault();
    row.firstElementChild.focus();
    row.firstElementChild.click();
  });

  const facets = [];
  for (const [name, all, values] of FACETS) {
    const options = optionsOf(values);
    if (options.length < 2) continue;
    const select = element("select", { id: name, "aria-label": name }, element("option", { value: "" }, all), ...options);
    facets.push({ select, values });
  }
  const order = element("select", { id: "order", "aria-label": "Order" }, ...Object.keys(ORDERS).map((name) => element("option", { value: name }, name)));
  byId("filters").append(...facets.map(({ select }) => select), order);

  let shown = [];
  const update = () => {
    const text = byId("search").value.trim().toLowerCase();
    const picked = facets.filter(({ select }) => select.value !== "");
    shown = data.clashes.filter((clash) =>
      clash.text.includes(text) && picked.every(({ select, values }) => values(clash).includes(select.value)));
    shown.sort(ORDERS[order.value]);
    rows.replaceChildren(...shown.map(({ row }) => row));
    byId("count").textContent = `${grouped.format(shown.length)} of ${plural(data.total, "clash").replace(/clashs$/, "clashes")}`;
  };
  byId("search").addEventListener("input", update);
  byId("filters").addEventListener("change", update);
  byId("export").addEventListener("click", () => save(shown));
  update();
}

// The rows that are shown, as CSV for spreadsheets and for `--status`.
function save(clashes) {
  const field = (value) => {
    const text = String(value ?? "");
    const safe = typeof value !== "number" && /^'*[=+\-@\t\r\n＝＋－＠]/.test(text) ? `'${text}` : text;
    return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  };
  const row = ({ id, names, kind, depth, distance, place, issue, rule, status, author, reason }) =>
    [id, ...names, kind, depth, distance, ...place, issue, rule, status, author, reason];
  const columns = ["id", "a", "b", "class", "depth", "distance", "x", "y", "z", "issue", "rule", "status", "author", "reason"];
  const text = [columns, ...clashes.map(row)].map((values) => values.map(field).join(",")).join("\n");
  const link = element("a", { href: URL.createObjectURL(new Blob([`${text}\n`], { type: "text/csv" })), download: "clashes.csv" });
  link.click();
  URL.revokeObjectURL(link.href);
}

// The clash that the address names.
function pickNamed() {
  const clash = data.clashes.find(({ id }) => `#${id}` === location.hash);
  if (!clash || clash.button.hasAttribute("aria-current")) return;
  pick(clash);
  clash.row.scrollIntoView({ block: "center" });
}

const viewer = createClashViewer(canvas, decodeScene({ up: data.scene.up, parts }));
createList();
pickNamed();
addEventListener("hashchange", pickNamed);
themeButton(byId("theme"), () => viewer?.redraw());
if (viewer) {
  byId("home").addEventListener("click", () => pick(null));
} else {
  canvas.replaceWith(element("p", { class: "notice" }, "This browser shows no 3D here: WebGL 2 is missing or switched off."));
  byId("hint").remove();
  byId("home").remove();
}
