// Queries at each pose: the intersecting triangles and curves, or else the distance; and the relation of the meshes.

import { DistanceTracker, Query } from "./bvtree/index.js";

export function createLive() {
  const query = new Query();
  let tracker = null;
  let tracked = [];

  const work = () => ({ volumeTests: query.volumeTests, triangleTests: query.triangleTests });

  function timed(ask) {
    const began = performance.now();
    const answer = ask();
    return { answer, time: performance.now() - began, ...work() };
  }

  return {
    ask([a, b], pose) {
      if (tracked[0] !== a || tracked[1] !== b) {
        tracker?.free();
        tracker = new DistanceTracker(a, b);
        tracked = [a, b];
      }
      const touching = timed(() => query.intersectionCurves(a, b, pose));
      const isApart = touching.answer.faces.length === 0;
      const distance = isApart ? timed(() => tracker.distance(query, pose)) : null;
      const relation = timed(() => query.relation(a, b, pose));
      return { touching, distance, relation, isApart };
    },
    // Repeats each query for a few milliseconds, because clocks of browsers are coarse; returns the microseconds of one.
    measure([a, b], pose) {
      const often = (ask, milliseconds) => {
        const began = performance.now();
        let [count, time] = [0, 0];
        do {
          ask();
          count += 1;
          time = performance.now() - began;
        } while (time < milliseconds);
        return { micros: (1000 * time) / count, ...work() };
      };
      return { pairs: often(() => query.countPairs(a, b, pose), 2), distance: often(() => query.distance(a, b, pose), 2) };
    },
  };
}
