//! Where the figures come from: the program, the machine, the time, the seed, the options and the mesh.

use std::fs;

use bvtree::SimdLevel;
use serde_json::Value;

use crate::commands::compare::measure::Measured;
use crate::date_time;

/// The keys of the provenance in CSV and JSON.
pub const COLUMNS: [&str; 9] =
    ["version", "commit", "date", "cpu", "simd", "seed", "samples", "options", "mesh_digest"];

/// The program, the machine and the time of a run.
pub struct Provenance {
    date: String,
    cpu: String,
    simd: SimdLevel,
}

impl Provenance {
    pub fn now() -> Self {
        Self { date: date_time::now(), cpu: cpu(), simd: SimdLevel::detect() }
    }

    /// The values of [`COLUMNS`] for a tree.
    pub fn values(&self, tree: &Measured) -> [Value; COLUMNS.len()] {
        [
            VERSION.into(),
            COMMIT.into(),
            self.date.as_str().into(),
            self.cpu.as_str().into(),
            self.simd.name().into(),
            tree.seed.into(),
            tree.samples.into(),
            options(tree).into(),
            digest(tree).into(),
        ]
    }

    /// The provenance as a sentence, without the mesh and the build options.
    pub fn sentence(&self, seed: u64, samples: usize) -> String {
        let commit = COMMIT.map_or(String::new(), |commit| format!(", commit {commit}"));
        let Self { date, cpu, simd } = self;
        let simd = simd.name();
        format!(
            "bvtree {VERSION}{commit}, {date}, on {cpu} with {simd}, seed {seed}, {samples} random points and lines."
        )
    }
}

/// The build options, as `key=value` separated by spaces.
pub fn options(tree: &Measured) -> String {
    let options = serde_json::to_value(tree.options).unwrap_or_default();
    let option = |(key, value): (&String, &Value)| match value.as_str() {
        Some(name) => format!("{key}={name}"),
        None => format!("{key}={value}"),
    };
    options.as_object().map_or(String::new(), |options| options.iter().map(option).collect::<Vec<_>>().join(" "))
}

/// The digest of the mesh's triangles, XXH3-128 as 32 hexadecimal digits.
pub fn digest(tree: &Measured) -> String {
    format!("{:032x}", tree.mesh_digest)
}

const VERSION: &str = env!("CARGO_PKG_VERSION");
/// The commit, if it was given to the build.
const COMMIT: Option<&str> = option_env!("BVTREE_COMMIT");

/// The name of the CPU, or of its architecture where the system does not say.
fn cpu() -> String {
    let text = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = text.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':'));
    name.map_or(std::env::consts::ARCH, |(_, name)| name.trim()).to_owned()
}
