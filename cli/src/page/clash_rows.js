// Clashes as the page's table, filters and exports know them: names, words and sort keys.

const FAMILIES = { touching: "contact", too_near: "clearance", moved: "same part, moved", duplicate: "duplicate", undefined: "undefined" };

const plain = (name) => name.replace(/\.(ifc|ifczip|ifcxml|json|gltf|glb)$/i, "").replaceAll("_", " ");

// The values of two bodies, of which one or both may be empty, without repetition.
const distinct = (values) => [...new Set(values)].filter(Boolean);

// Adds what is derived from a clash of the data to it.
function prepared(clash, number, bodies) {
  const pair = (values) => (values?.length ? [values[0], values.at(-1)] : []);
  const parts = clash.bodies.map((body) => bodies[body]);
  const names = parts.map(({ name }) => name);
  const trades = pair(clash.files).map(plain);
  const classes = pair(clash.classes).map((name) => name.replace(/^Ifc/, ""));
  const family = FAMILIES[clash.kind] ?? "hard clash";
  const place = clash.location || distinct(clash.storeys).join(" / ");
  const known = [...names, ...parts.map(({ globalId }) => globalId), ...trades, ...classes, clash.issue, clash.rule, place, clash.author, clash.reason];
  return {
    ...clash,
    number,
    names,
    trades,
    classes,
    family,
    location: place,
    type: clash.kind.replaceAll("_", " "),
    globalIds: parts.map(({ globalId }) => globalId ?? null),
    status: clash.status ?? "open",
    text: known.filter(Boolean).join(" ").toLowerCase(),
    // Overlaps come before contacts, and contacts before bodies apart.
    severity: clash.depth ?? (clash.distance > 0 ? -clash.distance : 0),
  };
}

// What was found of a clash, in a few words.
function measured({ depth, distance, moved }, units) {
  if (depth != null) return units.text(depth);
  if (distance > 0) return `${units.text(distance)} apart`;
  return moved > 0 ? `${units.text(moved)} moved` : "–";
}

// Clashes of one issue in the order of the list, with the worst of them.
function issuesOf(clashes) {
  const found = new Map();
  for (const clash of clashes) {
    const title = clash.issue ?? "No issue";
    const issue = found.get(title);
    if (!issue) found.set(title, { title, clashes: [clash], worst: clash });
    else {
      issue.clashes.push(clash);
      if (clash.severity > issue.worst.severity) issue.worst = clash;
    }
  }
  return [...found.values()];
}
