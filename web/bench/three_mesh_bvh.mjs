// Beside three-mesh-bvh, in one process, on the same meshes and poses: whether two meshes touch, and how far apart they are.
//   web/build && npm --prefix web install && node web/bench/three_mesh_bvh.mjs

import { readFileSync } from "node:fs";
import { cpus } from "node:os";

import * as three from "three";
import { MeshBVH, SAH } from "three-mesh-bvh";

import { Mesh, Query, Tree, simdLevel, version } from "../../target/web/bvtree/node.js";
import { meshOf } from "../../target/web/bvtree/three.js";
import { knot } from "../playground/generated.js";

const PASSES = 5;
const TURNS = [[0, 0, 0], [0.4, 0.1, -0.3], [1.1, -0.7, 0.5], [2.2, 0.9, 1.7]];
// How far B's middle is from A's, of half their sizes together.
const APART = [0.3, 0.6, 0.85, 1, 1.2, 2];

const geometryOf = ({ positions, indices }) => {
  const geometry = new three.BufferGeometry();
  geometry.setAttribute("position", new three.BufferAttribute(positions, 3));
  geometry.setIndex(new three.BufferAttribute(indices, 1));
  geometry.computeBoundingBox();
  return geometry;
};
const ofFile = (name) => {
  const { positions, indices } = Mesh.read(readFileSync(new URL(`../../data/${name}.obj`, import.meta.url)));
  return geometryOf({ positions, indices });
};

const PAIRS = [
  ["gear", ofFile("gear")],
  ["teapot", ofFile("teapot")],
  ["torus_knot", ofFile("torus_knot")],
  ["terrain", ofFile("terrain")],
  ["knot of 100,352", geometryOf(knot(1568, 32))],
];

function poses(geometry) {
  const box = geometry.boundingBox;
  const [center, size] = [box.getCenter(new three.Vector3()), box.getSize(new three.Vector3())];
  const ways = [[1, 0, 0], [0.6, 0.8, 0], [-0.48, 0.6, 0.64]].map((way) => new three.Vector3(...way));
  return TURNS.flatMap((turn, i) =>
    APART.map((apart, k) => {
      const rotation = new three.Matrix4().makeRotationFromEuler(new three.Euler(...turn));
      const at = ways[(i + k) % 3].clone().multiply(size).multiplyScalar(apart).add(center);
      const back = new three.Matrix4().makeTranslation(-center.x, -center.y, -center.z);
      return new three.Matrix4().makeTranslation(at.x, at.y, at.z).multiply(rotation).multiply(back);
    }),
  );
}

// Microseconds of each pose, the best of some passes, of which the first warms up; and the answers.
function timed(poses, ask) {
  const best = poses.map(() => Infinity);
  let answers;
  for (let pass = 0; pass <= PASSES; pass++) {
    answers = poses.map((pose, i) => {
      const began = performance.now();
      const answer = ask(pose);
      best[i] = Math.min(best[i], 1000 * (performance.now() - began));
      return answer;
    });
  }
  return { best, answers, mean: best.reduce((sum, x) => sum + x, 0) / best.length };
}

const ratio = (theirs, ours) => Math.exp(theirs.best.reduce((sum, x, i) => sum + Math.log(x / ours.best[i]), 0) / theirs.best.length);
const digits = (x) => (x >= 100 ? x.toFixed(0) : x.toFixed(1));
const disagreements = (left, right, tolerance) => left.filter((x, i) => Math.abs(x - right[i]) > tolerance).length;

console.log(`bvtree ${version()} (${simdLevel()}) and three-mesh-bvh, node ${process.version}, ${cpus()[0].model}`);
console.log("mesh | triangles | question | three-mesh-bvh, µs | bvtree, µs | by means | by pose | answers that differ");
const query = new Query();
const all = { intersects: [], distance: [] };
for (const [name, geometry] of PAIRS) {
  const many = poses(geometry);
  const theirs = new MeshBVH(geometry, { strategy: SAH });
  geometry.boundsTree = theirs;
  const tree = new Tree(meshOf(geometry), "obb", "tight");
  const questions = {
    intersects: [(pose) => Number(theirs.intersectsGeometry(geometry, pose)), (pose) => Number(query.intersects(tree, tree, pose.elements))],
    distance: [(pose) => theirs.closestPointToGeometry(geometry, pose, {}, {})?.distance ?? Infinity, (pose) => query.distance(tree, tree, pose.elements).distance],
  };
  for (const [question, [them, us]] of Object.entries(questions)) {
    const [a, b] = [timed(many, them), timed(many, us)];
    const size = geometry.boundingBox.getSize(new three.Vector3()).length();
    const differ = disagreements(a.answers, b.answers, question === "distance" ? 1e-5 * size : 0);
    all[question].push(ratio(a, b));
    console.log([name, geometry.index.count / 3, question, digits(a.mean), digits(b.mean), `${digits(a.mean / b.mean)}x`, `${digits(ratio(a, b))}x`, differ].join(" | "));
  }
}
for (const [question, ratios] of Object.entries(all)) {
  console.log(`${question}: ${digits(Math.exp(ratios.reduce((sum, x) => sum + Math.log(x), 0) / ratios.length))}x over all meshes, ${digits(Math.min(...ratios))}x at least`);
}
