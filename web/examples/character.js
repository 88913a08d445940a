// A character in three.js: three-mesh-bvh's example `characterMovement`, with bvtree's Character. The level is merged into one mesh
// and one tree; a capsule walks, jumps, climbs the stairs and rides on the lift; the camera follows it.
// `npm --prefix web install`, `web/build`, then serve the repository: `python3 -m http.server`, and open web/examples/character.html.

import * as THREE from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { mergeGeometries } from "three/addons/utils/BufferGeometryUtils.js";
import init, { Character, Scene, Tree } from "bvtree";
import { meshOf } from "bvtree/three";

const STEP = 1 / 60;
const [SPEED, JUMP, FALLEN] = [4, 4.5, -10];
const OPTIONS = { radius: 0.3, height: 1.8, up: [0, 1, 0] };
const START = [0, 0.5, 3];

await init();
const stage = new THREE.Scene();
stage.background = new THREE.Color(0xdfe7ee);
stage.add(new THREE.HemisphereLight(0xffffff, 0x667788, 3));
const camera = new THREE.PerspectiveCamera(60, 1, 0.05, 200);
camera.position.set(0, 3, 7);
const renderer = new THREE.WebGLRenderer({ antialias: true });
document.body.append(renderer.domElement);
const controls = new OrbitControls(camera, renderer.domElement);

// The level: a floor, a wall, stairs and a ramp, as one geometry in the world.
const block = (size, at, tilt = 0) => new THREE.BoxGeometry(...size).rotateZ(tilt).translate(...at);
const stairs = Array.from({ length: 8 }, (_, i) => block([2, 0.2, 0.4], [-3, 0.2 * i + 0.1, -0.4 * i]));
const level = mergeGeometries([
  block([16, 1, 16], [0, -0.5, 0]),
  block([16, 3, 0.4], [0, 1.5, -6]),
  block([2, 0.2, 2], [-3, 1.5, -4]),
  block([6, 0.2, 2], [4, 0.9, -2], 0.35),
  ...stairs,
]);
const material = new THREE.MeshLambertMaterial({ color: 0xb9a88f });
stage.add(new THREE.Mesh(level, material));
const tree = new Tree(meshOf(level));
const volumes = shownVolumes();

const world = new Scene();
world.add(tree, undefined, { isStatic: true });
// The lift goes up and down; its matrix is its pose.
const lift = new THREE.Mesh(new THREE.BoxGeometry(2, 0.2, 2), new THREE.MeshLambertMaterial({ color: 0x4f83b5 }));
lift.matrixAutoUpdate = false;
stage.add(lift);
moveLift(0);
const liftBody = world.add(new Tree(meshOf(lift.geometry)), lift.matrix.elements);

const character = new Character(START, OPTIONS);
const capsule = new THREE.Mesh(new THREE.CapsuleGeometry(OPTIONS.radius, OPTIONS.height - 2 * OPTIONS.radius), new THREE.MeshLambertMaterial({ color: 0xc4593a }));
stage.add(capsule);
place();

const held = new Set();
addEventListener("keyup", ({ code }) => held.delete(code));
addEventListener("keydown", ({ code }) => {
  held.add(code);
  if (code === "KeyR") character.teleport(START);
  if (code === "KeyV") volumes.visible = !volumes.visible;
});
addEventListener("resize", resize);
resize();

let [at, due, time] = [performance.now(), 0, 0];
renderer.setAnimationLoop((now) => {
  // The time of slow frames is dropped.
  due = Math.min(due + (now - at) / 1000, 6 * STEP);
  at = now;
  for (; due >= STEP; due -= STEP) step();
  place();
  renderer.render(stage, camera);
});

function step() {
  const start = lift.matrix.toArray();
  moveLift((time += STEP));
  const motions = [{ body: liftBody, start, end: lift.matrix.elements }];
  character.step(world, { walk: direction(), jump: held.has("Space") ? JUMP : 0 }, STEP, { motions });
  world.setPose(liftBody, lift.matrix.elements);
  if (character.feet[1] < FALLEN) character.teleport(START);
}

// The velocity that the keys ask for, as seen by the camera.
function direction() {
  const either = (more, less) => Number(held.has(more)) - Number(held.has(less));
  const walk = new THREE.Vector3(either("KeyD", "KeyA"), 0, either("KeyS", "KeyW"));
  return walk.normalize().multiplyScalar(SPEED).applyAxisAngle(camera.up, controls.getAzimuthalAngle()).toArray();
}

function moveLift(seconds) {
  lift.matrix.makeTranslation(4, 0.8 * (1 - Math.cos(seconds)), 3);
}

// Puts the capsule where the character is, and the camera as far behind it as before.
function place() {
  const [x, y, z] = character.feet;
  capsule.position.set(x, y + character.cameraOffset + OPTIONS.height / 2, z);
  camera.position.add(capsule.position).sub(controls.target);
  controls.target.copy(capsule.position);
  controls.update();
  document.body.dataset.feet = character.feet;
  document.body.dataset.ground = character.ground()?.body ?? "none";
}

function shownVolumes() {
  const boxes = new THREE.LineSegments(new THREE.BufferGeometry(), new THREE.LineBasicMaterial({ color: 0x2e7d32 }));
  const edges = new THREE.EdgesGeometry(new THREE.BoxGeometry(2, 2, 2));
  const matrices = tree.volumes(2);
  const each = Array.from({ length: matrices.length / 16 }, (_, i) => edges.clone().applyMatrix4(new THREE.Matrix4().fromArray(matrices, 16 * i)));
  boxes.geometry = mergeGeometries(each);
  boxes.visible = false;
  stage.add(boxes);
  return boxes;
}

function resize() {
  renderer.setSize(innerWidth, innerHeight);
  camera.aspect = innerWidth / innerHeight;
  camera.updateProjectionMatrix();
}
