// Which clashes are shown, and in which order.

const FACETS = [
  ["type", "Type", ({ family, type }) => (family === type ? [type] : [family, type])],
  ["rule", "Rule", ({ rule }) => (rule == null ? [] : [rule])],
  ["trade", "Trade", ({ trades }) => [...new Set([...distinct(trades), distinct(trades).sort().join(" × ")])].filter(Boolean)],
  ["class", "Class", ({ classes }) => distinct(classes)],
  ["storey", "Storey", ({ storeys }) => distinct(storeys)],
  ["status", "Status", ({ status }) => [status]],
  ["change", "Change", ({ change }) => (change ? [change] : [])],
];

// Heads of the table by what they sort by: the column, the title and a clash's value.
const ORDERS = {
  body: ["names", "Body", ({ names }) => names.join(" ")],
  trade: ["names", "Trade", ({ trades }) => trades.join(" ")],
  class: ["names", "Class", ({ classes }) => classes.join(" ")],
  depth: ["depth", "Depth", ({ severity }) => severity],
  storey: ["place", "Storey", ({ location }) => location],
  rule: ["place", "Rule", ({ rule }) => rule ?? ""],
  status: ["state", "Status", ({ status }) => status],
  change: ["state", "Change", ({ change }) => change ?? ""],
};

const inOrder = new Intl.Collator("en", { numeric: true });

// The values of a facet with the number of their clashes, the most frequent first.
function valuesOf(clashes, values) {
  const counts = new Map();
  for (const clash of clashes) for (const value of values(clash)) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].sort(([a, x], [b, y]) => y - x || inOrder.compare(a, b));
}

// `onChange` runs when other clashes are shown, or in another order.
function createFilters(clashes, units, onChange) {
  const search = byId("search");
  const facets = [];
  for (const [name, title, values] of FACETS) {
    const options = valuesOf(clashes, values).map(([value, count]) => element("option", { value }, `${value} (${grouped.format(count)})`));
    if (options.length < 2) continue;
    const select = element("select", { id: name }, element("option", { value: "" }, "All"), ...options);
    byId("filters").append(element("label", {}, element("span", {}, title), select));
    facets.push({ select, values });
  }
  const least = element("input", { id: "least", type: "number", min: 0, step: "any", placeholder: "Any" });
  const leastTitle = element("span");
  byId("filters").append(element("label", {}, leastTitle, least));

  const order = { by: "depth", down: true };
  const heads = createHeads(clashes, order, onChange);

  const isActive = () => search.value.trim() !== "" || least.value !== "" || facets.some(({ select }) => select.value !== "");
  function update() {
    byId("unfilter").hidden = !isActive();
    onChange();
  }
  const nameUnit = () => (leastTitle.textContent = `Depth at least (${units.unit()})`);
  nameUnit();
  search.addEventListener("input", update);
  byId("filters").addEventListener("input", update);
  byId("unfilter").addEventListener("click", () => {
    clear();
    search.focus();
  });

  function clear() {
    for (const input of [search, least, ...facets.map(({ select }) => select)]) input.value = "";
    update();
  }

  return {
    clear,
    columns: heads.columns,
    // The entered depth keeps its length.
    unitChanged(factor) {
      if (least.value !== "") least.value = Number((least.valueAsNumber * factor).toPrecision(6));
      nameUnit();
    },
    shown() {
      const words = search.value.trim().toLowerCase().split(/\s+/);
      const chosen = facets.filter(({ select }) => select.value !== "");
      const deep = least.value === "" ? null : units.parsed(least.valueAsNumber);
      const isShown = (clash) =>
        words.every((word) => clash.text.includes(word)) &&
        chosen.every(({ select, values }) => values(clash).includes(select.value)) &&
        (deep == null || (clash.depth != null && clash.depth >= deep));
      const [, , key] = ORDERS[order.by];
      const compare = order.by === "depth" ? (a, b) => a - b : inOrder.compare;
      const sign = order.down ? -1 : 1;
      const keyed = clashes.filter(isShown).map((clash) => [key(clash), clash]);
      keyed.sort(([a, x], [b, y]) => sign * compare(a, b) || y.severity - x.severity || x.number - y.number);
      return keyed.map(([, clash]) => clash);
    },
  };
}

// Buttons that sort, in the columns that have more than one value. The first click on depth sorts the deepest first.
function createHeads(clashes, order, onChange) {
  const columns = new Map();
  for (const [by, [column, title, key]] of Object.entries(ORDERS)) {
    const first = key(clashes[0] ?? { names: [], trades: [], classes: [] });
    if (by !== "body" && by !== "depth" && clashes.every((clash) => key(clash) === first)) continue;
    const button = element("button", { type: "button", click: () => sort(by) }, title);
    columns.set(column, [...(columns.get(column) ?? []), { by, button }]);
  }
  const buttons = [...columns.values()].flat();

  function mark() {
    for (const { by, button } of buttons) {
      const state = by !== order.by ? "none" : order.down ? "descending" : "ascending";
      button.dataset.sort = state;
      button.setAttribute("aria-label", `Sort by ${button.textContent.toLowerCase()}${state === "none" ? "" : `, ${state} now`}`);
    }
  }

  function sort(by) {
    Object.assign(order, { by, down: by === order.by ? !order.down : by === "depth" });
    mark();
    onChange();
  }

  byId("heads").append(...[...columns].map(([column, own]) => element("div", { class: column }, own.map(({ button }) => button))));
  mark();
  return { columns: [...columns.keys()] };
}
