// The package as its users meet it: imports, arguments, errors, lifetimes, workers, three.js.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";

import { built, data, lacking } from "./program.mjs";

const address = pathToFileURL(built("bvtree/node.js"));
const { default: init, Mesh, Tree, Query, Probe, Scene, poseFromAxisAngle, poseFromEulerAngles, poseFromQuaternion, poseFromTranslation, relativePose, version } = await import(address);
const { meshOf, poseOf } = await import(pathToFileURL(built("bvtree/three.js")));
const three = await import("three").catch(() => null);

const CORNERS = [0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1];
const FACES = [0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2];
const text = (string) => new TextEncoder().encode(string);
const at = (x, y = 0, z = 0) => [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, x, y, z, 1];

test("init may be called, and again", async () => {
  await init();
  await init();
  assert.match(version(), /^\d+\.\d+\.\d+/);
});

test("arrays of every kind make the same mesh", () => {
  const soup = FACES.flatMap((corner) => CORNERS.slice(3 * corner, 3 * corner + 3));
  const meshes = [
    new Mesh(CORNERS, FACES),
    new Mesh(new Float32Array(CORNERS), new Uint32Array(FACES)),
    new Mesh(new Float64Array(CORNERS), new Uint16Array(FACES)),
    new Mesh(soup),
  ];
  const query = new Query();
  for (const mesh of meshes) {
    assert.equal(mesh.triangleCount, 4);
    assert.deepEqual([...mesh.bounds], [0, 0, 0, 1, 1, 1]);
    const tree = new Tree(mesh);
    assert.equal(query.distance(tree, tree, at(3)).distance, 2);
    assert.equal(query.volumeTests > 0, true);
  }
  assert.deepEqual([...meshes[0].positions], CORNERS);
  assert.deepEqual([...meshes[0].indices], FACES);
  const { isClosed, components, triangles } = meshes[0].report();
  assert.deepEqual({ isClosed, components, triangles }, { isClosed: true, components: 1, triangles: 4 });
});

test("poses of quaternions, axes and angles keep what is exact", () => {
  const quarter = [0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 1, 0, 4, 5, 6, 1];
  const half = [-1, 0, 0, 0, 0, -1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];
  assert.deepEqual([...poseFromQuaternion([0, 0, Math.sin(Math.PI / 4), Math.cos(Math.PI / 4)], [4, 5, 6])], quarter);
  assert.deepEqual([...poseFromQuaternion([0, 0, 1, Math.cos(Math.PI / 2)])], half);
  assert.deepEqual([...poseFromAxisAngle([0, 0, 9], Math.PI / 2, [4, 5, 6])], quarter);
  assert.deepEqual([...poseFromEulerAngles(0, 0, Math.PI)], half);
  assert.deepEqual([...poseFromTranslation([1, 2, 3])], at(1, 2, 3));
  for (let degrees = 0; degrees < 360; degrees++) {
    const pose = poseFromAxisAngle([0, 0, 1], (degrees * Math.PI) / 180);
    assert.deepEqual([2, 6, 8, 9, 10].map((k) => pose[k]), [0, 0, 0, 0, 1]);
  }
  assert.throws(() => poseFromQuaternion([0, 0, 0, 0]), { name: "InvalidPose" });
  assert.throws(() => poseFromQuaternion([0, 0, 1]), { name: "InvalidArgument" });
  assert.throws(() => poseFromAxisAngle([0, 0, 0], 1), { name: "InvalidPose" });
  assert.throws(() => poseFromEulerAngles(0, NaN, 0), { name: "InvalidPose" });
});

test("the playground's turns keep what is exact", async () => {
  const { turned } = await import("../playground/pose.js");
  const rows = (rotation) => rotation.map((row) => row.map((x) => x + 0));
  assert.deepEqual(rows(turned([0, 0, 180])), [[-1, 0, 0], [0, -1, 0], [0, 0, 1]]);
  assert.deepEqual(rows(turned([90, 0, 0])), [[1, 0, 0], [0, 0, -1], [0, 1, 0]]);
  for (let degrees = 1; degrees < 360; degrees++) {
    const [[, , xz], [, , yz], last] = rows(turned([0, 0, degrees]));
    assert.deepEqual([xz, yz, ...last], [0, 0, 0, 0, 1]);
  }
});

test("every format is read", () => {
  const numbers = (size) => FACES.map((k) => CORNERS.slice(3 * k, 3 * k + 3).join(" ")).slice(0, size);
  const stl = `solid x\n${[0, 3, 6, 9].map((i) => `facet normal 0 0 0\nouter loop\n${numbers(12).slice(i, i + 3).map((v) => `vertex ${v}\n`).join("")}endloop\nendfacet\n`).join("")}endsolid x\n`;
  const rows = [0, 3, 6, 9].map((i) => CORNERS.slice(i, i + 3).join(" ")).join("\n");
  const faces = [0, 3, 6, 9].map((i) => `3 ${FACES.slice(i, i + 3).join(" ")}`).join("\n");
  const files = {
    "x.obj": `${rows.replace(/^/gm, "v ")}\n${[0, 3, 6, 9].map((i) => `f ${FACES.slice(i, i + 3).map((k) => k + 1).join(" ")}`).join("\n")}\n`,
    "x.stl": stl,
    "x.off": `OFF\n4 4 0\n${rows}\n${faces}\n`,
    "x.ply": `ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\nelement face 4\nproperty list uchar int vertex_indices\nend_header\n${rows}\n${faces}\n`,
    "x.gltf": gltf(),
  };
  for (const [name, content] of Object.entries(files)) {
    const mesh = Mesh.read(text(content), name);
    assert.equal(mesh.triangleCount, 4, name);
    assert.deepEqual([...mesh.bounds], [0, 0, 0, 1, 1, 1], name);
  }
  const glb = Mesh.read(glbOf(JSON.parse(gltf())));
  assert.equal(glb.triangleCount, 4);
  assert.deepEqual([...Mesh.read(text(files["x.obj"]), "x.obj", { scale: 2 }).bounds], [0, 0, 0, 2, 2, 2]);
  assert.throws(() => Mesh.read(text(files["x.obj"]), "x.obj", { up: "w" }), { name: "InvalidArgument" });
});

function gltf() {
  const bytes = new Uint8Array([...new Uint8Array(new Float32Array(CORNERS).buffer), ...new Uint8Array(new Uint16Array(FACES).buffer)]);
  return JSON.stringify({
    asset: { version: "2.0" },
    scene: 0,
    scenes: [{ nodes: [0] }],
    nodes: [{ mesh: 0 }],
    meshes: [{ primitives: [{ attributes: { POSITION: 0 }, indices: 1 }] }],
    accessors: [{ bufferView: 0, componentType: 5126, count: 4, type: "VEC3", min: [0, 0, 0], max: [1, 1, 1] }, { bufferView: 1, componentType: 5123, count: 12, type: "SCALAR" }],
    bufferViews: [{ buffer: 0, byteOffset: 0, byteLength: 48 }, { buffer: 0, byteOffset: 48, byteLength: 24 }],
    buffers: [{ byteLength: 72, uri: `data:application/octet-stream;base64,${Buffer.from(bytes).toString("base64")}` }],
  });
}

function glbOf(document) {
  const buffer = Buffer.from(document.buffers[0].uri.split(",")[1], "base64");
  delete document.buffers[0].uri;
  const json = JSON.stringify(document);
  const padded = Buffer.from(json.padEnd(Math.ceil(json.length / 4) * 4));
  const chunk = (kind, bytes) => [Buffer.from(new Uint32Array([bytes.length, kind]).buffer), bytes];
  const chunks = Buffer.concat([...chunk(0x4e4f534a, padded), ...chunk(0x004e4942, buffer)]);
  return Buffer.concat([Buffer.from(new Uint32Array([0x46546c67, 2, 12 + chunks.length]).buffer), chunks]);
}

test("errors have the library's texts, and nothing is broken after them", () => {
  assert.throws(() => new Mesh([0, 0, NaN], [0, 0, 0]), { name: "InvalidMesh", message: /vertex 0.*not finite/ });
  assert.throws(() => new Mesh(CORNERS, [0, 1, 9]), { name: "InvalidMesh", message: /9/ });
  for (const wrong of [2 ** 32, 2 ** 64, -1, 0.5, NaN, Infinity, undefined]) {
    for (const indices of [[wrong, 1, 2], new Float64Array([wrong, 1, 2])]) {
      assert.throws(() => new Mesh(CORNERS, indices), { name: "InvalidMesh", message: /is no index of a vertex/ });
    }
  }
  assert.throws(() => new Mesh([0, 0, 1e39], [0, 0, 0]), { name: "InvalidMesh", message: /vertex 0.*not finite in f32/ });
  assert.throws(() => new Mesh(CORNERS, 3), { name: "InvalidMesh", message: /no array/ });
  const { buffer } = new Uint32Array([0, 1, 2]);
  for (const indices of [new DataView(buffer), buffer, {}, "012"]) {
    assert.throws(() => new Mesh(CORNERS, indices), { name: "InvalidMesh" });
  }
  assert.throws(() => new Mesh(CORNERS, new Int32Array([-1, 1, 2])), { name: "InvalidMesh" });
  for (const indices of [[0, 1, 2], new Uint8Array([0, 1, 2]), new Int32Array([0, 1, 2]), new Float32Array([0, 1, 2])]) {
    assert.deepEqual([...new Mesh(CORNERS, indices).indices], [0, 1, 2]);
  }
  assert.throws(() => new Mesh([1, 2]), { name: "InvalidMesh" });
  assert.throws(() => new Mesh(CORNERS, [0, 1]), { name: "InvalidMesh" });
  assert.throws(() => Mesh.read(text("v 1 2\nf 1 2 3"), "x.obj"), { name: "InvalidMesh", message: /^x\.obj: line 1/ });
  assert.throws(() => Tree.fromBytes(text("nonsense")), { name: "InvalidFile" });
  const mesh = new Mesh(CORNERS, FACES);
  assert.throws(() => new Tree(mesh, "cube"), { name: "InvalidArgument", message: /aabb/ });
  assert.throws(() => new Tree(mesh, "obb", "slow"), { name: "InvalidArgument" });
  assert.equal(new Tree(mesh, null, null).kind, "obb");
  const [tree, query, probe] = [new Tree(mesh), new Query(), new Probe()];
  assert.throws(() => query.distance(tree, tree, [1, 2]), { name: "InvalidPose" });
  assert.throws(() => query.distance(tree, tree, at(NaN)), { name: "InvalidPose" });
  assert.throws(() => query.distance(tree, tree, at(0).map((x, i) => (i === 0 ? 2 : x))), { name: "InvalidPose" });
  assert.throws(() => query.distance(tree, tree, at(0).map((x, i) => (i === 3 ? 1 : x))), { name: "InvalidPose" });
  assert.throws(() => query.timeOfImpact(tree, tree, at(5), at(1e300)), { name: "InvalidArgument", message: /motion/ });
  assert.throws(() => query.penetrationAlong(tree, tree, [0, 0, 0]), { name: "InvalidArgument" });
  assert.throws(() => probe.closestPoint(tree, [1, 2]), { name: "InvalidArgument" });
  const bytes = tree.toBytes();
  for (let i = 0; i < bytes.length; i += 7) {
    const damaged = bytes.slice();
    damaged[i] ^= 0x55;
    assert.throws(() => Tree.fromBytes(damaged), { name: "InvalidFile" });
  }
  const notStrings = [
    () => new Tree(mesh, 3),
    () => new Tree(mesh, "obb", {}),
    () => query.setSolids(true, "no"),
    () => query.setSolids("no"),
    () => query.hausdorffDistance(tree, tree, null, 1),
    () => new Scene().overlapDepths(0.1, true),
    () => Mesh.read(text("v 0 0 0"), 5),
    () => Mesh.read(text("v 0 0 0"), "x.obj", { up: 1 }),
    () => Mesh.read(text("v 0 0 0"), "x.obj", { groupBy: 1 }),
  ];
  for (const ask of notStrings) assert.throws(ask, { name: "InvalidArgument", message: /string/ });
  assert.equal(query.distance(tree, tree, at(2)).distance, 1);
});

test("arrays that can't be converted leave no memory behind", async () => {
  const { memory } = (await import(new URL("core.js", address))).initSync();
  const positions = new Float32Array(3e5);
  const tree = new Tree(new Mesh(CORNERS, FACES));
  const detached = new Uint32Array(3);
  structuredClone(detached.buffer, { transfer: [detached.buffer] });
  const ask = () => {
    for (const wrong of [detached, new BigUint64Array(3), [0, 1n, 2]]) {
      assert.throws(() => new Mesh(positions, wrong), TypeError);
      assert.throws(() => tree.setLayers(wrong), TypeError);
    }
  };
  ask();
  const before = memory.buffer.byteLength;
  for (let i = 0; i < 20; i++) ask();
  assert.equal(memory.buffer.byteLength, before);
});

test("initSync is refused while init loads the module, and works afterwards", async () => {
  const source = `
    import { readFileSync } from "node:fs";
    import { parentPort } from "node:worker_threads";
    const { default: init, initSync, Mesh } = await import(${JSON.stringify(String(new URL("index.js", address)))});
    const bytes = readFileSync(new URL(${JSON.stringify(String(new URL("bvtree.wasm", address)))}));
    const pending = init(bytes);
    let refused = false;
    try { initSync(bytes); } catch { refused = true; }
    await pending;
    const mesh = new Mesh(${JSON.stringify(CORNERS)}, [0, 1, 2]);
    initSync(bytes);
    await init(bytes);
    parentPort.postMessage([refused, mesh.vertexCount]);`;
  const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(source)}`));
  const found = await new Promise((done, failed) => worker.once("message", done).once("error", failed));
  await worker.terminate();
  assert.deepEqual(found, [true, 4]);
});

test("an empty mesh has no answers", () => {
  const [query, probe, tree] = [new Query(), new Probe(), new Tree(new Mesh([], []))];
  assert.equal(query.distance(tree, tree), undefined);
  assert.equal(query.intersects(tree, tree), false);
  assert.equal(probe.closestPoint(tree, [0, 0, 0]), undefined);
  assert.deepEqual(query.timeOfImpact(tree, tree, at(0), at(1)), { outcome: "no_impact" });
  assert.equal(tree.volumes(0).length, 0);
});

test("volumes of a level cover the mesh", () => {
  const mesh = Mesh.read(readFileSync(data("crate.obj")));
  for (const kind of ["aabb", "obb", "sphere", "kdop"]) {
    const tree = new Tree(mesh, kind);
    const counts = [];
    for (let level = 0; level <= tree.depth; level++) {
      const matrices = tree.volumes(level);
      counts.push(matrices.length / 16);
      const middles = Array.from({ length: matrices.length / 16 }, (_, i) => matrices.subarray(16 * i + 12, 16 * i + 15));
      assert.ok(middles.every((middle) => middle.every((x, k) => x >= tree.bounds[k] - 1 && x <= tree.bounds[k + 3] + 1)));
    }
    assert.equal(counts[0], 1);
    assert.ok(counts.every((count, i) => i === 0 || count >= counts[i - 1]), `${counts}`);
    assert.deepEqual(tree.volumes(99), tree.volumes(tree.depth));
  }
});

test("what is freed is gone, and what it was used for stays", () => {
  const mesh = new Mesh(CORNERS, FACES);
  const tree = new Tree(mesh);
  mesh.free();
  assert.throws(() => new Tree(mesh));
  const query = new Query();
  assert.equal(query.intersects(tree, tree), true);
  if (Symbol.dispose) {
    tree[Symbol.dispose]();
    assert.throws(() => query.intersects(tree, tree));
  }
});

test("relative poses are the library's", () => {
  assert.deepEqual([...relativePose(at(1, 2, 3), at(5))], at(4, -2, -3));
  assert.deepEqual([...relativePose(null, undefined)], at(0));
});

test("it works in workers", async () => {
  const source = `
    import { parentPort } from "node:worker_threads";
    const { Mesh, Tree } = await import(${JSON.stringify(String(address))});
    const bytes = new Tree(new Mesh(${JSON.stringify(CORNERS)}, ${JSON.stringify(FACES)})).toBytes();
    parentPort.postMessage(bytes, [bytes.buffer]);`;
  const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(source)}`));
  const bytes = await new Promise((done, failed) => worker.once("message", done).once("error", failed));
  await worker.terminate();
  assert.deepEqual(bytes, new Tree(new Mesh(CORNERS, FACES)).toBytes());
});

test("geometries of three.js, indexed or not, plain or interleaved", { skip: lacking("three", three, "no three.js") }, () => {
  const { BoxGeometry, BufferGeometry, InterleavedBuffer, InterleavedBufferAttribute, Matrix4, Mesh: Object3, TorusKnotGeometry } = three;
  const [query, probe] = [new Query(), new Probe()];
  const torus = new TorusKnotGeometry(1, 0.3, 64, 12);
  const { position } = torus.attributes;
  const wide = new Float32Array(5 * position.count);
  for (let i = 0; i < position.count; i++) wide.set([position.getX(i), position.getY(i), position.getZ(i)], 5 * i + 1);
  const interleaved = new BufferGeometry().setIndex(torus.index);
  interleaved.setAttribute("position", new InterleavedBufferAttribute(new InterleavedBuffer(wide, 5), 3, 1));
  const trees = [torus, torus.toNonIndexed(), interleaved].map((geometry) => new Tree(meshOf(geometry)));
  const [a, b] = [new Object3(), new Object3()];
  b.position.set(1.2, 0.4, -0.3);
  b.rotation.set(0.3, 1, 0.2);
  a.position.set(0.1, 0, 0);
  for (const object of [a, b]) object.updateMatrixWorld();
  const pose = poseOf(a, b);
  const [first, ...others] = trees.map((tree) => Array.from(query.contacts(trees[0], tree, pose).faces));
  assert.ok(first.length > 0);
  for (const other of others) assert.deepEqual(other, first);
  const scaled = meshOf(new BoxGeometry(1, 2, 3), new Matrix4().makeScale(2, 1, 1));
  assert.deepEqual([...scaled.bounds], [-1, -1, -1.5, 1, 1, 1.5]);
  assert.equal(probe.contains(new Tree(scaled), [0.9, 0, 0]), "inside");
  b.scale.set(2, 2, 2);
  b.updateMatrixWorld();
  assert.throws(() => poseOf(a, b), { name: "InvalidPose" });
});
