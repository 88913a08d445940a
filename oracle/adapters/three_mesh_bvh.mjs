// three-mesh-bvh (JavaScript): a program that reads questions and writes answers. In a folder with the packages three
// and three-mesh-bvh: `node three_mesh_bvh.mjs`, as `run.py --command` starts it.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { BufferAttribute, BufferGeometry, Matrix4 } from "three";
import { MeshBVH } from "three-mesh-bvh";

const trees = new Map();

function treeOf(path) {
  if (!trees.has(path)) {
    const lines = readFileSync(path, "utf8").split("\n").map((line) => line.trim().split(/\s+/));
    const numbers = (kind) => lines.filter((words) => words[0] === kind).flatMap((words) => words.slice(1).map(Number));
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(new Float32Array(numbers("v")), 3));
    geometry.setIndex(numbers("f").map((index) => index - 1));
    // Faces keep their order.
    trees.set(path, new MeshBVH(geometry, { indirect: true }));
  }
  return trees.get(path);
}

function answer(question, a, b, pose) {
  switch (question) {
    case "hit":
      return a.intersectsGeometry(b.geometry, pose) ? "1" : "0";
    case "pairs": {
      const pairs = [];
      const intersectsTriangles = (one, other, i, j) => {
        if (one.intersectsTriangle(other)) pairs.push([a.resolveTriangleIndex(i), b.resolveTriangleIndex(j)]);
        return false;
      };
      a.bvhcast(b, pose, { intersectsTriangles });
      return pairs.sort((p, q) => p[0] - q[0] || p[1] - q[1]).map((pair) => pair.join("-")).join(" ");
    }
    case "distance":
      return String(a.closestPointToGeometry(b.geometry, pose).distance);
    default:
      return "refused not offered";
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const [name, question, a, b, ...numbers] = line.split(" ");
  const pose = new Matrix4().set(...numbers.slice(0, 12).map(Number), 0, 0, 0, 1);
  console.log(`${name} ${question} ${answer(question, treeOf(a), treeOf(b), pose)}`);
}
