// What is held down to walk: keys, or the buttons of a touch screen.

const KEYS = {
  ArrowUp: "forward",
  KeyW: "forward",
  ArrowDown: "back",
  KeyS: "back",
  ArrowLeft: "left",
  KeyA: "left",
  ArrowRight: "right",
  KeyD: "right",
  KeyQ: "turn-left",
  KeyE: "turn-right",
  Space: "jump",
};

// Listens while `isOn()`, before the camera does; calls `leave` for Escape. `pad` holds buttons with `data-key`.
export function createKeys(pad, isOn, leave) {
  const held = new Set();
  const isField = ({ target }) => target instanceof HTMLElement && target.matches("input, select, textarea");

  function listen(event) {
    const isDown = event.type === "keydown";
    const key = KEYS[event.code];
    if (!isDown) held.delete(key);
    if (!isOn() || event.ctrlKey || event.metaKey || event.altKey) return;
    if (isDown && event.code === "Escape") return leave();
    if (!key || isField(event)) return;
    // Space would press a focused button, arrow keys would turn the view.
    event.preventDefault();
    event.stopPropagation();
    if (isDown) held.add(key);
  }

  for (const type of ["keydown", "keyup"]) addEventListener(type, listen, { capture: true });
  addEventListener("blur", () => held.clear());
  for (const button of pad.querySelectorAll("button")) {
    button.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      button.setPointerCapture(event.pointerId);
      held.add(button.dataset.key);
    });
    for (const end of ["pointerup", "pointercancel"]) button.addEventListener(end, () => held.delete(button.dataset.key));
  }

  return {
    clear: () => held.clear(),
    isHeld: (key) => held.has(key),
    // 1, -1, or 0 for neither or both.
    either: (plus, minus) => held.has(plus) - held.has(minus),
  };
}
