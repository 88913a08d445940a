// The distance between two points that the reader clicks on surfaces.

import { projected } from "./overlay.js";
import { difference } from "./vectors.js";

// A click this near to a corner of the triangle, in CSS pixels, means the corner.
const SNAP = 12;

// `hit(x, y)` returns a hit of a surface (picking.js) with its `corners`, or null; `view()` the view and the canvas's
// size. `onChange` runs when the points have changed.
export function createMeasure(hit, view, onChange) {
  let points = [];
  let isOn = false;

  function snapped({ point, corners }, x, y) {
    const { look, size } = view();
    let best = { point, away: SNAP };
    for (const corner of corners) {
      const at = projected(look, size, corner);
      const away = at ? Math.hypot(at[0] - x, at[1] - y) : Infinity;
      if (away < best.away) best = { point: corner, away };
    }
    return best.point;
  }

  function set(changed) {
    points = changed;
    onChange();
  }

  return {
    isOn: () => isOn,
    points: () => points,
    // In world coordinates; null before the second point.
    distance: () => (points.length === 2 ? Math.hypot(...difference(points[1], points[0])) : null),
    turn(on) {
      isOn = on;
      set([]);
    },
    click(x, y) {
      const found = hit(x, y);
      if (found) set([...(points.length === 2 ? [] : points), snapped(found, x, y)]);
    },
    marks(colour, text) {
      const [point, end] = points;
      const dots = { points, colour };
      return end ? [{ kind: "line", point, end, colour, label: text(this.distance()) }, dots] : [dots];
    },
  };
}
