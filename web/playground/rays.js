// Rays against both meshes, from the eye through the place of a click.

import { Probe } from "./bvtree/index.js";
import { apply, transposed } from "./pose.js";
import { normalized } from "./viewer/vectors.js";

export function createRays() {
  const probe = new Probe();
  return {
    // Returns the first hit of a ray: { mesh, face, time, point, normal }, the mesh as 0 or 1, or null. The ray, the point
    // and the normal are in A's frame.
    closestHit({ trees, rotation, translation }, { origin, direction }) {
      const toB = transposed(rotation);
      const onA = probe.closestHit(trees[0], origin, direction);
      const onB = probe.closestHit(trees[1], apply(toB, origin.map((x, k) => x - translation[k])), apply(toB, direction), onA?.time);
      if (!onB) return onA ? { mesh: 0, ...onA } : null;
      return { mesh: 1, ...onB, point: apply(rotation, onB.point).map((x, k) => x + translation[k]), normal: apply(rotation, onB.normal) };
    },
  };
}

// A ray of the stage as six numbers, with a direction of length 1, so that times are distances.
export const asNumbers = ({ origin, direction }) => [...origin, ...normalized(direction)];
export const ofNumbers = (numbers) => ({ origin: numbers.slice(0, 3), direction: numbers.slice(3) });
