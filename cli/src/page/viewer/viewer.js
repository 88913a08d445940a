// The 3D view: draws a scene (scene.js) when something about it has changed, and not otherwise.

import { createCamera } from "./camera.js";
import { HIGHLIGHT, PART_COLOURS, rgb } from "./colours.js";
import { createGpu } from "./gpu.js";

// `null` where the browser has no WebGL 2.
export function createViewer(canvas, palette) {
  const gl = canvas.getContext("webgl2", { antialias: true, alpha: false });
  if (!gl) return null;

  const state = { tree: null, level: 0, look: "solid", volumes: true, faces: true, byVolume: false, edges: false };
  let scene = null;
  let queued = false;
  let gpu = createGpu(gl);
  const camera = createCamera(canvas, redraw);

  function redraw() {
    if (queued) return;
    queued = true;
    requestAnimationFrame(() => {
      queued = false;
      fit();
      draw();
    });
  }

  // As many pixels as the canvas covers on the screen.
  function fit() {
    const scale = Math.min(window.devicePixelRatio || 1, 2);
    const width = Math.max(1, Math.round(canvas.clientWidth * scale));
    const height = Math.max(1, Math.round(canvas.clientHeight * scale));
    if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
  }

  // Trees of a kind and label, of each part that has one.
  const treesShown = () =>
    scene.parts.map((part) => part.trees.find(({ kind, label }) => kind === state.tree?.kind && label === state.tree?.label));

  function upload() {
    if (!scene || gl.isContextLost()) return;
    gpu.clear();
    const trees = treesShown();
    scene.parts.forEach((part, number) => {
      const tree = trees[number];
      const depth = tree ? Math.min(state.level, tree.shown - 1) : 0;
      const nodes = tree ? tree.cut(depth) : [];
      const colours = tree ? palette[tree.kind] : [];
      const own = PART_COLOURS[number % PART_COLOURS.length];
      const places = tree && state.byVolume && nodes.length > 0 ? tree.places(nodes, depth) : null;
      gpu.addSurface(part.surface, (triangle) => (places ? colours[places[triangle] % colours.length] : own));
      if (part.highlighted) gpu.addHighlight(part.highlighted, () => HIGHLIGHT);
      if (nodes.length > 0 && state.volumes) gpu.addVolumes(tree.kind === "sphere" ? "ball" : "box", nodes.map(tree.volume), colours);
    });
    canvas.dataset.volumes = gpu.volumeCount();
    redraw();
  }

  function draw() {
    if (!scene || gl.isContextLost()) return;
    const style = getComputedStyle(canvas);
    gpu.draw({
      ...camera.look(canvas.width / canvas.height, scene.world.outline),
      ...state,
      size: [canvas.width, canvas.height],
      scale: canvas.width / Math.max(1, canvas.clientWidth),
      background: rgb(style.getPropertyValue("--view")),
    });
  }

  canvas.addEventListener("webglcontextlost", (event) => event.preventDefault());
  canvas.addEventListener("webglcontextrestored", () => {
    gpu = createGpu(gl);
    upload();
  });
  new ResizeObserver(redraw).observe(canvas);

  return {
    show(decoded, changes) {
      scene = decoded;
      Object.assign(state, changes);
      upload();
    },
    update(changes) {
      Object.assign(state, changes);
      upload();
    },
    state: () => ({ ...state }),
    redraw,
    resetCamera: camera.reset,
    // Draws at once in another size, copies the picture, and leaves the canvas as it was.
    picture(target) {
      Object.assign(canvas, { width: target.width, height: target.height });
      draw();
      target.getContext("2d").drawImage(canvas, 0, 0);
      fit();
      redraw();
    },
  };
}
