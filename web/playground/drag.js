// Dragging the second mesh: a ray through the pointer picks it, and it moves in the plane of the screen or turns about its
// middle.

const TURN = 0.01;

// `hitAt` returns the first hit of the ray through a place of the canvas; drags call `move` and `turn`. Create it before the
// camera, so that the camera gets no events of a pointer that drags the mesh.
export function createHand(canvas, stage, hitAt, isTurning, { move, turn }) {
  let held = null;

  // Ray parameter of the hit on B, if B is hit first.
  function depthAt({ offsetX, offsetY }) {
    const hit = hitAt(offsetX, offsetY);
    return hit?.mesh === 1 ? hit.time : null;
  }

  canvas.addEventListener("pointerdown", (event) => {
    if (held) return;
    const depth = depthAt(event);
    if (depth === null) return;
    event.stopImmediatePropagation();
    canvas.setPointerCapture(event.pointerId);
    canvas.focus({ preventScroll: true });
    held = { id: event.pointerId, depth, at: [event.clientX, event.clientY], turns: event.shiftKey || event.button === 2 || isTurning() };
  });

  canvas.addEventListener("pointermove", (event) => {
    if (!held) {
      if (event.pointerType === "mouse" && event.buttons === 0) canvas.classList.toggle("grabs", depthAt(event) !== null);
      return;
    }
    event.stopImmediatePropagation();
    if (event.pointerId !== held.id) return;
    const [dx, dy] = [event.clientX - held.at[0], event.clientY - held.at[1]];
    held.at = [event.clientX, event.clientY];
    const { right, up, pixel } = stage().ray(0, 0);
    if (held.turns) {
      turn(up, dx * TURN);
      turn(right, dy * TURN);
    } else {
      const step = pixel * held.depth;
      move(right.map((x, k) => step * (x * dx - up[k] * dy)));
    }
  });

  for (const end of ["pointerup", "pointercancel"]) {
    canvas.addEventListener(end, (event) => {
      if (event.pointerId === held?.id) held = null;
    });
  }

  // With Shift, arrow keys move the mesh by a hundredth of the visible size.
  const KEYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
  canvas.addEventListener("keydown", (event) => {
    const way = KEYS[event.key];
    if (!way || !event.shiftKey) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    const { right, up, pixel } = stage().ray(0, 0);
    const step = pixel * canvas.clientHeight * stage().camera.placed().distance * 0.01;
    move(right.map((x, k) => step * (x * way[0] + up[k] * way[1])));
  });

  return { isHeld: () => held !== null };
}
