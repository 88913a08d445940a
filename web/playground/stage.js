// The 3D view: two meshes, the second of which moves, and the results. Coordinates are in A's frame, relative to A's middle,
// and are scaled for the view.

import { createCamera } from "./viewer/camera.js";
import { CURVE, HIGHLIGHT, PART_COLOURS } from "./viewer/colours.js";
import { UNMOVED } from "./viewer/gpu.js";
import { createScreen } from "./viewer/screen.js";
import { tubes } from "./viewer/tubes.js";
import { AXES, difference } from "./viewer/vectors.js";
import { shades } from "./palette.js";
import { ball, extents, picked, solids, soupOf } from "./soup.js";

const TUBE = 0.0045;
const CLOSEST = [0.14, 0.34, 0.77];

// Returns null if the browser has no WebGL 2.
export function createStage(canvas, beforeDraw) {
  let size = 1;
  // Middle of the home view, relative to A's middle.
  let home = [0, 0, 0];
  let outline = [[0, 0, 0]];
  const parts = [0, 1].map(() => ({ soup: null, placement: { ...UNMOVED } }));
  const shown = { look: "solid", volumes: null, found: null };

  const screen = createScreen(canvas, {
    beforeDraw,
    upload(gpu) {
      parts.forEach(({ soup, placement }, number) => {
        if (soup) gpu.addSurface(soup, () => PART_COLOURS[number], placement);
      });
      showVolumes(gpu);
      showFound(gpu);
    },
    look: (aspect) => ({ ...camera.look(aspect, outline), look: shown.look, faces: true, edges: false }),
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
    if (shown.found) uploadFound(gpu, parts, shown.found, TUBE * size);
  }

  const inA = (point) => parts[1].rotation.map((row, k) => row[0] * point[0] + row[1] * point[1] + row[2] * point[2] + parts[1].at[k]);
  const toView = (point) => point.map((x, k) => (x - home[k]) / size);

  return {
    camera,
    redraw: screen.redraw,
    setMesh(number, { positions, indices, bounds }) {
      const middle = [0, 1, 2].map((k) => (bounds[k] + bounds[k + 3]) / 2);
      Object.assign(parts[number], { middle, ...soupOf(positions, indices, middle) });
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
      const scaled = (rows) => [0, 1, 2].flatMap((k) => [...rows.map((row) => row[k] / size), 0]);
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
      if ("found" in changes) screen.change(showFound);
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

// Returns a curve's points, relative to A's middle.
function curvePoints(points, isClosed, middle) {
  const made = [];
  for (let i = 0; i < points.length; i += 3) made.push(Array.from(difference(points.subarray(i, i + 3), middle)));
  if (isClosed) made.push(made[0]);
  return made;
}
