// The 3D view: two meshes, the second of which moves, a capsule that walks, and the results. Coordinates are in A's frame,
// relative to A's middle, and are scaled for the view.

import { createCamera } from "./viewer/camera.js";
import { CURVE, HIGHLIGHT, PART_COLOURS } from "./viewer/colours.js";
import { UNMOVED } from "./viewer/gpu.js";
import { createScreen } from "./viewer/screen.js";
import { tubes } from "./viewer/tubes.js";
import { AXES, difference, dot } from "./viewer/vectors.js";
import { shades } from "./palette.js";
import { ball, capsule, extents, middleOf, picked, solids, soupOf } from "./soup.js";

const TUBE = 0.0045;
const CLOSEST = [0.14, 0.34, 0.77];
const RAY = [0.05, 0.6, 0.42];
const WALKER = [0.95, 0.45, 0.1];

// Returns null if the browser has no WebGL 2.
export function createStage(canvas, beforeDraw) {
  let size = 1;
  // Middle of the home view, relative to A's middle.
  let home = [0, 0, 0];
  let outline = [[0, 0, 0]];
  const parts = [0, 1].map(() => ({ soup: null, placement: { ...UNMOVED } }));
  const shown = { look: "solid", cut: Infinity, volumes: null, found: null, ray: null, capsule: null };
  // Where the capsule is; its matrix changes from frame to frame.
  const walker = { ...UNMOVED };

  const screen = createScreen(canvas, {
    beforeDraw,
    upload(gpu) {
      parts.forEach(({ soup, placement }, number) => {
        if (soup) gpu.addSurface(soup, () => PART_COLOURS[number], placement);
      });
      showVolumes(gpu);
      showFound(gpu);
    },
    look: (aspect) => ({ ...camera.look(aspect, outline), look: shown.look, section: section(), faces: true, edges: false }),
  });
  if (!screen) return null;
  const camera = createCamera(canvas, screen.redraw);

  function showVolumes(gpu) {
    gpu.clearVolumes();
    if (shown.volumes) uploadVolumesOf(gpu, parts, shown.volumes);
    canvas.dataset.volumes = gpu.volumeCount();
  }

  function showFound(gpu) {
    gpu.clearHighlights();
    // Beside the capsule, lines are as thin as for the whole scene.
    const radius = shown.capsule ? 0.01 * shown.capsule.height : TUBE * size;
    if (shown.found) uploadFound(gpu, parts, shown.found, radius);
    if (shown.ray) uploadRay(gpu, parts[0], shown.ray, shown.capsule?.height ?? shown.ray.time / 10);
    if (shown.capsule) gpu.addHighlight(capsule([0, 0, shown.capsule.height / 2], shown.capsule.radius, shown.capsule.height / 2 - shown.capsule.radius), () => WALKER, walker);
  }

  // What is above the cut, a height in A's frame, is not drawn.
  function section() {
    if (shown.cut === Infinity) return undefined;
    return { lower: [-1e9, -1e9, -1e9], upper: [1e9, 1e9, (shown.cut - parts[0].middle[2] - home[2]) / size] };
  }

  const inA = (point) => parts[1].rotation.map((row, k) => row[0] * point[0] + row[1] * point[1] + row[2] * point[2] + parts[1].at[k]);
  const toView = (point) => point.map((x, k) => (x - home[k]) / size);
  const scaled = (rows) => [0, 1, 2].flatMap((k) => [...rows.map((row) => row[k] / size), 0]);

  return {
    camera,
    redraw: screen.redraw,
    setMesh(number, mesh) {
      Object.assign(parts[number], { middle: middleOf(mesh.bounds), ...soupOf(mesh) });
      screen.upload();
    },
    // Sets the home view and its scale, from the current poses of the meshes.
    frame([a, b]) {
      size = Math.hypot(...extents(a)) / 2 + Math.hypot(...extents(b)) / 2 || 1;
      const all = parts.flatMap(({ sample }, number) => (number === 0 ? sample : sample.map(inA)));
      const range = (k, least) => all.reduce((bound, point) => least(bound, point[k]), all[0]?.[k] ?? 0);
      home = [0, 1, 2].map((k) => (range(k, Math.min) + range(k, Math.max)) / 2);
      outline = all.map(toView);
    },
    // Sets B's pose: its rotation, and its middle relative to A's middle.
    place(rotation, at) {
      parts[0].placement.matrix = [...scaled(AXES), ...toView([0, 0, 0]), 1];
      parts[1].placement.matrix = [...scaled(rotation), ...toView(at), 1];
      Object.assign(parts[1], { rotation, at });
    },
    // Returns the ray from the eye through a point of the canvas, in A's frame.
    ray(x, y) {
      const { eye, direction, right, up, pixel } = camera.ray(x, y);
      const { middle } = parts[0];
      return { origin: eye.map((k, i) => k * size + home[i] + middle[i]), direction: direction.map((k) => k * size), right, up, pixel: pixel * size };
    },
    show(changes) {
      Object.assign(shown, changes);
      if ("volumes" in changes) screen.change(showVolumes);
      if ("found" in changes || "ray" in changes || "capsule" in changes) screen.change(showFound);
    },
    // Returns a test of whether a ray's hit is drawn, or undefined if all are.
    seen({ direction }) {
      const isCutaway = shown.look === "cutaway";
      if (!isCutaway && shown.cut === Infinity) return undefined;
      return ({ mesh, point, normal }) => point[2] <= shown.cut && (!isCutaway || dot(normal, direction) < 0 === parts[mesh].soup.isInsideOut);
    },
    // Stands the capsule at a point of A's frame; null hides it.
    stand(feet) {
      walker.matrix = feet ? [...scaled(AXES), ...toView(difference(feet, parts[0].middle)), 1] : new Array(16).fill(0);
    },
    // Looks at a point of A's frame, from a distance if one is given; returns the distance.
    follow(point, distance) {
      const target = toView(difference(point, parts[0].middle));
      const length = camera.unit() * size;
      camera.place(distance === undefined ? { target } : { target, distance: distance / length });
      return camera.placed().distance * length;
    },
  };
}

function uploadVolumesOf(gpu, parts, { kind, of }) {
  for (const [number, matrices] of of.entries()) {
    const { middle, placement } = parts[number];
    if (matrices) gpu.addVolumes(kind === "sphere" ? "ball" : "box", solids(matrices, middle), shades(kind), placement);
  }
}

// Draws the intersecting triangles, the intersection curves and the closest points.
function uploadFound(gpu, parts, { faces, curves, closest }, radius) {
  faces.forEach((ofPart, number) => {
    const { soup, placement } = parts[number];
    if (soup && ofPart.length > 0) gpu.addHighlight(picked(soup, ofPart), () => HIGHLIGHT, placement);
  });
  const { middle, placement } = parts[0];
  const listed = curves.map(({ points, isClosed }) => curvePoints(points, isClosed, middle));
  if (listed.length > 0) gpu.addHighlight(tubes(listed, radius), () => CURVE, placement);
  if (closest) {
    const ends = closest.map((point) => difference(point, middle));
    gpu.addHighlight(tubes([ends], radius), () => CLOSEST, placement);
    for (const end of ends) gpu.addHighlight(ball(end, 2.6 * radius), () => CLOSEST, placement);
  }
}

// Draws the end of a ray, so that it is not in the eye's way, the hit, and the normal there with a length.
function uploadRay(gpu, { middle, placement }, { direction, point, normal }, length) {
  const hit = difference(point, middle);
  const ends = [direction.map((x) => -2 * x), normal].map((way) => hit.map((x, k) => x + length * way[k]));
  const lines = ends.map((end) => [end, hit]);
  for (const drawn of [tubes(lines, 0.027 * length), ball(hit, 0.07 * length)]) gpu.addHighlight(drawn, () => RAY, placement);
}

// Returns a curve's points, relative to A's middle.
function curvePoints(points, isClosed, middle) {
  const made = [];
  for (let i = 0; i < points.length; i += 3) made.push(Array.from(difference(points.subarray(i, i + 3), middle)));
  if (isClosed) made.push(made[0]);
  return made;
}
