// A canvas with a 3D picture, which is redrawn only when something has changed.

import { rgb } from "./colours.js";
import { createGpu } from "./gpu.js";

// `upload(gpu)` uploads everything to a GPU that holds nothing yet. `look(aspect)` returns the camera's view and the
// looks, or null for no drawing. `beforeDraw(now)` runs first in each frame, `afterDraw(view)` after a drawing. Returns
// null if the browser has no WebGL 2.
export function createScreen(canvas, { upload, look, beforeDraw = () => {}, afterDraw = () => {} }) {
  const gl = canvas.getContext("webgl2", { antialias: true, alpha: false });
  if (!gl) return null;
  let gpu = createGpu(gl);
  let queued = false;

  function redraw() {
    if (queued) return;
    queued = true;
    requestAnimationFrame((now) => {
      queued = false;
      beforeDraw(now);
      fit();
      draw();
    });
  }

  // Gives the canvas as many pixels as it covers on the screen.
  function fit() {
    const scale = Math.min(window.devicePixelRatio || 1, 2);
    const [width, height] = [canvas.clientWidth, canvas.clientHeight].map((x) => Math.max(1, Math.round(x * scale)));
    if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
  }

  function draw() {
    const shown = gl.isContextLost() ? null : look(canvas.width / canvas.height);
    if (!shown) return;
    gpu.draw({
      ...shown,
      size: [canvas.width, canvas.height],
      scale: canvas.width / Math.max(1, canvas.clientWidth),
      background: rgb(getComputedStyle(canvas).getPropertyValue("--view")),
    });
    afterDraw(shown);
  }

  // Changes what the GPU holds. After a lost context, everything is uploaded again.
  function change(bring) {
    if (!gl.isContextLost()) bring(gpu);
  }

  function uploadAll() {
    change(() => {
      gpu.clear();
      upload(gpu);
    });
    redraw();
  }

  canvas.addEventListener("webglcontextlost", (event) => event.preventDefault());
  canvas.addEventListener("webglcontextrestored", () => {
    gpu = createGpu(gl);
    uploadAll();
  });
  new ResizeObserver(redraw).observe(canvas);

  return {
    redraw,
    change,
    upload: uploadAll,
    // Draws immediately in another size and copies the picture; the canvas stays as it was.
    picture(target) {
      Object.assign(canvas, { width: target.width, height: target.height });
      draw();
      target.getContext("2d").drawImage(canvas, 0, 0);
      fit();
      redraw();
    },
  };
}
