// Downloads of what a report shows: charts as SVG and the table as CSV, with the source of the figures in each.

const SVG_STYLES = ["fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-linejoin", "font-size", "font-family", "text-anchor"];
const LEGEND_HEIGHT = 26;

// A chart that carries its styles, on its background, with a legend below. `legend` has [text, colour] pairs.
function svgFile(svg, title, description, legend) {
  const copy = svg.cloneNode(true);
  const parts = (root) => [root, ...root.querySelectorAll("*")];
  const copies = parts(copy);
  parts(svg).forEach((part, i) => {
    const style = getComputedStyle(part);
    for (const name of SVG_STYLES) copies[i].setAttribute(name, style.getPropertyValue(name));
  });
  copy.querySelector(".current")?.remove();
  const { width, height } = svg.viewBox.baseVal;
  const all = { width, height: height + LEGEND_HEIGHT };
  const frame = { ...all, viewBox: `0 0 ${all.width} ${all.height}`, xmlns: "http://www.w3.org/2000/svg" };
  for (const [name, value] of Object.entries(frame)) copy.setAttribute(name, value);
  const background = getComputedStyle(svg.closest("figure")).backgroundColor;
  copy.prepend(svgElement("title", {}, title), svgElement("desc", {}, description), svgElement("rect", { ...all, fill: background }));
  const names = legend.map(([text, colour]) => svgElement("tspan", { fill: colour, dx: 12 }, text));
  copy.append(svgElement("text", { x: MARGINS.left - 12, y: height + 12, "font-size": "12px", "font-family": "sans-serif" }, names));
  return new XMLSerializer().serializeToString(copy);
}

function csvFile(columns, rows, provenance) {
  const head = ["mesh", "volume", "preset", ...columns.map(({ key }) => key), "options", "mesh_digest", "measured_by"];
  const lines = rows.map(({ mesh, kind, preset, values, options, digest }) => [mesh, kind, preset, ...values, options, digest, provenance]);
  return csvText([head, ...lines]);
}
