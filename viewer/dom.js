// HTML elements, and numbers formatted for people.

export const byId = (id) => document.getElementById(id);

// Creates an element with attributes (functions become listeners) and children (text, elements or nothing).
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  return furnished(made, attributes, children);
}

export function svgElement(tag, attributes = {}, ...children) {
  return furnished(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

function furnished(made, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") made.addEventListener(name, value);
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value != null) made.setAttribute(name, value);
  }
  made.append(...children.flat().filter((child) => child != null && child !== false));
  return made;
}

export const grouped = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });

// Formats a number with three digits or more: 12,345, 123, 12.3, 0.0123, 1.2e-7.
export function readable(number) {
  if (number == null) return "–";
  const size = Math.abs(number);
  if (size >= 1e9 || (size < 1e-4 && size > 0)) return number.toExponential(1).replace("e+", "e");
  if (Number.isInteger(number) || size >= 1000) return grouped.format(number);
  const decimals = size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3 - Math.floor(Math.log10(size) + 1);
  return number.toFixed(Math.max(0, decimals));
}

export const plural = (count, what) => `${grouped.format(count)} ${count === 1 ? what : `${what}s`}`;

export const KIND_NAMES = { aabb: "AABB", obb: "OBB", sphere: "Sphere", kdop: "k-DOP" };
const VOLUME_NAMES = { aabb: "axis-aligned box", obb: "oriented box", sphere: "sphere", kdop: "18-DOP (its box is drawn)" };

export function volumesOf(kind, count) {
  const name = VOLUME_NAMES[kind];
  return `${grouped.format(count)} ${count === 1 ? name : name.replace(/box$/, "boxe") + "s"}`;
}

// Light or dark theme: the system's, until the button is used.
export function themeButton(button, onChange) {
  const system = matchMedia("(prefers-color-scheme: dark)");
  const { dataset } = document.documentElement;
  const show = (theme) => {
    dataset.theme = theme;
    button.textContent = theme === "dark" ? "Light" : "Dark";
    button.setAttribute("aria-label", `Switch to ${button.textContent.toLowerCase()} colours`);
    onChange();
  };
  const ofSystem = () => show(system.matches ? "dark" : "light");
  button.addEventListener("click", () => show(dataset.theme === "dark" ? "light" : "dark"));
  system.addEventListener("change", ofSystem);
  ofSystem();
}

// A segmented control made of native radio buttons, so that keys and screen readers work.
export function segmented(name, title, options, chosen, onChange) {
  return element(
    "fieldset",
    { class: "segmented" },
    element("legend", {}, title),
    element(
      "div",
      {},
      options.map(([value, label, kind]) =>
        element(
          "label",
          { "data-kind": kind },
          element("input", { type: "radio", name, value, checked: value === chosen, change: () => onChange(value) }),
          element("span", {}, label),
        ),
      ),
    ),
  );
}
