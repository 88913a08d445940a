// What users write in TypeScript, checked by `tsc` and never run.

import init, { Character, ConvexShape, DistanceTracker, Mesh, Probe, Query, Scene, Tree, initSync, poseFromAxisAngle, poseFromEulerAngles, poseFromQuaternion, poseFromTranslation, relativePose, type BvtreeError, type ClosestPair, type Containment, type Relation } from "bvtree";
import { meshOf, poseOf } from "bvtree/three";
import { BoxGeometry, Matrix4, Object3D } from "three";

await init();
await init(new URL("https://example.org/bvtree.wasm"));
initSync(new ArrayBuffer(8));

using mesh: Mesh = Mesh.read(new Uint8Array(8), "x.stl", { up: "y", scale: 0.001, weld: true });
const ofGeometry: Mesh = meshOf(new BoxGeometry(1, 2, 3), new Matrix4());
const pose: Float64Array = poseOf(new Object3D(), new Object3D());
const turned: Float64Array[] = [poseFromTranslation([1, 2, 3]), poseFromQuaternion([0, 0, 0, 1]), poseFromAxisAngle([0, 0, 1], 1, new Float32Array(3)), poseFromEulerAngles(1, 2, 3, [1, 2, 3])];
const tree = new Tree(new Mesh(new Float32Array(9), new Uint16Array(3)), "obb", "tight");
const other: Tree = Tree.fromBytes(tree.toBytes());
const query = new Query();
const found: ClosestPair | undefined = new DistanceTracker(tree, other).distance(query, pose);
const [x, y, z]: [number, number, number] = found?.onA ?? [0, 0, 0];
const relation: Relation = query.relation(tree, other, relativePose([1], undefined));
const pairs: Uint32Array = query.intersectingPairs(tree, other);
const motion = query.timeOfImpact(tree, other, null, pose, 1e-6);
const time: number | null = motion.outcome === "no_impact" ? null : motion.time;
const side: Containment = new Probe().contains(tree, [x, y, z]);
const curve = query.intersectionCurves(tree, other, new Matrix4().elements).curves[0]?.points;
const deep: number = query.overlapDepth(tree, other, pose, 0.1, 0.5).upper + query.penetrationDepth(tree, other, pose, undefined, 0.5).lower;
const shape: ConvexShape = ConvexShape.hull([0, 0, 0, 1, 0, 0]).rounded(0.5);
const gap: number | undefined = new Probe().closestToConvex(tree, shape, pose, 9)?.distance;
const fall: [number, number, number] | undefined = new Probe().castCapsule(tree, [0, 0, 1], [0, 0, 2], 0.3, [0, 0, -1])?.faceNormal;
const touch: number | undefined = new Probe().closestConvexContact(tree, shape, 0.1, pose)?.onShape[2];
const depths: number[] = new Probe().convexContacts(tree, shape, 0.1).map(({ distance }) => -distance);
const names: BigUint64Array = new Probe().convexContactManifolds(tree, shape, 0.1, pose).ids;
const lowest: [number, number, number] | undefined = new Probe().supportPoint(tree, [0, 0, -1])?.point;
const between: number | undefined = shape.contact(shape, pose, 1)?.normal[0] ?? shape.contactManifolds(shape, 0.1).normals[0];
const scene = new Scene(true);
const body: number = scene.add(tree, pose, { isStatic: true, solid: "if_closed", groups: 1 });
scene.setPoses([body, scene.addShape(shape)], new Float64Array(32));
const [near] = scene.pairsWithin(1);
const touching: Uint32Array = scene.intersectingPairs();
const met: number | undefined = scene.firstImpact([{ body, end: pose }])?.time;
const seen: number | undefined = scene.closestHit([0, 0, 1], [0, 0, -1], undefined, 3)?.body;
const apart: boolean = near.a !== near.b && scene.relation(near.a, near.b) === "coincident";
const character = new Character([0, 0, 0], { height: 1.2, up: [0, 1, 0], perchRadiusThreshold: 0.1, cameraHalfLife: 0.1 });
const stepped = character.step(scene, { walk: [1, 0, 0], jump: 4 }, 1 / 60, { motions: [{ body, end: pose }], mask: 1 });
const inside: number = stepped.overlap?.depth ?? 0;
const floor: number | undefined = character.ground()?.body ?? character.pushes()[0]?.body;
const feet: [number, number, number] = character.feet;
const eyes: number = feet[2] + character.cameraOffset;
// @ts-expect-error: a body has a number.
scene.remove("gear");
const work: number = query.volumeTests + query.triangleTests;
const error: BvtreeError["name"] = "InvalidMesh";
// @ts-expect-error: there is no such kind.
new Tree(mesh, "cube");
// @ts-expect-error: a pose is a matrix.
query.intersects(tree, other, "identity");
export { apart, between, curve, deep, depths, lowest, names, touch, error, eyes, fall, feet, floor, inside, met, seen, touching, gap, ofGeometry, pairs, relation, side, time, turned, work };
