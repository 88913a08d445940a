// Rays against both meshes, from the eye through the place of a click.

import { Probe } from "./bvtree/index.js";
import { apply, transposed } from "./pose.js";
import { normalized } from "./viewer/vectors.js";

export function createRays() {
  const probe = new Probe();
  return {
    // Returns the first hit of a ray: { mesh, face, time, point, normal }, the mesh as 0 or 1, or null. The ray, the point
    // and the normal are in A's frame. `isSeen(hit)` may refuse hits.
    closestHit({ trees, rotation, translation }, { origin, direction }, isSeen) {
      const toB = transposed(rotation);
      const inA = (hit) => ({ mesh: 1, ...hit, point: apply(rotation, hit.point).map((x, k) => x + translation[k]), normal: apply(rotation, hit.normal) });
      const rays = [[origin, direction], [apply(toB, origin.map((x, k) => x - translation[k])), apply(toB, direction)]];
      const hits = trees.flatMap((tree, mesh) => {
        const found = isSeen ? probe.allHits(tree, ...rays[mesh]) : [probe.closestHit(tree, ...rays[mesh])].filter(Boolean);
        return found.map(mesh === 0 ? (hit) => ({ mesh: 0, ...hit }) : inA);
      });
      return hits.filter(isSeen ?? Boolean).reduce((first, hit) => (first && first.time <= hit.time ? first : hit), null);
    },
  };
}

// A ray of the stage as six numbers, with a direction of length 1, so that times are distances.
export const asNumbers = ({ origin, direction }) => [...origin, ...normalized(direction)];
export const ofNumbers = (numbers) => ({ origin: numbers.slice(0, 3), direction: numbers.slice(3) });
