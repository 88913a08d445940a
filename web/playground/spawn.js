// Where a character can start: on walkable ground of a mesh, with room above it.

import { Probe } from "./bvtree/index.js";
import { extents, middleOf } from "./soup.js";

// Upright rays through a grid of this many cells each way look for ground.
const CELLS = 13;
// The smallest upward part of the normal of ground.
const WALKABLE = 0.75;

// Returns a place for the feet, `gap` above the lowest ground that has room, as near as possible to the middle of the mesh;
// above the mesh if there is none. `hasRoom` tests a place.
export function findSpawn(tree, bounds, gap, hasRoom) {
  const probe = new Probe();
  const [middle, [width, depth]] = [middleOf(bounds), extents(bounds)];
  const offsets = Array.from({ length: CELLS }, (_, i) => (i + 0.5) / CELLS - 0.5);
  const columns = offsets.flatMap((u) => offsets.map((v) => [u, v])).sort((p, q) => Math.hypot(...p) - Math.hypot(...q));
  try {
    for (const [u, v] of columns) {
      const above = [middle[0] + u * width, middle[1] + v * depth, bounds[5] + gap];
      const grounds = probe.allHits(tree, above, [0, 0, -1]).filter(({ normal }) => normal[2] >= WALKABLE);
      const places = grounds.map(({ point: [x, y, z] }) => [x, y, z + gap]).sort((p, q) => p[2] - q[2]);
      const place = places.find(hasRoom);
      if (place) return place;
    }
  } finally {
    probe.free();
  }
  return [middle[0], middle[1], bounds[5] + gap];
}
