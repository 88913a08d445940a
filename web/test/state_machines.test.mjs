// What remembers gives the answers of what does not: a tracker beside queries of which each is new, and beside what anyone can work out about cubes.

import assert from "node:assert/strict";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

import { built } from "./program.mjs";

const { Mesh, Tree, Query, DistanceTracker } = await import(pathToFileURL(built("bvtree/node.js")));

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
