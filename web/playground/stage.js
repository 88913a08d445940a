// The 3D view: two meshes, of which the second moves, and what is found about them. Coordinates are those of A's frame, counted
// from A's middle, and become the view's by a scale.

import { createCamera } from "./viewer/camera.js";
import { CURVE, HIGHLIGHT, PART_COLOURS, rgb } from "./viewer/colours.js";
import { createGpu } from "./viewer/gpu.js";
import { tubes } from "./viewer/tubes.js";
import { difference } from "./viewer/vectors.js";
import { shades } from "./palette.js";

const TUBE = 0.0045;
const CLOSEST = [0.14, 0.34, 0.77];
// Points of a mesh that must be in sight.
const OUTLINE = 800;

// `null` where the browser has no WebGL 2.
export function createStage(canvas, beforeDraw) {
  const gl = canvas.getContext("webgl2", { antialias: true, alpha: false, preserveDrawingBuffer: false });
  if (!gl) return null;
  let gpu = createGpu(gl);
  let queued = false;
  let size = 1;
  // The middle of what is seen at home, from A's middle.
  let home = [0, 0, 0];
  let outline = [[0, 0, 0]];
  const parts = [0, 1].map(() => ({ soup: null, placement: { matrix: [] } }));
  const shown = { look: "solid", volumes: null, found: null };
  const camera = createCamera(canvas, redraw);

  function redraw() {
    if (queued) return;
    queued = true;
    requestAnimationFrame((now) => {
      queued = false;
      beforeDraw(now);
      draw();
    });
  }

  function draw() {
    if (gl.isContextLost()) return;
    const scale = Math.min(window.devicePixelRatio || 1, 2);
    const [width, height] = [canvas.clientWidth, canvas.clientHeight].map((x) => Math.max(1, Math.round(x * scale)));
    if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
    gpu.draw({
      ...camera.look(width / height, outline),
      look: shown.look,
      faces: true,
      edges: false,
      size: [width, height],
      scale,
      background: rgb(getComputedStyle(canvas).getPropertyValue("--view")),
    });
  }

  function upload() {
    if (gl.isContextLost()) return;
    gpu.clear();
    parts.forEach(({ soup, placement }, number) => {
      if (soup) gpu.addSurface(soup, () => PART_COLOURS[number], placement);
    });
    uploadVolumes();
    uploadFound();
  }

  function uploadVolumes() {
    gpu.clearVolumes();
    for (const [number, matrices] of (shown.volumes?.of ?? []).entries()) {
      const { kind } = shown.volumes;
      const { middle, placement } = parts[number];
      if (matrices) gpu.addVolumes(kind === "sphere" ? "ball" : "box", solids(matrices, middle), shades(kind), placement);
    }
    canvas.dataset.volumes = gpu.volumeCount();
  }

  function uploadFound() {
    gpu.clearHighlights();
    const { found } = shown;
    if (!found) return;
    found.faces.forEach((faces, number) => {
      const { soup, placement } = parts[number];
      if (soup && faces.length > 0) gpu.addHighlight(picked(soup, faces), () => HIGHLIGHT, placement);
    });
    const curves = found.curves.map(({ points, isClosed }) => listed(points, isClosed));
    if (curves.length > 0) gpu.addHighlight(tubes(curves, TUBE * size), () => CURVE, parts[0].placement);
    if (found.closest) {
      const ends = found.closest.map((point) => difference(point, parts[0].middle));
      gpu.addHighlight(tubes([ends], TUBE * size), () => CLOSEST, parts[0].placement);
      for (const end of ends) gpu.addHighlight(ball(end, 2.6 * TUBE * size), () => CLOSEST, parts[0].placement);
    }
  }

  // A curve's points, counted from A's middle.
  function listed(points, isClosed) {
    const made = [];
    for (let i = 0; i < points.length; i += 3) made.push(difference(points.subarray(i, i + 3), parts[0].middle));
    if (isClosed) made.push(made[0]);
    return made.map((point) => Array.from(point));
  }

  canvas.addEventListener("webglcontextlost", (event) => event.preventDefault());
  canvas.addEventListener("webglcontextrestored", () => {
    gpu = createGpu(gl);
    upload();
    redraw();
  });
  new ResizeObserver(redraw).observe(canvas);

  return {
    camera,
    redraw,
    setMesh(number, { positions, indices, bounds }) {
      const middle = [0, 1, 2].map((k) => (bounds[k] + bounds[k + 3]) / 2);
      Object.assign(parts[number], { middle, ...soupOf(positions, indices, middle) });
      upload();
    },
    // What is in sight at home, and the scale of the view: of the meshes as they stand now.
    frame([a, b]) {
      size = Math.hypot(...extents(a)) / 2 + Math.hypot(...extents(b)) / 2 || 1;
      const all = parts.flatMap(({ sample }, number) => (number === 0 ? sample : sample.map(this.inA)));
      const range = (k, least) => all.reduce((bound, point) => least(bound, point[k]), all[0]?.[k] ?? 0);
      home = [0, 1, 2].map((k) => (range(k, Math.min) + range(k, Math.max)) / 2);
      outline = all.map(this.toView);
    },
    // Where B stands: its rotation's columns, and where its middle is, from A's middle.
    place(rotation, at) {
      const scaled = (rows) => [0, 1, 2].flatMap((k) => [...rows.map((row) => row[k] / size), 0]);
      const upright = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
      parts[0].placement.matrix = [...scaled(upright), ...this.toView([0, 0, 0]), 1];
      parts[1].placement.matrix = [...scaled(rotation), ...this.toView(at), 1];
      Object.assign(parts[1], { rotation, at });
    },
    inA: (point) => parts[1].rotation.map((row, k) => row[0] * point[0] + row[1] * point[1] + row[2] * point[2] + parts[1].at[k]),
    toView: (point) => point.map((x, k) => (x - home[k]) / size),
    // From the eye to a place of the canvas, in A's frame.
    ray(x, y) {
      const { eye, direction, right, up, pixel } = camera.ray(x, y);
      const { middle } = parts[0];
      return { origin: eye.map((k, i) => k * size + home[i] + middle[i]), direction: direction.map((k) => k * size), right, up, pixel: pixel * size };
    },
    show(changes) {
      Object.assign(shown, changes);
      if (gl.isContextLost()) return;
      if ("volumes" in changes) uploadVolumes();
      if ("found" in changes) uploadFound();
    },
  };
}

const extents = (bounds) => [0, 1, 2].map((k) => bounds[k + 3] - bounds[k]);

// Three corners of its own for each triangle, with its normal, and some points.
function soupOf(vertices, indices, middle) {
  const count = indices.length;
  const [positions, normals] = [new Float32Array(3 * count), new Float32Array(3 * count)];
  for (let i = 0; i < count; i++) {
    for (let k = 0; k < 3; k++) positions[3 * i + k] = vertices[3 * indices[i] + k] - middle[k];
  }
  for (let i = 0; i < 9 * Math.floor(count / 3); i += 9) {
    const [a, b, c] = [0, 3, 6].map((k) => positions.subarray(i + k, i + k + 3));
    const [ux, uy, uz] = [b[0] - a[0], b[1] - a[1], b[2] - a[2]];
    const [vx, vy, vz] = [c[0] - a[0], c[1] - a[1], c[2] - a[2]];
    const normal = [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx];
    const length = Math.hypot(...normal) || 1;
    for (let k = 0; k < 9; k++) normals[i + k] = normal[k % 3] / length;
  }
  const step = 3 * Math.max(1, Math.floor(count / OUTLINE));
  const sample = [];
  for (let i = 0; i + 2 < positions.length; i += step) sample.push(Array.from(positions.subarray(i, i + 3)));
  return { soup: { count, positions, normals }, sample };
}

// Some triangles of a mesh.
function picked({ positions, normals }, faces) {
  const made = { count: 3 * faces.length, positions: new Float32Array(9 * faces.length), normals: new Float32Array(9 * faces.length) };
  faces.forEach((face, i) => {
    made.positions.set(positions.subarray(9 * face, 9 * face + 9), 9 * i);
    made.normals.set(normals.subarray(9 * face, 9 * face + 9), 9 * i);
  });
  return made;
}

// Middles and half axes of volumes, from the mesh's middle.
function solids(matrices, middle) {
  const made = [];
  for (let i = 0; i < matrices.length; i += 16) {
    const column = (k) => Array.from(matrices.subarray(i + 4 * k, i + 4 * k + 3));
    made.push({ center: difference(column(3), middle), axes: [column(0), column(1), column(2)] });
  }
  return made;
}

function ball(center, radius) {
  const [rings, sectors] = [8, 12];
  const at = (r, s) => {
    const [polar, around] = [(Math.PI * r) / rings, (2 * Math.PI * s) / sectors];
    return [Math.sin(polar) * Math.cos(around), Math.sin(polar) * Math.sin(around), Math.cos(polar)];
  };
  const [positions, normals] = [[], []];
  for (let r = 0; r < rings; r++) {
    for (let s = 0; s < sectors; s++) {
      const corners = [[0, 0], [1, 0], [1, 1], [0, 0], [1, 1], [0, 1]].map(([i, k]) => at(r + i, s + k));
      for (const corner of corners) {
        positions.push(...corner.map((x, k) => center[k] + radius * x));
        normals.push(...corner);
      }
    }
  }
  return { count: positions.length / 3, positions: new Float32Array(positions), normals: new Float32Array(normals) };
}
