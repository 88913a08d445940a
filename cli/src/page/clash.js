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
    byId("told").replaceChildren(element("span", { class: "first" }, a), " and ", element("span", { class: "second" }, b), `: ${said(clash)}`);
  }
  viewer?.show(clash);
}

const words = (name) => name.replaceAll("_", " ");

function said({ kind, rule, distance, pairs, depth }) {
  const parts = [words(kind)];
  if (rule != null) parts.push(rule);
  if (distance > 0) parts.push(`${readable(distance)} apart`);
  if (depth != null) parts.push(`${readable(depth)} deep`);
  if (pairs > 0) parts.push(`${plural(pairs, "pair")} of triangles`);
  return parts.join(", ");
}

function createList() {
  const rows = byId("rows");
  const kinds = [...new Set(data.clashes.map(({ kind }) => kind))];
  byId("class").append(element("option", { value: "" }, "All classes"), ...kinds.map((kind) => element("option", { value: kind }, words(kind))));
  const issues = new Map();
  for (const { issue, depth } of data.clashes) {
    const { count, deepest } = issues.get(issue) ?? { count: 0, deepest: 0 };
    issues.set(issue, { count: count + 1, deepest: Math.max(deepest, depth ?? 0) });
  }
  // The deepest first.
  const sorted = [...issues].sort(([, a], [, b]) => b.deepest - a.deepest || b.count - a.count);
  const told = ([issue, { count, deepest }]) => `${issue} (${count}${deepest > 0 ? `, up to ${readable(deepest)} deep` : ""})`;
  byId("issue").append(element("option", { value: "" }, "All issues"), ...sorted.map((entry) => element("option", { value: entry[0] }, told(entry))));
  for (const clash of data.clashes) {
    const [a, b] = clash.bodies.map((number) => data.bodies[number].name);
    clash.text = `${a} ${b} ${clash.issue} ${clash.rule ?? ""}`.toLowerCase();
    clash.button = element("button", { type: "button", click: () => pick(clash) }, element("span", { class: "names" }, `${a} – ${b}`), element("span", { class: "what" }, said(clash)));
    clash.row = element("li", {}, clash.button);
    rows.append(clash.row);
  }
  rows.addEventListener("keydown", (event) => {
    const step = { ArrowDown: "nextElementSibling", ArrowUp: "previousElementSibling" }[event.key];
    let row = step && document.activeElement.closest("li")?.[step];
    while (row?.hidden) row = row[step];
    if (!row) return;
    event.preventDefault();
    row.firstElementChild.focus();
    row.firstElementChild.click();
  });
  const filter = () => {
    const [text, kind, issue] = [byId("search").value.trim().toLowerCase(), byId("class").value, byId("issue").value];
    let shown = 0;
    for (const clash of data.clashes) {
      clash.row.hidden = !clash.text.includes(text) || (kind !== "" && clash.kind !== kind) || (issue !== "" && clash.issue !== issue);
      shown += clash.row.hidden ? 0 : 1;
    }
    byId("count").textContent = `${grouped.format(shown)} of ${plural(data.total, "clash").replace(/clashs$/, "clashes")}`;
  };
  byId("search").addEventListener("input", filter);
  byId("class").addEventListener("change", filter);
  byId("issue").addEventListener("change", filter);
  filter();
}

const viewer = createClashViewer(canvas, decodeScene({ up: data.scene.up, parts }));
createList();
themeButton(byId("theme"), () => viewer?.redraw());
if (viewer) {
  byId("home").addEventListener("click", () => pick(null));
} else {
  canvas.replaceWith(element("p", { class: "notice" }, "This browser shows no 3D here: WebGL 2 is missing or switched off."));
  byId("hint").remove();
  byId("home").remove();
}
