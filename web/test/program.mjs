// The program, whose answers are expected of the package; and what both are asked.

import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
export const data = (name) => join(root, "data", name);
export const built = (name) => join(root, "target/web", name);

// What a test's `skip` is where it lacks something: false where nothing is lacking, else the reason. An error where $BVTREE_MAY_SKIP, a list between
// commas, is set, as CI sets it, and does not name it.
export function lacking(what, isThere, reason) {
  const names = process.env.BVTREE_MAY_SKIP;
  if (isThere) return false;
  if (names === undefined || names.split(",").includes(what)) return reason;
  throw new Error(`${reason}; what needs the ${what} must run, for BVTREE_MAY_SKIP is ${JSON.stringify(names)}`);
}

const program = [process.env.BVTREE_PROGRAM, join(root, "target/release/bvtree"), join(root, "target/debug/bvtree")].find((path) => path && existsSync(path));
export const skip = lacking("program", program, "no program: cargo build --release");

// The rows of an answer, by column.
export function run(args, input) {
  const text = execFileSync(program, [...args, "--quiet", "--format", "csv"], { input, encoding: "utf8", stdio: ["pipe", "pipe", "inherit"], maxBuffer: 1 << 28 });
  const [head, ...rows] = text.trimEnd().split("\n").map((line) => line.split(","));
  return rows.map((row) => Object.fromEntries(head.map((name, i) => [name, row[i]])));
}

// The bytes of a cooked tree.
export function cooked(mesh, kind, preset) {
  const folder = mkdtempSync(join(tmpdir(), "bvtree-cooked-"));
  try {
    execFileSync(program, ["cook", data(`${mesh}.obj`), "-o", folder, "--kind", kind, "--preset", preset, "--quiet"]);
    return readFileSync(join(folder, `${mesh}.${kind}.bvt`));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

// As poses of the package and as a pose file: a few turns, near each other and apart.
export function poses() {
  const turns = [[1, 0, 0, 0], [3, 1, 0, 0], [1, 2, 3, 4], [5, -2, 1, 3]];
  const made = turns.flatMap(([w, x, y, z], i) => {
    const n = w * w + x * x + y * y + z * z;
    const rows = [
      [(w * w + x * x - y * y - z * z) / n, (2 * (x * y - w * z)) / n, (2 * (x * z + w * y)) / n],
      [(2 * (x * y + w * z)) / n, (w * w - x * x + y * y - z * z) / n, (2 * (y * z - w * x)) / n],
      [(2 * (x * z - w * y)) / n, (2 * (y * z + w * x)) / n, (w * w - x * x - y * y + z * z) / n],
    ];
    return [4, 16, 30, 52, 90].map((far) => ({ rows, at: [far, 0.3 * far - i, 0.1 * far] }));
  });
  const columns = ({ rows, at }) => [0, 1, 2].flatMap((k) => [rows[0][k], rows[1][k], rows[2][k], 0]).concat(at, 1);
  const line = ({ rows, at }, i) => ["a", "b", i, ...rows.flatMap((row, k) => [...row, at[k]])].join(",");
  return { matrices: made.map(columns), file: `#\n${made.map(line).join("\n")}\n` };
}

// Of a list of pairs, as `bvtree query` tells it.
export function checksum(pairs) {
  const mask = (1n << 64n) - 1n;
  let sum = 0n;
  for (let i = 0; i < pairs.length; i += 2) {
    let z = ((BigInt(pairs[i]) << 32n) + BigInt(pairs[i + 1]) + 0x9e3779b97f4a7c15n) & mask;
    z = ((z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n) & mask;
    z = ((z ^ (z >> 27n)) * 0x94d049bb133111ebn) & mask;
    sum = (sum + (z ^ (z >> 31n))) & mask;
  }
  return String(sum);
}
