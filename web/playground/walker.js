// A capsule that walks on the first mesh, with the second as an obstacle: the package's Character, one step at a time.

import { Character, Scene } from "./bvtree/index.js";
import { findSpawn } from "./spawn.js";
import { extents } from "./soup.js";
import { dot } from "./viewer/vectors.js";

export const STEP = 1 / 60;
// Lengths in metres, speeds and accelerations; all are scaled with the height.
const PERSON = { height: 1.8, radius: 0.3, skin: 0.01, maxStep: 0.3, snapDistance: 0.35, gravity: 9.81, airAcceleration: 10 };
const SPEED = 4;
const JUMP = 4.5;
// A capsule that is this many heights below the first mesh has fallen out of it.
const FALLEN = 5;

// The height of a person in metres if the mesh is about as large as a place to walk in, or else a part of its size.
export function usualHeight(bounds) {
  const size = Math.max(...extents(bounds));
  return size >= 4 && size <= 1000 ? PERSON.height : Number((size / 40).toPrecision(2));
}

// Starts beside the hit of a ray, if there is one with room beside it, or else on ground of the first mesh with room.
export function createWalker({ trees, matrix }, bounds, height, ray, hit) {
  const scale = height / PERSON.height;
  const options = Object.fromEntries(Object.entries(PERSON).map(([name, value]) => [name, scale * value]));
  const scene = new Scene();
  scene.add(trees[0], undefined, { isStatic: true });
  const second = scene.add(trees[1], matrix);
  const character = new Character([0, 0, 0], options);
  const hasRoom = (feet) => {
    character.teleport(feet);
    return character.hasRoom(scene, {});
  };
  const spawn = spawnBeside(hit, ray, 1.2 * options.radius, hasRoom) ?? findSpawn(trees[0], bounds, 2 * options.skin, hasRoom);
  character.teleport(spawn);
  let [steps, falls] = [0, 0];
  let at = matrix;

  return {
    options,
    get feet() {
      return character.feet;
    },
    get cameraOffset() {
      return character.cameraOffset;
    },
    // Walks ahead and aside, from -1 to 1, as seen by a camera's yaw. The second mesh moves to its matrix and pushes the
    // capsule.
    step(yaw, ahead, aside, jumps, matrix) {
      const [cos, sin] = [Math.cos(yaw), Math.sin(yaw)];
      const speed = (SPEED * scale) / (Math.hypot(ahead, aside) || 1);
      const walk = [-speed * (cos * ahead + sin * aside), -speed * (sin * ahead - cos * aside), 0];
      const isMoved = matrix.some((x, i) => x !== at[i]);
      const motions = isMoved ? [{ body: second, start: at, end: matrix }] : [];
      const { isCrushed, overlap } = character.step(scene, { walk, jump: jumps ? JUMP * scale : 0 }, STEP, { motions });
      if (isMoved) scene.setPose(second, matrix);
      at = matrix;
      steps += 1;
      const ground = character.ground();
      if (character.feet[2] < bounds[2] - FALLEN * height) {
        character.teleport(spawn);
        falls += 1;
      }
      return { isCrushed, overlap, ground, steps, falls, feet: character.feet };
    },
    free() {
      character.free();
      scene.free();
    },
  };
}

function spawnBeside(hit, ray, distance, hasRoom) {
  if (!hit) return null;
  // On the side that the ray came from.
  const side = dot(hit.normal, ray.direction) > 0 ? -distance : distance;
  const place = hit.point.map((x, k) => x + side * hit.normal[k]);
  return hasRoom(place) ? place : null;
}
