// The tools of the view: the look of the other bodies, the section box, measuring, and pictures.

const OTHERS = [["solid", "Solid"], ["clear", "Ghost"], ["none", "Hide"]];
// The section box is between 1/8 and 8 times as large as the clash: the slider counts in powers of two.
const SECTION_RANGE = 3;

function createClashTools(slot, viewer, units) {
  let picked = null;
  const section = element("input", { type: "checkbox", id: "section", change: apply });
  const size = element("input", {
    type: "range", id: "section-size", "aria-label": "Size of the section box",
    min: -SECTION_RANGE, max: SECTION_RANGE, step: 0.125, value: 0, input: apply,
  });
  const edge = element("output", { for: "section-size" });
  const ruler = element("button", { type: "button", id: "measure", "aria-pressed": "false", click: () => turn(!viewer.measure.isOn()) }, "Measure");
  const result = byId("measured");
  const others = segmented("others", "Other bodies", OTHERS, "clear", (look) => viewer.use({ others: look }));
  slot.append(
    others,
    element("span", { class: "section" }, element("label", { class: "switch" }, section, "Section box"), size, edge),
    ruler,
    element("button", { type: "button", id: "photo", title: "Save the view as a PNG file", click: save }, "Picture"),
  );

  function apply() {
    const factor = 2 ** size.valueAsNumber;
    const isOn = section.checked && picked != null;
    size.hidden = edge.hidden = !isOn;
    edge.textContent = isOn ? units.text(2 * factor * picked.size) : "";
    size.setAttribute("aria-valuetext", edge.textContent);
    viewer.use({ section: isOn ? factor : null });
  }

  function turn(on) {
    ruler.setAttribute("aria-pressed", String(on));
    viewer.measure.turn(on);
    tellMeasured();
  }

  function tellMeasured() {
    const distance = viewer.measured();
    const left = 2 - viewer.measure.points().length;
    const wanted = left === 2 ? "Click two points." : "Click the second point.";
    result.hidden = !viewer.measure.isOn();
    result.textContent = !viewer.measure.isOn() ? "" : distance == null ? wanted : units.text(distance);
    byId("view").classList.toggle("measures", viewer.measure.isOn());
  }

  async function save() {
    download(`${picked ? `clash-${picked.id}` : "clashes"}.png`, "image/png", await viewer.photograph());
  }

  apply();
  return {
    tellMeasured,
    // Ends measuring; returns false if it was off.
    stopMeasuring() {
      const wasOn = viewer.measure.isOn();
      if (wasOn) turn(false);
      return wasOn;
    },
    show(clash) {
      picked = clash;
      for (const input of [section, ...others.querySelectorAll("input")]) input.disabled = !clash;
      apply();
    },
    unitChanged() {
      apply();
      tellMeasured();
    },
  };
}
