// SVG charts that fill the available width: lines or points per tree, on linear, logarithmic or categorical axes.
// The point nearest to the pointer or touch, or selected with the arrow keys, shows its figures.

const HEIGHT = 300;
const MARGINS = { left: 52, right: 14, top: 12, bottom: 44 };
const DASHES = { fast: "2 4", tight: "8 4" };
const MARKS = {
  fast: (r) => `M${-r},0A${r},${r} 0 1 0 ${r},0A${r},${r} 0 1 0 ${-r},0Z`,
  balanced: (r) => `M${-r},${-r}H${r}V${r}H${-r}Z`,
  tight: (r) => `M0,${-1.4 * r}L${1.3 * r},${r}H${-1.3 * r}Z`,
};
const markOf = (preset) => MARKS[preset] ?? MARKS.balanced;
// Left and right move along a tree's points, up and down from tree to tree.
const STEPS = { ArrowLeft: { along: -1 }, ArrowRight: { along: 1 }, ArrowUp: { tree: -1 }, ArrowDown: { tree: 1 } };

// `figure` is the element that receives the chart. `draw(chart)` takes { x, y: { title, log, places }, series: [{ kind,
// preset, points }] } with points [x, y]. On an axis with `places`, coordinates are indices of places.
function createChart(figure) {
  const svg = svgElement("svg", { tabindex: 0, role: "img", class: "chart" });
  const tip = element("div", { class: "tip", hidden: true });
  figure.append(element("div", { class: "plot" }, svg, tip));
  let chart = null;
  let spots = [];
  let current = -1;

  function render() {
    const width = svg.clientWidth;
    if (!chart || width === 0) return;
    const area = { left: MARGINS.left, right: width - MARGINS.right, top: MARGINS.top, bottom: HEIGHT - MARGINS.bottom };
    svg.setAttribute("viewBox", `0 0 ${width} ${HEIGHT}`);
    svg.setAttribute("height", HEIGHT);
    const series = chart.series.map((one) => ({ ...one, points: one.points.filter((point) => isDrawn(chart, point)) }));
    const all = series.flatMap(({ points }) => points);
    svg.setAttribute("aria-label", `${chart.y.title} against ${chart.x.title}: ${plural(series.length, "tree")}`);
    if (all.length === 0) {
      svg.replaceChildren(svgElement("text", { x: width / 2, y: HEIGHT / 2, class: "nothing" }, "Nothing to draw for this mesh"));
      spots = [];
      return;
    }
    const x = axis(chart.x, all.map((point) => point[0]), area.left, area.right, Math.max(3, Math.floor(width / 60)));
    const y = axis(chart.y, all.map((point) => point[1]), area.bottom, area.top, 6);
    const placed = series.map((one) => ({ ...one, places: one.points.map(([px, py]) => [x.at(px), y.at(py)]) }));
    spots = placed.flatMap(({ kind, preset, points, places }) => points.map((point, i) => ({ kind, preset, point, place: places[i] })));
    svg.replaceChildren(...grid(x, y, area), ...placed.map((one) => drawn(one, chart.scatter)));
    select(-1);
  }

  function select(index) {
    current = index;
    svg.querySelector(".current")?.remove();
    const spot = spots[index];
    tip.hidden = !spot;
    if (!spot) return;
    const [x, y] = spot.place;
    svg.append(svgElement("circle", { cx: x, cy: y, r: 8, class: "current", "data-kind": spot.kind }));
    tip.replaceChildren(...figuresOf(spot, chart));
    const left = Math.min(Math.max(0, x - tip.offsetWidth / 2), svg.clientWidth - tip.offsetWidth);
    const above = y - tip.offsetHeight - 14;
    tip.style.transform = `translate(${left}px, ${above < 0 ? y + 14 : above}px)`;
  }

  function nearest(event) {
    const frame = svg.getBoundingClientRect();
    const [x, y] = [event.clientX - frame.left, event.clientY - frame.top];
    const distances = spots.map(({ place }) => Math.hypot(place[0] - x, place[1] - y));
    const best = distances.indexOf(Math.min(...distances));
    select(distances[best] < 60 ? best : -1);
  }

  function step(event) {
    if (event.key === "Escape") select(-1);
    if (!(event.key in STEPS) || spots.length === 0) return;
    event.preventDefault();
    select(stepped(spots, current, STEPS[event.key]));
  }

  svg.addEventListener("pointermove", nearest);
  svg.addEventListener("pointerdown", nearest);
  svg.addEventListener("pointerleave", (event) => event.pointerType === "mouse" && select(-1));
  svg.addEventListener("keydown", step);
  svg.addEventListener("blur", () => select(-1));
  new ResizeObserver(render).observe(svg);

  return {
    draw(changed) {
      chart = changed;
      render();
    },
  };
}

// The points of one tree, joined by a line unless they are scattered.
function drawn({ kind, preset, places }, scatter) {
  const path = places.map(([px, py]) => `${px.toFixed(1)},${py.toFixed(1)}`).join("L");
  const mark = markOf(preset)(places.length > 40 ? 0 : scatter ? 6 : 3.2);
  return svgElement(
    "g",
    { "data-kind": kind, class: "series" },
    !scatter && places.length > 0 && svgElement("path", { d: `M${path}`, class: "line", "stroke-dasharray": DASHES[preset] }),
    places.map(([px, py]) => svgElement("path", { d: mark, class: "mark", transform: `translate(${px.toFixed(1)},${py.toFixed(1)})` })),
  );
}

function figuresOf({ kind, preset, point: [px, py] }, { x, y }) {
  return [
    element("strong", { "data-kind": kind }, `${KIND_NAMES[kind]} ${preset}`),
    element("span", {}, `${y.title}: ${readable(py)}`),
    element("span", {}, `${x.title}: ${x.places?.[px] ?? readable(px)}`),
  ];
}

// The point that a key selects: along a tree's points, or the first point of the previous or next tree.
function stepped(spots, current, { along, tree }) {
  if (current < 0) return 0;
  if (along) return clamp(current + along, 0, spots.length - 1);
  const name = ({ kind, preset }) => `${kind} ${preset}`;
  const names = [...new Set(spots.map(name))];
  const wanted = names[names.indexOf(name(spots[current])) + tree];
  return wanted ? spots.findIndex((spot) => name(spot) === wanted) : current;
}

// Logarithmic axes cannot show zero or negative values.
function isDrawn({ x, y }, [px, py]) {
  return px != null && py != null && !(x.log && px <= 0) && !(y.log && py <= 0);
}

// The map from values to pixels along an axis, and its ticks.
function axis({ log, places, title }, values, from, to, about) {
  let [low, high] = [Math.min(...values), Math.max(...values)];
  if (places) {
    const step = (to - from) / places.length;
    const at = (value) => from + step * (value + 0.5);
    return { title, at, ticks: places.map((text, i) => [at(i), text]) };
  }
  const forth = log ? Math.log10 : (value) => value;
  [low, high] = [forth(low), forth(high)];
  if (!log && low > 0 && low < 0.6 * high) low = 0;
  const room = (high - low || Math.abs(high) || 1) * (low === high ? 0.5 : 0.05);
  [low, high] = [low === 0 && !log ? 0 : low - room, high + room];
  const at = (value) => from + ((forth(value) - low) / (high - low)) * (to - from);
  const ticks = log ? logTicks(low, high, about) : linearTicks(low, high, about);
  return { title, at, ticks: ticks.map((value) => [at(value), tickText(value)]) };
}

// The shortest text of a number: 1,000, 0.03, 1e-5.
function tickText(value) {
  const size = Math.abs(value);
  return size > 0 && (size < 1e-3 || size >= 1e6) ? value.toExponential().replace("e+", "e") : value.toLocaleString("en", { maximumSignificantDigits: 6 });
}

function linearTicks(low, high, about) {
  const raw = (high - low) / about;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].find((factor) => factor * power >= raw) * power;
  const count = Math.floor(high / step) - Math.ceil(low / step) + 1;
  return Array.from({ length: count }, (_, i) => Number(((Math.ceil(low / step) + i) * step).toPrecision(12)));
}

function logTicks(low, high, about) {
  const decades = high - low;
  const factors = decades < 0.4 ? null : decades < 0.9 ? [1, 1.5, 2, 3, 4, 5, 7] : decades < 1.7 ? [1, 2, 5] : decades < 2.5 ? [1, 3] : [1];
  if (!factors) return linearTicks(10 ** low, 10 ** high, about).filter((value) => value > 0);
  const every = Math.max(1, Math.ceil(decades / about));
  const ticks = [];
  for (let power = Math.floor(low); power <= high; power++) {
    if (power % every !== 0) continue;
    ticks.push(...factors.map((factor) => Number(`${factor}e${power}`)));
  }
  return ticks.filter((value) => Math.log10(value) >= low && Math.log10(value) <= high);
}

function grid(x, y, { left, right, top, bottom }) {
  const across = y.ticks.map(([at, text]) => [
    svgElement("line", { x1: left, x2: right, y1: at, y2: at, class: "grid" }),
    svgElement("text", { x: left - 7, y: at, dy: "0.32em", "text-anchor": "end" }, text),
  ]);
  const along = x.ticks.map(([at, text]) => [
    svgElement("line", { x1: at, x2: at, y1: bottom, y2: bottom + 4, class: "grid" }),
    svgElement("text", { x: at, y: bottom + 17, "text-anchor": "middle" }, text),
  ]);
  const title = svgElement("text", { x: (left + right) / 2, y: bottom + 37, class: "axis", "text-anchor": "middle" }, x.title);
  return [...across.flat(), ...along.flat(), title];
}
