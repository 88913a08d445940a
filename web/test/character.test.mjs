// A character among bodies: it walks as in Rust, and errors change nothing.

import assert from "node:assert/strict";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

import { built } from "./program.mjs";

const { Character, ConvexShape, Mesh, Scene, Tree, poseFromTranslation } = await import(pathToFileURL(built("bvtree/node.js")));

const CORNERS = Array.from({ length: 8 }, (_, i) => [0, 1, 2].map((k) => ((i >> k) & 1) - 0.5)).flat();
const FACES = [0, 2, 3, 0, 3, 1, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5, 0, 1, 5, 0, 5, 4, 2, 6, 7, 2, 7, 3, 4, 5, 7, 4, 7, 6];
const cube = new Tree(new Mesh(CORNERS, FACES));
const at = (x, y = 0, z = 0) => poseFromTranslation([x, y, z]);
const TIME = 1 / 60;

function onFloor() {
  const scene = new Scene();
  return { scene, floor: scene.addShape(ConvexShape.cuboid([9, 9, 0.5]), at(0, 0, -0.5), { isStatic: true }) };
}

function standing(scene, feet, options) {
  const character = new Character(feet, options);
  for (let i = 0; i < 60; i++) character.step(scene, {}, TIME);
  assert.ok(character.ground(), `${character.feet}`);
  return character;
}

// The same as tests/character/bindings.rs.
test("a walk up stairs and on a lift ends where it does in Rust", () => {
  const { scene } = onFloor();
  for (let i = 0; i < 3; i++) scene.add(cube, at(2 + i, 0, 0.25 * i - 0.25), { isStatic: true });
  const lift = scene.add(cube, at(5, 0, 0.25));
  const character = new Character([0, 0.1, 0.5]);
  const path = [];
  for (let step = 0; step < 180; step++) {
    const intent = { walk: step < 150 ? [2, 0.05, 0] : undefined, jump: step === 30 ? 3 : 0 };
    const rise = (step) => at(5, 0, 0.25 + 0.005 * Math.max(step - 120, 0));
    character.step(scene, intent, TIME, { motions: [{ body: lift, start: rise(step), end: rise(step + 1) }] });
    if (step % 60 === 59) path.push(character.feet);
  }
  assert.deepEqual(path, [
    [1.815367483318907, 0.14538418708297254, 0.2837500000001434],
    [3.805942543090007, 0.1951485635772498, 0.7600000000000223],
    [4.805942543090004, 0.22014856357724955, 1.0600000000000207],
  ]);
  assert.equal(character.ground().body, lift);
});

test("a wall blocks and is pushed, a belt carries, groups are ignored", () => {
  const { scene, floor } = onFloor();
  const wall = scene.addShape(ConvexShape.cuboid([0.5, 2, 2]), at(2), { groups: 2 });
  const character = standing(scene, [0, 0, 0.01]);
  let step;
  for (let i = 0; i < 90; i++) step = character.step(scene, { walk: [2, 0, 0] }, TIME);
  assert.deepEqual(step, { isBlocked: true, isCrushed: false, isOnGround: true });
  assert.ok(Math.abs(character.feet[0] - 1.19) < 0.01, `${character.feet}`);
  const [push, ...others] = character.pushes();
  assert.deepEqual([others.length, push.body, push.normal[0]], [0, wall, -1]);
  assert.ok(Math.abs(push.speed - 2) < 1e-6, `${push.speed}`);
  const { body, normal, face, point } = character.ground();
  assert.deepEqual([body, normal, face], [floor, [0, 0, 1], -1]);
  assert.ok(Math.abs(point[2]) < 1e-9);
  for (let i = 0; i < 60; i++) character.step(scene, {}, TIME, { surfaceVelocities: [{ body: floor, velocity: [-1, 0, 0] }] });
  assert.ok(Math.abs(character.feet[0] - 0.19) < 0.01, `${character.feet}`);
  for (let i = 0; i < 60; i++) character.step(scene, { walk: [2, 0, 0] }, TIME, { mask: 1 });
  assert.ok(Math.abs(character.feet[0] - 2.19) < 0.01, `${character.feet}`);
});

test("it crouches, stands up where there is room, flies and is crushed", () => {
  const { scene } = onFloor();
  const ceiling = scene.addShape(ConvexShape.cuboid([1, 1, 0.5]), at(0, 0, 2));
  const character = standing(scene, [0, 0, 0.01], { height: 1, skin: 0.02 });
  assert.equal(character.hasRoom(scene, { height: 1.8 }), false);
  assert.equal(character.hasRoom(scene, { height: 1.4 }), true);
  assert.equal(character.hasRoom(scene, { height: 1.8 }, { motions: [{ body: ceiling, end: at(0, 0, 9) }] }), true);
  assert.equal(character.hasRoom(scene, { height: 1.8 }, { mask: 2 }), true);
  character.setOptions({ height: 1.4 });
  // What is not given stays.
  assert.throws(() => character.setOptions({ radius: 0.02 }), { name: "InvalidArgument", message: /skin/ });
  const step = character.step(scene, {}, TIME, { motions: [{ body: ceiling, end: at(0, 0, 1.5) }] });
  assert.equal(step.isCrushed, true);
  assert.equal(step.overlap.body, ceiling);
  assert.ok(Math.abs(step.overlap.depth - 0.4) < 0.05, `${step.overlap.depth}`);
  character.teleport([5, 0, 0.02]);
  character.setVelocity([0, 0, 5]);
  assert.deepEqual(character.velocity, [0, 0, 5]);
  character.step(scene, {}, 0.1);
  assert.ok(character.feet[2] > 0.4, `${character.feet}`);
});

test("enough of a foot stands on a ledge, and a camera glides over it", () => {
  const { scene } = onFloor();
  scene.add(cube, at(2, 0, -0.25));
  const left = (perchRadiusThreshold) => {
    const character = standing(scene, [2, 0, 0.26], { perchRadiusThreshold, snapDistance: 0, maxStep: 0.2 });
    while (character.ground()) character.step(scene, { walk: [-0.5, 0, 0] }, TIME);
    return character.feet[0];
  };
  assert.ok(left(undefined) < 1.27 && left(0.2) > 1.35, `${left(undefined)} ${left(0.2)}`);
  assert.throws(() => left(0.3), { name: "InvalidArgument", message: /perch/ });
  const character = standing(scene, [0, 0, 0.01], { cameraHalfLife: 0.1 });
  assert.ok(Math.abs(character.cameraOffset) < 1e-9);
  while (Math.abs(character.cameraOffset) < 0.01) character.step(scene, { walk: [2, 0, 0] }, TIME);
  const offset = character.cameraOffset;
  assert.ok(offset < -0.05 && offset > -0.3, `${offset}`);
  for (let i = 0; i < 6; i++) character.step(scene, {}, TIME);
  assert.ok(Math.abs(character.cameraOffset / offset - 0.5) < 1e-9, `${character.cameraOffset} of ${offset}`);
});

test("a platform is passed from below", () => {
  const { scene } = onFloor();
  const platform = scene.add(new Tree(new Mesh([-1, -1, 2.2, 1, -1, 2.2, 0, 2, 2.2], [0, 1, 2])));
  const end = (oneSided) => {
    const character = standing(scene, [0, 0, 0.01]);
    for (let i = 0; i < 120; i++) character.step(scene, { jump: i === 0 ? 7.5 : 0 }, TIME, { oneSided });
    return character.feet[2];
  };
  assert.ok(Math.abs(end([platform]) - 2.21) < 0.01 && end([]) < 0.02);
  assert.throws(() => end([9]), { name: "InvalidArgument" });
});

test("errors of a character change nothing", () => {
  const { scene, floor } = onFloor();
  const wrong = (name, ask) => assert.throws(ask, { name });
  wrong("InvalidArgument", () => new Character([0, 0]));
  wrong("InvalidArgument", () => new Character([0, 0, NaN]));
  wrong("InvalidArgument", () => new Character([0, 0, 0], { radius: 0 }));
  wrong("InvalidArgument", () => new Character([0, 0, 0], { height: NaN }));
  wrong("InvalidArgument", () => new Character([0, 0, 0], { up: [0, 0, 0] }));
  const character = standing(scene, [0, 0, 0.01], { up: [0, 0, 9] });
  const feet = character.feet;
  wrong("InvalidArgument", () => character.step(scene, { walk: [1] }, TIME));
  wrong("InvalidArgument", () => character.step(scene, {}, TIME, { motions: [{ body: 7 }] }));
  wrong("InvalidArgument", () => character.step(scene, {}, TIME, { motions: [{ body: floor }, { body: floor }] }));
  wrong("InvalidPose", () => character.step(scene, {}, TIME, { motions: [{ body: floor, end: [1] }] }));
  wrong("InvalidArgument", () => character.step(scene, {}, TIME, { surfaceVelocities: [{ body: floor }] }));
  wrong("InvalidArgument", () => character.setVelocity([0, Infinity, 0]));
  wrong("InvalidArgument", () => character.teleport([0, 0]));
  wrong("InvalidArgument", () => character.hasRoom(scene, { maxStep: -1 }));
  // Exceptions of JavaScript's own conversions and of getters.
  wrong("TypeError", () => character.step(scene, undefined, TIME));
  wrong("TypeError", () => character.step(scene, { jump: 1n }, TIME));
  wrong("RangeError", () => character.step(scene, { get walk() { throw new RangeError(); } }, TIME));
  wrong("TypeError", () => character.step(scene, {}, TIME, { motions: [null] }));
  wrong("TypeError", () => character.step(scene, {}, TIME, { motions: [{ body: 0n }] }));
  wrong("TypeError", () => character.step(scene, {}, TIME, { surfaceVelocities: [undefined] }));
  wrong("TypeError", () => character.setOptions());
  wrong("TypeError", () => character.hasRoom(scene, { radius: 1n }));
  wrong("TypeError", () => new Character([0, 0, 0], { up: [0n, 0n, 1n] }));
  scene.setPose(floor, scene.pose(floor));
  character.step(scene, { walk: [1, 0, 0] }, 0);
  assert.deepEqual(character.feet, feet);
  assert.equal(character.ground().body, floor);
});
