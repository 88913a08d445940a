// A table that sorts by its headings and marks the smallest figures of each mesh.

// `columns`: { key, title, hint }; `rows`: { mesh, kind, preset, values }, one value per column.
function createTable(table, columns, rows, onPick) {
  const titles = [["mesh", "Mesh"], ["kind", "Volumes"], ["preset", "Build"], ...columns.map(({ title }, i) => [i, title, columns[i].hint])];
  const order = { by: null, down: false };
  const body = element("tbody");
  const heads = titles.map(([by, title, hint]) =>
    element(
      "th",
      { scope: "col", "aria-sort": "none", class: typeof by === "number" ? "number" : by === "mesh" ? null : "wide-only" },
      element("button", { type: "button", title: hint, click: () => sort(by) }, title),
    ),
  );
  table.append(element("thead", {}, element("tr", {}, heads)), body);

  const least = new Map();
  for (const { mesh, values } of rows) {
    const best = least.get(mesh) ?? values.map(() => Infinity);
    least.set(mesh, best.map((value, i) => Math.min(value, values[i] ?? Infinity)));
  }
  const meshes = new Set(rows.map(({ mesh }) => mesh));
  const several = rows.length > meshes.size;
  const made = rows.map((row, number) => ({ ...row, number, line: line(row) }));

  function line({ mesh, kind, preset, values }) {
    const cells = values.map((value, i) => {
      const best = several && columns[i].less && value != null && value === least.get(mesh)[i];
      return element("td", { class: best ? "number best" : "number" }, readable(value));
    });
    return element(
      "tr",
      { "data-mesh": mesh, "data-kind": kind, "data-preset": preset },
      element("th", { scope: "row" }, element("button", { type: "button", click: () => onPick(mesh, kind, preset) }, mesh), element("span", { class: "what" }, `${KIND_NAMES[kind]} ${preset}`)),
      element("td", { class: "kind wide-only" }, KIND_NAMES[kind]),
      element("td", { class: "wide-only" }, preset),
      cells,
    );
  }

  // Rows without a value come last in both directions.
  function compared(a, b) {
    const { by, down } = order;
    const [x, y] = typeof by === "number" ? [a.values[by], b.values[by]] : [a[by], b[by]];
    if (x == null || y == null) return (x == null) - (y == null) || a.number - b.number;
    const sign = typeof x === "string" ? x.localeCompare(y) : x - y;
    return (down ? -sign : sign) || a.number - b.number;
  }

  function sort(by) {
    Object.assign(order, order.by === by ? { down: !order.down } : { by, down: false });
    heads.forEach((head, i) => {
      const own = titles[i][0] === by;
      head.setAttribute("aria-sort", own ? (order.down ? "descending" : "ascending") : "none");
    });
    body.append(...[...made].sort(compared).map(({ line }) => line));
  }

  body.append(...made.map(({ line }) => line));
  return {
    filter(isShown) {
      for (const row of made) row.line.hidden = !isShown(row);
    },
  };
}
