// The page of `bvtree robot`: its answers, a slider for each joint value, and the robot in a 3D view.

const data = JSON.parse(byId("data").textContent);
const canvas = byId("view");
const { rows, values, path } = data;
const bodyOf = new Map(data.bodies.map(({ number }, index) => [number, index]));
const place = createKinematics(data.links, data.joints);

byId("title").textContent = data.title;
byId("summary").textContent = data.summary;
canvas.setAttribute("aria-label", `3D view of ${data.title}`);

// The joint values that are shown, and the row of the list that they are those of.
let current = [...data.start];
let picked = null;

const viewer = createRobotViewer(canvas, data, place);

const units = { angle: " rad", length: " m", number: "" };
const sliders = values.map(({ name, kind, lower, upper, range }, index) => {
  const id = `value${index}`;
  const text = element("output", { for: id });
  const [min, max] = range;
  const input = element("input", { type: "range", id, min, max, step: (max - min) / 2000, input: () => set(index, input.valueAsNumber) });
  const row = element("div", { class: "joint" }, element("label", { for: id, title: name }, name), text, input);
  function show(value) {
    input.value = value;
    const degrees = kind === "angle" ? ` · ${((value * 180) / Math.PI).toFixed(1)}°` : "";
    const isBeyond = value < (lower ?? -Infinity) || value > (upper ?? Infinity);
    text.textContent = `${value.toFixed(3)}${units[kind]}${degrees}${isBeyond ? ", beyond its limits" : ""}`;
    text.className = isBeyond ? "beyond" : "";
    input.setAttribute("aria-valuetext", text.textContent);
  }
  return { row, show };
});

// A range with a step for a value may end a little before it, so values are kept as they are.
function move(row) {
  current = [...row];
  sliders.forEach(({ show }, index) => show(current[index]));
  viewer?.move(current);
}

function set(index, value) {
  current[index] = value;
  leave();
  move(current);
}

// Ends the selection: what is shown was not checked.
function leave() {
  if (picked == null) return;
  buttons[picked].setAttribute("aria-pressed", "false");
  picked = null;
  viewer?.highlight([], []);
  tell();
}

function pick(number) {
  leave();
  const { values: row, pairs } = rows[number];
  picked = number;
  buttons[number].setAttribute("aria-pressed", "true");
  if (row) move(row);
  along?.show(rows[number].along);
  showPair(pairs.length > 0 ? 0 : null);
}

function showPair(chosen) {
  const { pairs, collides } = rows[picked];
  const known = pairs.map((pair) => pair.map((body) => bodyOf.get(body)));
  viewer?.highlight(collides ? known.flat() : [], chosen == null ? [] : known[chosen]);
  tell(chosen);
}

function tell(chosen = null) {
  const told = byId("told");
  if (picked == null) {
    told.replaceChildren(element("p", { class: "muted" }, data.unchecked));
    return;
  }
  const { title, answer, pairs } = rows[picked];
  const name = (body) => data.bodies[bodyOf.get(body)].name;
  const button = ([a, b], index) =>
    element(
      "button",
      { type: "button", "aria-pressed": String(index === chosen), click: () => showPair(index) },
      element("span", { class: "first" }, name(a)), " and ", element("span", { class: "second" }, name(b)),
    );
  told.replaceChildren(element("p", {}, element("strong", {}, title), `: ${answer}`), ...pairs.map(button));
}

// The slider along a path; `show(where)` takes the number of edges up to there.
function createAlong(container) {
  const edges = path.length - 1;
  const text = element("output", { for: "along" });
  const input = element("input", { type: "range", id: "along", min: 0, max: edges, step: edges / 2000, value: 0, input: follow });
  container.append(element("label", { for: "along" }, "Along the path"), text, input);
  container.hidden = false;

  function follow() {
    const at = input.valueAsNumber;
    const edge = Math.min(Math.floor(at), edges - 1);
    leave();
    move(between(path[edge], path[edge + 1], at - edge, data.quaternions));
    text.textContent = `edge ${edge}, ${(at - edge).toFixed(3)}: ${rows[edge]?.answer ?? "not in the list"}`;
  }

  return {
    show(where) {
      input.value = where;
      text.textContent = "";
    },
  };
}

const buttons = rows.map(({ title, answer, collides }, number) =>
  element(
    "button",
    { type: "button", "aria-pressed": "false", click: () => pick(number) },
    element("span", {}, title),
    element("span", { class: collides ? "" : "free" }, answer),
  ),
);

function list() {
  const only = byId("only").checked;
  const shown = buttons.filter((_, number) => !only || rows[number].collides);
  byId("rows").replaceChildren(...shown);
  const left = data.total > rows.length ? ` of the first ${grouped.format(rows.length)}; ${grouped.format(data.total)} in all` : "";
  byId("count").textContent = `${plural(shown.length, "row")}${left}`;
}

byId("sliders").append(...sliders.map(({ row }) => row));
byId("filter").hidden = rows.every(({ collides }) => collides) || !rows.some(({ collides }) => collides);
byId("only").addEventListener("change", list);
byId("rest").addEventListener("click", () => {
  leave();
  move(data.start);
  along?.show(0);
});
byId("home").addEventListener("click", () => viewer?.resetCamera());
themeButton(byId("theme"), () => viewer?.redraw());
const along = path ? createAlong(byId("path")) : null;
list();
move(data.start);
tell();
const worst = rows.findIndex(({ collides, values: row }) => collides && row);
if (worst >= 0) pick(worst);
if (!viewer) {
  canvas.replaceWith(element("p", { class: "notice" }, "This browser shows no 3D here: WebGL 2 is missing or switched off."));
  for (const name of ["hint", "home"]) byId(name).remove();
}
