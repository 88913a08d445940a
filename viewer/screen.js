// A canvas with a picture in 3D, which is drawn when something about it has changed, and not otherwise.

import { rgb } from "./colours.js";
import { createGpu } from "./gpu.js";

// `upload(gpu)` brings all that is shown to a processor that holds nothing; `look(aspect)` tells the camera's view and the looks, or
// null for no drawing; `beforeDraw(now)` comes first in each frame. `null` where the browser has no WebGL 2.
export function createScreen(canvas, { upload, look, beforeDraw = () => {} }) {
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

  // As many pixels as the canvas covers on the screen.
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
  }

  // Before a drawing; what is lost with the context is uploaded when it is back.
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
