//! `bvtree self`: counts the pairs of triangles of a mesh that intersect each other.

use std::collections::BTreeMap;
use std::num::NonZeroU64;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use bvtree::{BuildOptions, BvTree, Query, VolumeKind};
use clap::Args;
use serde_json::Value;

use crate::args::GroupNames;
use crate::args::{AnswerArgs, BuildArgs, parse_positive};
use crate::commands::query::PairSum;
use crate::error::{CliError, note};
use crate::input;
use crate::input::InputKind;
use crate::output::{Layout, Progress, Table};

/// Count the pairs of triangles of a mesh that intersect each other
///
/// Triangles that share a vertex or an edge count only if they intersect elsewhere: with a shared vertex, if the
/// opposite edge of one intersects the other; with a shared edge, if both are coplanar and on the same side of it.
/// Triangles with the same three vertices always count. Vertices with equal coordinates are the same. Each MESH is a
/// cooked tree (.bvt) or a mesh (OBJ, STL, PLY, OFF or glTF), for which a tree is built in memory.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct SelfArgs {
    /// Cooked trees and meshes
    #[arg(required = true, value_name = "MESH")]
    meshes: Vec<PathBuf>,
    /// Maximum number of pairs per mesh; if there are more, the row has this number and no checksum
    #[arg(long, value_name = "PAIRS", value_parser = parse_positive::<NonZeroU64>)]
    limit: Option<NonZeroU64>,
    /// Write a row per pair of intersecting groups (objects, nodes) or materials, in columns group_a and group_b
    #[arg(long, value_name = "NAMES", num_args = 0..=1, require_equals = true, default_missing_value = "object")]
    #[arg(conflicts_with = "limit")]
    groups: Option<GroupNames>,
    #[command(flatten)]
    answers: AnswerArgs,
    /// Volume kind of the trees that are built: aabb, obb, sphere or kdop
    #[arg(long, alias = "volume", value_name = "KIND", help_heading = "Build options",
        default_value_t = BuildOptions::default().kind)]
    kind: VolumeKind,
    #[command(flatten)]
    build: BuildArgs,
}

const EXAMPLES: &str = "\
Examples:
  bvtree self gear.obj bolt.obj
  bvtree self cooked/gear.obb.bvt --format json
  bvtree self scan.ply --limit 1

Columns: mesh, triangles, pairs, pairs_checksum. pairs_checksum is, modulo
2^64, the sum over all pairs of splitmix64(face_a * 2^32 + face_b) with
face_a < face_b; a face is a triangle's index in its mesh, counted from 0 in
file order. With --groups, group_a and group_b come last.

Equal triangles all intersect each other: 100,000 of them make 5 billion pairs,
which takes a minute or more. A note reports when 10 million are exceeded.";

const COLUMNS: [&str; 4] = ["mesh", "triangles", "pairs", "pairs_checksum"];
const WITH_GROUPS: [&str; 6] = ["mesh", "triangles", "pairs", "pairs_checksum", "group_a", "group_b"];

pub fn run(args: &SelfArgs, quiet: bool) -> Result<(), CliError> {
    let mut query = Query::with_simd(args.answers.simd()?);
    let format = args.answers.format();
    let columns: &[_] = if args.groups.is_some() { &WITH_GROUPS } else { &COLUMNS };
    let mut table = Table::new(format, columns, Layout::Columns(columns));
    let mut progress = Progress::new(args.meshes.len(), quiet, format);
    let mut any_failed = false;
    for path in &args.meshes {
        progress.advance(0, &path.display().to_string());
        let on_many = || {
            if !quiet {
                progress.suspend(|| {
                    note(format!("{}: {MANY} pairs so far; this may take long (see --limit)", path.display()))
                });
            }
        };
        match progress.suspend(|| open(args, path)) {
            Ok(tree) => match args.groups {
                Some(names) => {
                    for (names, sum) in pairs_by_groups(&tree, names, &mut query, on_many) {
                        let names = names.map(Value::from);
                        table.row([row(path, &tree, None, Some(sum)), names.to_vec()].concat())?;
                    }
                }
                None => {
                    let sum = pairs(&tree, &mut query, args.limit, on_many);
                    if sum.is_none() && !quiet {
                        progress.suspend(|| note(format!("{}: stopped at the limit", path.display())));
                    }
                    table.row(row(path, &tree, args.limit, sum))?;
                }
            },
            Err(error) => {
                progress.suspend(|| error.report_and_go_on())?;
                any_failed = true;
            }
        }
        table.flush()?;
        progress.advance(1, "");
    }
    drop(progress);
    table.finish()?;
    if any_failed { Err(CliError::Reported) } else { Ok(()) }
}

fn open(args: &SelfArgs, path: &Path) -> Result<BvTree, CliError> {
    let tree = match InputKind::of(path)? {
        InputKind::Cooked => input::open_cooked(path)?,
        InputKind::Mesh => input::load_and_build(path, &args.build.options(args.kind))?,
    };
    GroupNames::check(args.groups, [&tree])?;
    Ok(tree)
}

/// The number of pairs of one mesh after which a note warns of a long run: n equal triangles form about n^2 / 2
/// pairs.
const MANY: u64 = 10_000_000;

/// The number and checksum of the pairs of triangles of a mesh that intersect; `None` if there are more than `limit`.
fn pairs(tree: &BvTree, query: &mut Query, limit: Option<NonZeroU64>, on_many: impl Fn()) -> Option<PairSum> {
    let limit = limit.map_or(u64::MAX, NonZeroU64::get);
    let mut sum = PairSum::default();
    let mut is_past = false;
    query.for_each_self_pair(tree, |pair| {
        is_past = sum.pairs == limit;
        if is_past {
            return ControlFlow::Break(());
        }
        sum.add(pair);
        if sum.pairs == MANY {
            on_many();
        }
        ControlFlow::Continue(())
    });
    (!is_past).then_some(sum)
}

/// For each pair of groups with triangles that intersect (a group may be paired with itself): the names, the lesser one
/// first, and the number and checksum of these pairs of triangles. Sorted by the names; if no triangles intersect, one
/// row without names.
fn pairs_by_groups<'a>(
    tree: &'a BvTree,
    names: GroupNames,
    query: &mut Query,
    on_many: impl Fn(),
) -> Vec<([Option<&'a str>; 2], PairSum)> {
    let mut sums: BTreeMap<[Option<&str>; 2], PairSum> = BTreeMap::new();
    let mut count = 0_u64;
    query.for_each_self_pair(tree, |pair| {
        let [a, b] = names.of_pair([tree, tree], pair);
        sums.entry([a.min(b), a.max(b)]).or_default().add(pair);
        count += 1;
        if count == MANY {
            on_many();
        }
        ControlFlow::Continue(())
    });
    if sums.is_empty() { vec![([None; 2], PairSum::default())] } else { sums.into_iter().collect() }
}

fn row(path: &Path, tree: &BvTree, limit: Option<NonZeroU64>, sum: Option<PairSum>) -> Vec<Value> {
    let (pairs, checksum) = sum.map_or((limit.map(NonZeroU64::get), None), |sum| (Some(sum.pairs), Some(sum.checksum)));
    vec![path.display().to_string().into(), tree.triangle_count().into(), pairs.into(), checksum.into()]
}
