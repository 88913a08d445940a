// Many surfaces in one, so that an assembly of thousands of bodies is drawn at once.

// `parts` are surfaces as `decodeScene` makes them. The joined one knows which of them each triangle is from.
export function joinedSurfaces(parts) {
  const starts = [0];
  for (const { count } of parts) starts.push(starts.at(-1) + count);
  const count = starts.at(-1);
  const joined = { count, positions: new Float32Array(3 * count), normals: new Float32Array(3 * count) };
  const owners = new Uint32Array(count / 3);
  parts.forEach((part, number) => {
    joined.positions.set(part.positions, 3 * starts[number]);
    joined.normals.set(part.normals, 3 * starts[number]);
    owners.fill(number, starts[number] / 3, starts[number + 1] / 3);
  });

  return {
    ...joined,
    starts,
    partOf: (triangle) => owners[triangle],
    // The ranges of corners of all parts but some.
    spansWithout(left) {
      const cuts = [...left].sort((a, b) => a - b);
      const ends = [...cuts.map((part) => starts[part]), count];
      const begins = [0, ...cuts.map((part) => starts[part + 1])];
      return begins.map((first, i) => [first, ends[i] - first]).filter(([, length]) => length > 0);
    },
  };
}
