// The list of clashes, plain or in groups that fold. Only the rows that are seen are in the document.

const ROW_HEIGHT = 58;
const GROUP_HEIGHT = 52;
// Rows that are drawn above and below those that are seen.
const SPARE = 6;

// `draw` makes the cells of a clash or of a group. `onPick(clash)` runs when a row is chosen, `onFly(clash)` on Enter.
function createClashTable(container, { draw, drawGroup, onPick, onFly }) {
  const sheet = element("div", { class: "sheet", role: "presentation" });
  container.append(sheet);
  container.setAttribute("role", "treegrid");
  container.setAttribute("aria-label", "Clashes");
  let clashes = [];
  let isGrouped = true;
  let items = [];
  let tops = [0];
  let cursor = null;
  let picked = null;
  const open = new Set();
  const drawn = new Map();

  function layOut() {
    items = isGrouped
      ? issuesOf(clashes).flatMap((group) => {
          const rows = open.has(group.title) ? group.clashes.map((clash) => ({ key: clash.id, clash, group })) : [];
          return [{ key: group.title, group }, ...rows];
        })
      : clashes.map((clash) => ({ key: clash.id, clash }));
    tops = new Float64Array(items.length + 1);
    items.forEach(({ clash }, i) => (tops[i + 1] = tops[i] + (clash ? ROW_HEIGHT : GROUP_HEIGHT)));
    sheet.style.height = `${tops[items.length]}px`;
    container.setAttribute("aria-rowcount", items.length);
    repaint();
  }

  function repaint() {
    drawn.clear();
    sheet.replaceChildren();
    paint();
  }

  // The row at a height.
  function rowAt(height) {
    let [low, high] = [0, items.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (tops[middle + 1] <= height) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  function paint() {
    const first = Math.max(0, rowAt(container.scrollTop) - SPARE);
    const last = Math.min(items.length, rowAt(container.scrollTop + container.clientHeight) + 1 + SPARE);
    for (const [place, row] of drawn) {
      if (place >= first && place < last) continue;
      row.remove();
      drawn.delete(place);
    }
    for (let place = first; place < last; place++) if (!drawn.has(place)) drawn.set(place, row(place));
    const current = indexOf(cursor);
    if (drawn.has(current)) container.setAttribute("aria-activedescendant", `row-${current}`);
    else container.removeAttribute("aria-activedescendant");
  }

  function row(place) {
    const { key, clash, group } = items[place];
    const made = element(
      "div",
      {
        id: `row-${place}`,
        class: clash ? "row" : "group",
        role: "row",
        style: `top: ${tops[place]}px`,
        "aria-rowindex": place + 1,
        "aria-level": clash && isGrouped ? 2 : 1,
        "aria-expanded": clash ? null : String(open.has(group.title)),
        "aria-selected": String(clash != null && clash === picked),
        "data-key": key,
        "data-cursor": key === cursor,
        click: () => choose(place),
      },
      clash ? draw(clash) : drawGroup(group, open.has(group.title)),
    );
    sheet.append(made);
    return made;
  }

  const indexOf = (key) => (key == null ? -1 : items.findIndex((item) => item.key === key));

  function reveal(place) {
    const [top, bottom] = [tops[place], tops[place + 1]];
    const { scrollTop, clientHeight } = container;
    if (top < scrollTop) container.scrollTop = top;
    else if (bottom > scrollTop + clientHeight) container.scrollTop = bottom - clientHeight;
  }

  function moveTo(place) {
    const { key, clash } = items[place];
    cursor = key;
    reveal(place);
    if (clash) pick(clash);
    else repaint();
  }

  function pick(clash) {
    picked = clash;
    repaint();
    onPick(clash);
  }

  // Unfolding a group chooses its worst clash.
  function fold(place, isOpen) {
    const { group } = items[place];
    if (isOpen) open.add(group.title);
    else open.delete(group.title);
    cursor = group.title;
    layOut();
    reveal(place);
    if (isOpen) pick(group.worst);
  }

  function choose(place) {
    const { clash, group } = items[place];
    if (clash) moveTo(place);
    else fold(place, !open.has(group.title));
  }

  const KEYS = {
    ArrowDown: (at) => moveTo(Math.min(items.length - 1, at + 1)),
    ArrowUp: (at) => moveTo(Math.max(0, at - 1)),
    Home: () => moveTo(0),
    End: () => moveTo(items.length - 1),
    ArrowRight: (at) => items[at]?.clash === undefined && at >= 0 && fold(at, true),
    ArrowLeft(at) {
      const { clash, group } = items[at] ?? {};
      if (group) fold(clash ? indexOf(group.title) : at, false);
    },
    Enter(at) {
      const { clash, group } = items[at] ?? {};
      if (clash) onFly(clash);
      else if (group) fold(at, !open.has(group.title));
    },
  };

  container.addEventListener("keydown", (event) => {
    const act = KEYS[event.key];
    if (!act || items.length === 0 || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    act(indexOf(cursor));
  });
  container.addEventListener("scroll", paint, { passive: true });
  new ResizeObserver(paint).observe(container);

  return {
    repaint,
    show(list) {
      clashes = list;
      container.scrollTop = 0;
      layOut();
    },
    group(yes) {
      isGrouped = yes;
      layOut();
      const place = indexOf(picked?.id);
      if (place >= 0) reveal(place);
    },
    clear() {
      picked = null;
      cursor = null;
      repaint();
    },
    // Chooses a clash, unfolds its group and scrolls to it. Returns false if it is not shown.
    open(clash) {
      if (!clashes.includes(clash)) return false;
      open.add(clash.issue ?? "No issue");
      layOut();
      const place = indexOf(clash.id);
      container.scrollTop = Math.max(0, tops[place] - container.clientHeight / 2);
      moveTo(place);
      return true;
    },
  };
}
