// Lengths in millimetres or metres, as the reader chooses; the choice is remembered.

const UNITS = { mm: { name: "millimetres", perMetre: 1000 }, m: { name: "metres", perMetre: 1 } };
const UNIT_KEY = "bvtree-unit";

// `metres` is the size of the data's unit. `onChange` runs after a switch.
function createUnits(slot, metres, onChange) {
  let unit = rememberedUnit();
  const factor = () => metres * UNITS[unit].perMetre;
  slot.append(segmented("unit", "Lengths", Object.keys(UNITS).map((key) => [key, key]), unit, (chosen) => {
    const before = factor();
    unit = chosen;
    rememberUnit(unit);
    onChange(factor() / before);
  }));
  return {
    unit: () => unit,
    // A length of the data as text with its unit.
    text: (length) => (length == null ? "–" : `${lengthText(length * factor(), unit)} ${unit}`),
    // A number that the reader entered, as a length of the data.
    parsed: (number) => number / factor(),
  };
}

function lengthText(value, unit) {
  const size = Math.abs(value);
  if (size > 0 && size < (unit === "mm" ? 0.1 : 0.001)) return readable(value);
  if (unit === "m") return value.toFixed(size >= 10 ? 2 : 3);
  return size >= 10 ? grouped.format(value) : String(Number(value.toFixed(1)));
}

// Browsers may refuse to store anything for a page that is a file.
function rememberedUnit() {
  try {
    return localStorage.getItem(UNIT_KEY) in UNITS ? localStorage.getItem(UNIT_KEY) : "mm";
  } catch {
    return "mm";
  }
}

function rememberUnit(unit) {
  try {
    localStorage.setItem(UNIT_KEY, unit);
  } catch {
    // The switch works all the same.
  }
}
