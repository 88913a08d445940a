// A camera that goes around the scene by mouse, touch and keys, and keeps z up.

import { cross, dot } from "./vectors.js";

// Distances are counted in that from which, at home, the whole scene is seen.
const HOME = { yaw: -0.9, pitch: 0.5, distance: 1, target: [0, 0, 0] };
const FIELD_OF_VIEW = 0.72;
const STEEPEST = 1.55;
const NEAREST = 0.0005;
const FARTHEST = 8;
// Room around the scene, for volumes that stick out.
const MARGIN = 1.2;

export function createCamera(canvas, onMove) {
  const view = { ...HOME };
  let seen = 1;
  // Counts flights: a new one, or a hand on the view, ends the last.
  let flight = 0;
  const pointers = new Map();

  const clamp = (x, low, high) => Math.min(high, Math.max(low, x));

  function changed() {
    view.pitch = clamp(view.pitch, -STEEPEST, STEEPEST);
    view.distance = clamp(view.distance, NEAREST, FARTHEST);
    onMove();
  }

  function orbit(dx, dy) {
    view.yaw -= dx;
    view.pitch += dy;
    changed();
  }

  function zoom(factor) {
    view.distance *= factor;
    changed();
  }

  function pan(dx, dy) {
    const { right, up } = basis();
    const step = (2 * seen * Math.tan(FIELD_OF_VIEW / 2)) / canvas.clientHeight;
    view.target = view.target.map((x, k) => x + step * (up[k] * dy - right[k] * dx));
    changed();
  }

  function reset() {
    flight += 1;
    Object.assign(view, HOME);
    changed();
  }

  // Goes, in a few steps, to where a ball in world coordinates fills the view.
  function flyTo(target, radius) {
    // The distance that counts as 1, which the first drawing tells.
    const unit = seen / view.distance;
    const [from, distance] = [{ ...view }, clamp((3.2 * radius) / unit, NEAREST, FARTHEST)];
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const began = performance.now();
    flight += 1;
    const own = flight;
    const step = (now) => {
      if (own !== flight) return;
      const time = still ? 1 : clamp((now - began) / 450, 0, 1);
      const eased = time * time * (3 - 2 * time);
      view.target = from.target.map((x, k) => x + (target[k] - x) * eased);
      view.distance = from.distance * (distance / from.distance) ** eased;
      changed();
      if (time < 1) requestAnimationFrame(step);
    };
    step(began);
  }

  // From the target to the eye, and the screen's axes.
  function basis({ yaw, pitch } = view) {
    const back = [Math.cos(pitch) * Math.cos(yaw), Math.cos(pitch) * Math.sin(yaw), Math.sin(pitch)];
    const right = [-Math.sin(yaw), Math.cos(yaw), 0];
    return { back, right, up: cross(back, right) };
  }

  // How far the eye must be, at home, to see all points.
  function fittingDistance(aspect, points) {
    const { back, right, up } = basis(HOME);
    const slope = Math.tan(FIELD_OF_VIEW / 2) / MARGIN;
    return points.reduce((distance, point) => {
      const [x, y] = [Math.abs(dot(point, right)) / aspect, Math.abs(dot(point, up))];
      return Math.max(distance, dot(point, back) + Math.max(x, y) / slope);
    }, 0.1);
  }

  // The eye and the column-major matrix that takes world coordinates to clip space.
  function look(aspect, points) {
    const { back, right, up } = basis();
    const distance = view.distance * fittingDistance(aspect, points);
    seen = distance;
    const eye = view.target.map((x, k) => x + distance * back[k]);
    const near = distance * 0.02;
    const far = distance + 8;
    const scale = 1 / Math.tan(FIELD_OF_VIEW / 2);
    const rows = [right.map((x) => (x * scale) / aspect), up.map((x) => x * scale), back];
    const [x, y, z] = rows.map((row) => [...row, -dot(row, eye)]);
    const depth = z.map((k) => (k * (far + near)) / (near - far));
    depth[3] += (2 * far * near) / (near - far);
    const w = z.map((k) => -k);
    return { eye, near, matrix: [0, 1, 2, 3].flatMap((column) => [x[column], y[column], depth[column], w[column]]) };
  }

  // The eye and the direction, of any length, to a place of the canvas in CSS pixels; and how much of the world a pixel is,
  // at a distance of 1.
  function ray(x, y) {
    const { back, right, up } = basis();
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    const pixel = (2 * Math.tan(FIELD_OF_VIEW / 2)) / height;
    const [aside, above] = [(x - width / 2) * pixel, (height / 2 - y) * pixel];
    const direction = back.map((k, i) => aside * right[i] + above * up[i] - k);
    return { eye: view.target.map((k, i) => k + seen * back[i]), direction, right, up, pixel };
  }

  function place(changes) {
    Object.assign(view, changes);
    changed();
  }

  canvas.addEventListener("pointerdown", (event) => {
    flight += 1;
    canvas.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, [event.clientX, event.clientY]);
    canvas.focus({ preventScroll: true });
  });

  canvas.addEventListener("pointermove", (event) => {
    const before = pointers.get(event.pointerId);
    if (!before) return;
    const now = [event.clientX, event.clientY];
    const [dx, dy] = [now[0] - before[0], now[1] - before[1]];
    if (pointers.size === 1) {
      pointers.set(event.pointerId, now);
      if (event.shiftKey || event.buttons & 6) pan(dx, dy);
      else orbit(dx * 0.008, dy * 0.008);
      return;
    }
    const other = [...pointers].find(([id]) => id !== event.pointerId)[1];
    const spread = (point) => Math.hypot(point[0] - other[0], point[1] - other[1]) || 1;
    const factor = spread(before) / spread(now);
    pointers.set(event.pointerId, now);
    // Each finger moves the middle between them by half its way.
    pan(dx / 2, dy / 2);
    zoom(factor);
  });

  for (const end of ["pointerup", "pointercancel"]) {
    canvas.addEventListener(end, (event) => pointers.delete(event.pointerId));
  }

  // Over a canvas that nobody has touched yet the wheel scrolls the page, as elsewhere.
  canvas.addEventListener(
    "wheel",
    (event) => {
      if (document.activeElement !== canvas && !event.ctrlKey && !canvas.hasAttribute("data-whole-page")) return;
      event.preventDefault();
      zoom(Math.exp(clamp(event.deltaY * (event.deltaMode === 1 ? 0.05 : 0.0016), -0.5, 0.5)));
    },
    { passive: false },
  );

  canvas.addEventListener("contextmenu", (event) => event.preventDefault());
  canvas.addEventListener("dblclick", reset);

  const KEYS = {
    ArrowLeft: () => orbit(-0.12, 0),
    ArrowRight: () => orbit(0.12, 0),
    ArrowUp: () => orbit(0, -0.12),
    ArrowDown: () => orbit(0, 0.12),
    "+": () => zoom(0.87),
    "=": () => zoom(0.87),
    "-": () => zoom(1.15),
    0: reset,
    Home: reset,
  };

  canvas.addEventListener("keydown", (event) => {
    const act = KEYS[event.key];
    if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    act();
  });

  return { look, reset, flyTo, ray, place, placed: () => ({ ...view, target: [...view.target] }) };
}
