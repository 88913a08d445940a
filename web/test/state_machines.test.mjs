// What remembers gives the answers of what does not: a tracker beside queries of which each is new, and beside what anyone can work out about cubes.

import assert from "node:assert/strict";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

import { built } from "./program.mjs";

const { ConvexShape, DistanceTracker, Mesh, Query, Scene, Tree } = await import(pathToFileURL(built("bvtree/node.js")));

// As multiples of an eighth cubes and the sphere touch to the last bit.
const GRID = [-3, -2.375, -2, -1.5, -1, -0.75, -0.375, -0.25, 0, 0.5, 1, 2, 3, 5];
const NUDGES = [1e-9, -1e-9, 1e-6, -1e-4, 1e-3, 0.25];
const WAYS = [1e3, 1e8, 1e10, 1e12, 1e16, 9e29, 1e300];
const HALVES = { cube: 1, crate: 4 };

// Numbers from 0 to below 1, the same in every run (mulberry32).
function numbers(seed) {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

function cube(half) {
  const corners = Array.from({ length: 8 }, (_, i) => [0, 1, 2].map((k) => ((i >> k) & 1 ? half : -half)));
  const quads = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
  return new Mesh(corners.flat(), quads.flatMap(([a, b, c, d]) => [a, b, c, a, c, d]));
}

function sphere(radius, rings, segments) {
  const point = (i, j) => {
    const [u, v] = [(Math.PI * i) / rings, (2 * Math.PI * j) / segments];
    return [radius * Math.sin(u) * Math.cos(v), radius * Math.sin(u) * Math.sin(v), radius * Math.cos(u)];
  };
  const soup = [];
  for (let i = 0; i < rings; i++) {
    for (let j = 0; j < segments; j++) {
      const [a, b, c, d] = [point(i, j), point(i + 1, j), point(i + 1, j + 1), point(i, j + 1)];
      if (i > 0) soup.push(a, c, d);
      if (i < rings - 1) soup.push(a, b, c);
    }
  }
  return new Mesh(soup.flat());
}

// How far the surfaces of two cubes are apart, the second one's middle being there.
function ofCubes(p, q, middle) {
  const gaps = middle.map((x) => Math.max(Math.abs(x) - p - q, 0));
  const depth = Math.min(...middle.map((x) => Math.abs(p - q) - Math.abs(x)));
  return gaps.some((gap) => gap > 0) ? Math.hypot(...gaps) : Math.max(depth, 0);
}

const at = (middle) => [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, ...middle, 1];
const meshes = { cube: cube(1), crate: cube(4), sphere: sphere(0.8, 6, 8) };

for (const kind of ["aabb", "obb", "sphere", "kdop"]) {
  test(`a tracker of ${kind} trees answers as queries do`, () => {
    const trees = Object.fromEntries(Object.entries(meshes).map(([name, mesh]) => [name, new Tree(mesh, kind)]));
    const random = numbers(31);
    const one = (items) => items[Math.floor(random() * items.length)];
    let contacts = 0;
    for (let sequence = 0; sequence < 60; sequence++) {
      const [a, b] = [one(Object.keys(meshes)), one(Object.keys(meshes))];
      const [tracker, query] = [new DistanceTracker(trees[a], trees[b]), new Query()];
      const ask = (middle) => {
        const [warm, cold] = [tracker.distance(query, at(middle)), new Query().distance(trees[a], trees[b], at(middle))];
        const told = `${a} ${b} ${middle} in sequence ${sequence}`;
        assert.deepEqual(warm, cold, told);
        assert.equal(warm.distance === 0, new Query().intersects(trees[a], trees[b], at(middle)), told);
        contacts += warm.distance === 0;
        if (a in HALVES && b in HALVES) {
          const expected = ofCubes(HALVES[a], HALVES[b], middle);
          assert.equal(warm.distance === 0, expected === 0, told);
          assert.ok(Math.abs(warm.distance - expected) <= 1e-9 * expected, told);
        }
      };
      let middle = [0, 0, 0];
      for (let step = 0; step < 40; step++) {
        const axis = one([0, 1, 2]);
        const moved = (by) => middle.map((x, k) => (k === axis ? x + by : x));
        const choice = random();
        if (choice < 0.5) {
          middle = [one(GRID), one(GRID), one(GRID)];
          ask(middle);
        } else if (choice < 0.85) {
          ask(moved(one(NUDGES)));
        } else {
          // What is asked about on the way plays no part later.
          tracker.distance(query, at(moved(one(WAYS))));
          ask(middle);
        }
        // What is refused changes nothing.
        if (choice > 0.98) {
          assert.throws(() => tracker.distance(query, at([Infinity, 0, 0])), { name: "InvalidPose" });
        }
      }
    }
    assert.ok(contacts > 100, `${contacts} contacts`);
  });
}

// What a scene consists of, by slot: a new body takes the first free one, and results have the order of the slots.
class Bodies {
  slots = [];
  ignored = new Set();
  next = 0;

  add(body) {
    const free = this.slots.findIndex((slot) => slot === null);
    this.slots[free < 0 ? this.slots.length : free] = { ...body, number: this.next };
    return this.next++;
  }

  remove(number) {
    this.slots = this.slots.map((slot) => (slot?.number === number ? null : slot));
  }

  live() {
    return this.slots.filter((slot) => slot !== null);
  }

  // A scene that was never asked anything, and the numbers of its bodies here.
  scene() {
    const [scene, live] = [new Scene(), this.live()];
    for (const { geometry, pose, options } of live) put(scene, geometry, pose, options);
    for (const pair of this.ignored) {
      const [a, b] = pair.split(" ").map((number) => live.findIndex((body) => body.number === Number(number)));
      if (a >= 0 && b >= 0) scene.setIgnored(a, b);
    }
    return { scene, number: (body) => live[body].number };
  }
}

const put = (scene, geometry, pose, options) => (geometry instanceof Tree ? scene.add(geometry, pose, options) : scene.addShape(geometry, pose, options));

// An answer with the numbers of other bodies.
function renamed(answer, number) {
  if (answer === null || typeof answer !== "object") return answer;
  const names = ["a", "b", "body"].filter((name) => name in answer).map((name) => [name, number(answer[name])]);
  return { ...answer, ...Object.fromEntries(names) };
}

const pairsOf = (numbers, number) =>
  Array.from({ length: numbers.length / 2 }, (_, i) => [number(numbers[2 * i]), number(numbers[2 * i + 1])].sort((a, b) => a - b).join(" ")).sort();

for (const kind of ["obb", "aabb"]) {
  test(`a scene of ${kind} trees and shapes answers as one that is new`, () => {
    const trees = Object.values(meshes).map((mesh) => new Tree(mesh, kind));
    const geometries = [...trees, ConvexShape.cuboid([1, 1, 1]), ConvexShape.cylinder(1, 0.5)];
    const random = numbers(37);
    const one = (items) => items[Math.floor(random() * items.length)];
    const place = () => at([one(GRID), one(GRID), one(GRID)]);
    const counts = { pairs: 0, near: 0, hits: 0, impacts: 0, removed: 0 };
    for (let sequence = 0; sequence < 12; sequence++) {
      const [scene, bodies] = [new Scene(), new Bodies()];
      const number = () => one(bodies.live()).number;
      const slot = (body) => bodies.slots.find((slot) => slot?.number === body);
      const changes = {
        add() {
          const geometry = one(geometries);
          const solid = random() < 0.3 && geometry instanceof Tree && geometry.isClosed;
          const options = { isStatic: random() < 0.2, solid, groups: one([1, 2, 3]), mask: one([1, 3, 0xffffffff]) };
          const body = { geometry, pose: place(), options };
          assert.equal(put(scene, body.geometry, body.pose, body.options), bodies.add(body));
        },
        remove() {
          const body = number();
          scene.remove(body);
          bodies.remove(body);
          counts.removed++;
          assert.throws(() => scene.setPose(body, place()), { name: "InvalidArgument" });
        },
        move() {
          const body = number();
          slot(body).pose = place();
          scene.setPose(body, slot(body).pose);
        },
        nudge() {
          const moved = bodies.live().filter(() => random() < 0.5);
          for (const body of moved) body.pose = body.pose.map((x, i) => (i === 12 ? x + one(NUDGES) : x));
          scene.setPoses(moved.map((body) => body.number), moved.flatMap((body) => body.pose));
        },
        reshape() {
          const [body, geometry] = [number(), one(geometries)];
          const change = () => (geometry instanceof Tree ? scene.setTree(body, geometry) : scene.setShape(body, geometry));
          if (slot(body).options.solid && geometry.isClosed === false) {
            assert.throws(change, { name: "InvalidMesh" });
          } else {
            change();
            slot(body).geometry = geometry;
          }
        },
        regroup() {
          const [body, groups, mask] = [number(), one([1, 2, 3]), one([1, 3, 0xffffffff])];
          Object.assign(slot(body).options, { groups, mask });
          scene.setGroups(body, groups, mask);
        },
        ignore() {
          const [a, b] = [number(), number()];
          if (a === b) return;
          scene.setIgnored(a, b);
          bodies.ignored.add(`${a} ${b}`);
        },
      };
      for (let i = 0; i < 6; i++) changes.add();
      for (let step = 0; step < 25; step++) {
        const name = one(Object.keys(changes));
        if (name !== "add" && bodies.live().length < 3) continue;
        changes[name]();
        const anew = bodies.scene();
        const told = `${name} at step ${step} of sequence ${sequence}`;
        const same = (ask) => {
          const answer = ask(scene, (body) => body);
          const expected = ask(anew.scene, (body) => bodies.live().findIndex((one) => one.number === body));
          const list = (found) => (Array.isArray(found) ? found : [found]);
          assert.deepEqual(list(answer), list(expected).map((found) => renamed(found, anew.number)), told);
          return list(answer).filter((found) => found !== undefined).length;
        };
        assert.deepEqual([...scene.bodies], bodies.live().map((body) => body.number).sort((a, b) => a - b), told);
        const pairs = pairsOf(scene.intersectingPairs(), (body) => body);
        assert.deepEqual(pairs, pairsOf(anew.scene.intersectingPairs(), anew.number), told);
        counts.pairs += pairs.length;
        const clearance = one([0, 0.25, 1]);
        counts.near += same((scene) => scene.pairsWithin(clearance));
        same((scene) => scene.closestPair());
        same((scene) => scene.relations());
        const [origin, direction] = [[one(GRID), one(GRID), 9], [one(NUDGES), 0, -1]];
        counts.hits += same((scene) => scene.allHits(origin, direction, undefined, 1));
        same((scene) => scene.closestHit(origin, direction));
        same((scene) => scene.closestPoint(origin));
        same((scene) => scene.castCapsule(origin, origin, 0.25, [0, 0, -20]));
        const mover = number();
        const [start, end] = [place(), place()];
        counts.impacts += same((scene, body) => scene.impacts([{ body: body(mover), start, end }]));
      }
    }
    assert.ok(Object.values(counts).every((count) => count > 20), JSON.stringify(counts));
  });
}
