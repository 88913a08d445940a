// Moves a camera by mouse, touch, wheel and keys.

import { clamp } from "./vectors.js";

export function listenToGestures(canvas, camera) {
  listenToPointers(canvas, camera);
  listenToWheel(canvas, camera);
  listenToKeys(canvas, camera);
  canvas.addEventListener("contextmenu", (event) => event.preventDefault());
  canvas.addEventListener("dblclick", camera.reset);
}

// Runs `act(x, y)` with a place on the canvas, in CSS pixels, where the pointer was pressed and released without a
// drag.
export function listenToClicks(canvas, act) {
  let pressed = null;
  canvas.addEventListener("pointerdown", ({ isPrimary, button, offsetX, offsetY }) => {
    pressed = isPrimary && button === 0 ? [offsetX, offsetY] : null;
  });
  canvas.addEventListener("pointerup", ({ offsetX, offsetY }) => {
    if (pressed && Math.hypot(offsetX - pressed[0], offsetY - pressed[1]) < 5) act(offsetX, offsetY);
    pressed = null;
  });
}

// One pointer orbits, or pans with Shift or another button; two pan and zoom.
function listenToPointers(canvas, camera) {
  const pointers = new Map();

  canvas.addEventListener("pointerdown", (event) => {
    camera.stay();
    canvas.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, [event.clientX, event.clientY]);
    canvas.focus({ preventScroll: true });
  });

  canvas.addEventListener("pointermove", (event) => {
    const before = pointers.get(event.pointerId);
    if (!before) return;
    const now = [event.clientX, event.clientY];
    const [dx, dy] = [now[0] - before[0], now[1] - before[1]];
    pointers.set(event.pointerId, now);
    if (pointers.size === 1) {
      if (event.shiftKey || event.buttons & 6) camera.pan(dx, dy);
      else camera.orbit(dx * 0.008, dy * 0.008);
      return;
    }
    const other = [...pointers].find(([id]) => id !== event.pointerId)[1];
    const spread = (point) => Math.hypot(point[0] - other[0], point[1] - other[1]) || 1;
    // The midpoint of two fingers moves by half of each finger's displacement.
    camera.pan(dx / 2, dy / 2);
    camera.zoom(spread(before) / spread(now));
  });

  for (const end of ["pointerup", "pointercancel"]) {
    canvas.addEventListener(end, (event) => pointers.delete(event.pointerId));
  }
}

// The wheel zooms only once the canvas has the focus; until then it scrolls the page.
function listenToWheel(canvas, camera) {
  canvas.addEventListener(
    "wheel",
    (event) => {
      if (document.activeElement !== canvas && !event.ctrlKey && !canvas.hasAttribute("data-whole-page")) return;
      event.preventDefault();
      camera.zoom(Math.exp(clamp(event.deltaY * (event.deltaMode === 1 ? 0.05 : 0.0016), -0.5, 0.5)));
    },
    { passive: false },
  );
}

function listenToKeys(canvas, camera) {
  const KEYS = {
    ArrowLeft: () => camera.orbit(-0.12, 0),
    ArrowRight: () => camera.orbit(0.12, 0),
    ArrowUp: () => camera.orbit(0, -0.12),
    ArrowDown: () => camera.orbit(0, 0.12),
    "+": () => camera.zoom(0.87),
    "=": () => camera.zoom(0.87),
    "-": () => camera.zoom(1.15),
    0: camera.reset,
    Home: camera.reset,
  };

  canvas.addEventListener("keydown", (event) => {
    const act = KEYS[event.key];
    if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    act();
  });
}
