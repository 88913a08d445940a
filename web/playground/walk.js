// The walk: keys move a capsule at a fixed 60 Hz, and the view follows it.

import { createKeys } from "./keys.js";
import { STEP, createWalker } from "./walker.js";

// Steps in one frame; the time of a slower frame is dropped.
const MAX_STEPS = 6;
// Turn of the view by a key, in radians a step.
const TURN = 0.035;
// The view at the start, and the height of the eyes; in heights of the capsule.
const PITCH = 0.3;
const DISTANCE = 3;
const EYES = 0.85;
// Between a wall and the capsule, the view comes this near, in heights; the capsule is not drawn where it would fill the view.
const NEAREST = 0.1;
const HIDDEN = 0.5;

// `wallBehind` returns the distance along a ray at which it meets something that hides the capsule. `tell` gets the outcome
// of the last step of each frame, and null when the walk ends.
export function createWalk(stage, pad, wallBehind, tell) {
  const keys = createKeys(pad, () => walk !== null, stop);
  let walk = null;

  function start(...given) {
    stop();
    const walker = createWalker(...given);
    const { height } = walker.options;
    walk = { walker, height, at: performance.now(), due: STEP, before: stage.camera.placed(), wanted: DISTANCE * height };
    stage.show({ capsule: walker.options });
    stage.camera.place({ pitch: PITCH });
    walk.distance = stage.follow(walker.feet, walk.wanted);
  }

  function stop() {
    if (!walk) return;
    walk.walker.free();
    stage.show({ capsule: null });
    stage.camera.place(walk.before);
    walk = null;
    keys.clear();
    tell(null);
  }

  // Looks at the capsule's eyes from the distance that the user has set, or from in front of a wall.
  function follow() {
    const { walker, height } = walk;
    const [x, y, z] = walker.feet;
    const eyes = [x, y, z + walker.cameraOffset + EYES * height];
    walk.wanted *= stage.follow(eyes) / walk.distance;
    const wall = wallBehind({ origin: eyes, direction: stage.camera.toEye() });
    walk.distance = stage.follow(eyes, Math.min(walk.wanted, Math.max(0.9 * wall, NEAREST * height)));
    stage.stand(walk.distance < HIDDEN * height ? null : [x, y, z + walker.cameraOffset]);
  }

  return {
    isOn: () => walk !== null,
    start,
    stop,
    // Runs the steps that are due before a frame is drawn; the second mesh is at `matrix`.
    frame(now, matrix) {
      walk.due = Math.min(walk.due + (now - walk.at) / 1000, MAX_STEPS * STEP);
      walk.at = now;
      let outcome = null;
      for (; walk.due >= STEP; walk.due -= STEP) {
        stage.camera.orbit(TURN * keys.either("turn-right", "turn-left"), 0);
        const { yaw } = stage.camera.placed();
        outcome = walk.walker.step(yaw, keys.either("forward", "back"), keys.either("right", "left"), keys.isHeld("jump"), matrix);
      }
      follow();
      if (outcome) tell(outcome);
    },
  };
}
