// A camera that orbits the scene and keeps z up.

import { listenToGestures } from "./gestures.js";
import { clamp, cross, dot } from "./vectors.js";

// The unit of distances is the distance at which the home view shows the whole scene.
const HOME = { yaw: -0.9, pitch: 0.5, distance: 1, target: [0, 0, 0] };
const FIELD_OF_VIEW = 0.72;
const STEEPEST = 1.55;
const NEAREST = 0.0005;
const FARTHEST = 8;
// Space around the scene, for volumes that extend beyond the meshes.
const MARGIN = 1.2;
// Duration of a flight in milliseconds.
const FLIGHT = 450;

export function createCamera(canvas, onMove) {
  const view = { ...HOME };
  // The unit of distances in world coordinates, known after the first drawing.
  let unit = 1;
  const homeDistance = remembering(fittingDistance);
  // Counts flights: a new flight, or user input, ends the previous one.
  let flight = 0;

  function place(changes) {
    Object.assign(view, changes);
    view.pitch = clamp(view.pitch, -STEEPEST, STEEPEST);
    view.distance = clamp(view.distance, NEAREST, FARTHEST);
    onMove();
  }

  const camera = {
    place,
    placed: () => ({ ...view, target: [...view.target] }),
    unit: () => unit,
    // The direction from the target to the eye.
    toEye: () => basis(view).back,
    orbit: (dx, dy) => place({ yaw: view.yaw - dx, pitch: view.pitch + dy }),
    zoom: (factor) => place({ distance: view.distance * factor }),
    pan(dx, dy) {
      const { right, up } = basis(view);
      const step = (2 * view.distance * unit * Math.tan(FIELD_OF_VIEW / 2)) / canvas.clientHeight;
      place({ target: view.target.map((x, k) => x + step * (up[k] * dy - right[k] * dx)) });
    },
    // Ends the current flight where it is.
    stay: () => (flight += 1),
    reset() {
      flight += 1;
      place(HOME);
    },
    // Flies to where a sphere in world coordinates fills the view.
    flyTo(target, radius) {
      const own = ++flight;
      const goal = { target, distance: clamp((3.2 * radius) / unit, NEAREST, FARTHEST) };
      fly(camera.placed(), goal, place, () => own === flight);
    },
    // The eye, and the column-major matrix that maps world coordinates to clip space.
    look(aspect, points) {
      const axes = basis(view);
      unit = homeDistance(aspect, points);
      const seen = view.distance * unit;
      const eye = view.target.map((x, k) => x + seen * axes.back[k]);
      const near = seen * 0.02;
      return { eye, near, matrix: clipMatrix(axes, eye, aspect, near, seen + 8) };
    },
    // The eye and the direction, of any length, through a point of the canvas in CSS pixels, and the size of a pixel in the
    // world at a distance of 1.
    ray(x, y) {
      const { back, right, up } = basis(view);
      const [width, height] = [canvas.clientWidth, canvas.clientHeight];
      const pixel = (2 * Math.tan(FIELD_OF_VIEW / 2)) / height;
      const [aside, above] = [(x - width / 2) * pixel, (height / 2 - y) * pixel];
      const direction = back.map((k, i) => aside * right[i] + above * up[i] - k);
      return { eye: view.target.map((k, i) => k + view.distance * unit * back[i]), direction, right, up, pixel };
    },
  };
  listenToGestures(canvas, camera);
  return camera;
}

// Animates from one view to another, easing at both ends, until `mayGoOn` returns false; jumps if the user prefers no
// motion.
function fly(from, goal, place, mayGoOn) {
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const began = performance.now();
  const step = (now) => {
    if (!mayGoOn()) return;
    const time = still ? 1 : clamp((now - began) / FLIGHT, 0, 1);
    const eased = time * time * (3 - 2 * time);
    place({
      target: from.target.map((x, k) => x + (goal.target[k] - x) * eased),
      distance: from.distance * (goal.distance / from.distance) ** eased,
    });
    if (time < 1) requestAnimationFrame(step);
  };
  step(began);
}

// The direction from the target to the eye, and the screen's axes.
function basis({ yaw, pitch }) {
  const back = [Math.cos(pitch) * Math.cos(yaw), Math.cos(pitch) * Math.sin(yaw), Math.sin(pitch)];
  const right = [-Math.sin(yaw), Math.cos(yaw), 0];
  return { back, right, up: cross(back, right) };
}

// The distance at which the eye sees all points in the home view.
function fittingDistance(aspect, points) {
  const { back, right, up } = basis(HOME);
  const slope = Math.tan(FIELD_OF_VIEW / 2) / MARGIN;
  return points.reduce((distance, point) => {
    const [x, y] = [Math.abs(dot(point, right)) / aspect, Math.abs(dot(point, up))];
    return Math.max(distance, dot(point, back) + Math.max(x, y) / slope);
  }, 0.1);
}

// A function that remembers its last result.
function remembering(compute) {
  let last = null;
  return (...given) => {
    if (!last?.given.every((value, i) => value === given[i])) last = { given, result: compute(...given) };
    return last.result;
  };
}

function clipMatrix({ back, right, up }, eye, aspect, near, far) {
  const scale = 1 / Math.tan(FIELD_OF_VIEW / 2);
  const rows = [right.map((x) => (x * scale) / aspect), up.map((x) => x * scale), back];
  const [x, y, z] = rows.map((row) => [...row, -dot(row, eye)]);
  const depth = z.map((k) => (k * (far + near)) / (near - far));
  depth[3] += (2 * far * near) / (near - far);
  const w = z.map((k) => -k);
  return [0, 1, 2, 3].flatMap((column) => [x[column], y[column], depth[column], w[column]]);
}
