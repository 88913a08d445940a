//! Advice in plain words on which tree to use for a mesh, with reasons.

use bvtree::VolumeKind;

use crate::commands::compare::measure::Measured;
use crate::commands::compare::text::{micros_per_query, tightness, volume_tests};

/// Times within this ratio count as equal: another measurement might reverse their order.
const AS_FAST: f64 = 1.1;
/// The largest ratio of sizes at which a smaller tree is worth mentioning.
const MUCH_SMALLER: f64 = 0.8;
/// Sizes within this ratio count as equal.
const AS_SMALL: f64 = 1.02;
/// The largest ratio of query times at which a smaller tree is still recommended.
const BEARABLE: f64 = 3.0;
/// The ratio of build times below which a tree that is quicker to build is worth mentioning.
const MUCH_QUICKER: f64 = 0.5;

/// The recommended tree, with reasons and alternatives.
pub struct Advice<'a> {
    /// The recommended tree; `None` if no measurement decides.
    pub tree: Option<&'a Measured>,
    /// The reason, as text.
    pub because: String,
    /// Recommendations for other circumstances, a sentence each.
    pub otherwise: Vec<String>,
}

impl<'a> Advice<'a> {
    /// The tree with the fastest queries; of trees about as fast, the smallest; of trees of equal size, the one that is
    /// quickest to build. If no queries were measured, the tightest tree.
    pub fn of(trees: &'a [Measured]) -> Self {
        let Some(fastest) = trees.iter().filter_map(micros_per_query).reduce(f64::min) else {
            return Self::by_tightness(trees);
        };
        let candidates =
            trees.iter().filter(|tree| micros_per_query(tree).is_some_and(|time| time <= AS_FAST * fastest));
        let better = |a: &&Measured, b: &&Measured| {
            let bytes = a.bytes_per_triangle().total_cmp(&b.bytes_per_triangle());
            bytes.then(a.build_time.cmp(&b.build_time))
        };
        let Some(tree) = candidates.min_by(better) else { return Self::by_tightness(trees) };
        let because = [time(tree, trees), tests(tree, trees)];
        Self {
            tree: Some(tree),
            because: because.into_iter().flatten().collect::<Vec<_>>().join(" "),
            otherwise: [size(tree, trees), build(tree, trees)].into_iter().flatten().collect(),
        }
    }

    /// The choice without times: the tree whose volumes have the least total volume, or area if the mesh is flat.
    fn by_tightness(trees: &'a [Measured]) -> Self {
        let tree = least(trees.iter(), tightness);
        let because = match tree {
            Some(_) => "its volumes are the tightest; no queries were measured.",
            None => "nothing was measured that tells its trees apart.",
        };
        Self { tree, because: because.into(), otherwise: Vec::new() }
    }
}

/// The reason in terms of query times, such as `its queries are the fastest, 2.1 µs on average; AABBs take 1.5 times as
/// long, spheres 5.8 times at best.`
fn time(tree: &Measured, trees: &[Measured]) -> Option<String> {
    let own = micros_per_query(tree)?;
    let fastest = trees.iter().filter_map(micros_per_query).reduce(f64::min)?;
    let rank = if own <= fastest { "its queries are the fastest" } else { "its queries are as fast as any" };
    let ratios: Vec<(VolumeKind, f64)> = other_kinds(tree, trees)
        .filter_map(|(kind, of_kind)| {
            let best = of_kind.iter().filter_map(|tree| micros_per_query(tree)).reduce(f64::min)?;
            Some((kind, best / own))
        })
        .collect();
    let compared: Vec<String> = ratios
        .iter()
        .enumerate()
        .map(|(place, &(kind, ratio))| {
            let takes = if place == 0 { " take" } else { "" };
            let unit = if place == 0 { " times as long" } else { " times" };
            match ratio {
                ratio if ratio < AS_FAST => format!("{}{takes} about as long", plural(kind)),
                ratio => format!("{}{takes} {}{unit}", plural(kind), digits(ratio)),
            }
        })
        .collect();
    let compared = if compared.is_empty() { String::new() } else { format!("; {} at best", compared.join(", ")) };
    Some(format!("{rank}, {} µs on average{compared}.", digits(own)))
}

/// A sentence on whether the numbers of tests explain the times.
fn tests(tree: &Measured, trees: &[Measured]) -> Option<String> {
    let own = tree.cost.work.volume_tests_per_query()?;
    let best = least(trees.iter(), volume_tests)?;
    let fewest = best.cost.work.volume_tests_per_query()?;
    if own <= AS_FAST * fewest {
        let rank = if own <= fewest { "the fewest" } else { "nearly the fewest" };
        return Some(format!("It needs {rank} volume tests, {} a query.", digits(own)));
    }
    let [triangles, best_triangles] = [tree, best].map(|tree| tree.cost.work.triangle_tests_per_query().unwrap_or(0.0));
    (best.kind != tree.kind).then(|| {
        let price = if best_triangles > AS_FAST * triangles {
            format!("more triangle tests ({}, not {})", digits(best_triangles), digits(triangles))
        } else {
            "each takes longer".into()
        };
        let kinds = capitalized(plural(best.kind));
        format!("{kinds} need fewer volume tests ({} a query, not {}), but {price}.", digits(fewest), digits(own))
    })
}

/// The recommendation for cases in which memory matters more than time; `None` if no tree is much smaller.
fn size(tree: &Measured, trees: &[Measured]) -> Option<String> {
    let own_time = micros_per_query(tree)?;
    let bearable = trees.iter().filter(|tree| micros_per_query(tree).is_some_and(|time| time <= BEARABLE * own_time));
    let smallest = least(bearable, |tree| Some(tree.bytes_per_triangle()))?;
    let (own, other) = (tree.bytes_per_triangle(), smallest.bytes_per_triangle());
    if other > MUCH_SMALLER * own {
        return None;
    }
    let candidates = trees.iter().filter(|tree| tree.bytes_per_triangle() <= AS_SMALL * other);
    let smallest = least(candidates, micros_per_query)?;
    let slower = micros_per_query(smallest)? / own_time;
    let price = if slower < AS_FAST {
        "and is about as fast".into()
    } else {
        format!("and takes {} times as long", digits(slower))
    };
    Some(format!(
        "Where memory is short: {}, {} needs {} bytes a triangle instead of {}, {price}.",
        named(smallest.kind),
        smallest.preset_name(),
        digits(other),
        digits(own),
    ))
}

/// The recommendation for cases in which trees are built often.
fn build(tree: &Measured, trees: &[Measured]) -> Option<String> {
    let quickest = trees.iter().min_by_key(|tree| tree.build_time)?;
    let (own, other) = (tree.build_time.as_secs_f64(), quickest.build_time.as_secs_f64());
    (other < MUCH_QUICKER * own).then(|| {
        format!(
            "Where trees are built often: {}, {} is ready in {} ms instead of {}.",
            named(quickest.kind),
            quickest.preset_name(),
            digits(1e3 * other),
            digits(1e3 * own)
        )
    })
}

fn other_kinds<'a>(tree: &Measured, trees: &'a [Measured]) -> impl Iterator<Item = (VolumeKind, Vec<&'a Measured>)> {
    let own = tree.kind;
    VolumeKind::ALL.into_iter().filter(move |&kind| kind != own).filter_map(|kind| {
        let of_kind: Vec<&Measured> = trees.iter().filter(|tree| tree.kind == kind).collect();
        (!of_kind.is_empty()).then_some((kind, of_kind))
    })
}

fn least<'a>(trees: impl Iterator<Item = &'a Measured>, of: impl Fn(&Measured) -> Option<f64>) -> Option<&'a Measured> {
    let figures = trees.filter_map(|tree| of(tree).map(|figure| (tree, figure)));
    figures.min_by(|(_, a), (_, b)| a.total_cmp(b)).map(|(tree, _)| tree)
}

fn named(kind: VolumeKind) -> &'static str {
    match kind {
        VolumeKind::Aabb => "AABB",
        VolumeKind::Obb => "OBB",
        VolumeKind::Sphere => "sphere",
        VolumeKind::KDop => "k-DOP",
    }
}

fn plural(kind: VolumeKind) -> &'static str {
    match kind {
        VolumeKind::Aabb => "AABBs",
        VolumeKind::Obb => "OBBs",
        VolumeKind::Sphere => "spheres",
        VolumeKind::KDop => "k-DOPs",
    }
}

fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

/// The number as text: rounded to an integer from 10 on, to one decimal from 1 on, and to two decimals below 1.
fn digits(number: f64) -> String {
    match number {
        x if x >= 10.0 => format!("{x:.0}"),
        x if x >= 1.0 => format!("{x:.1}"),
        x => format!("{x:.2}"),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use bvtree::metrics::PoseSet;
    use bvtree::{BuildOptions, BvTree, Mesh, Preset};

    use super::*;
    use crate::commands::compare::measure::Subject;

    /// A tree of each kind with given microseconds per query, bytes per triangle and milliseconds of build time.
    fn trees(figures: [[f64; 3]; 3]) -> Vec<Measured> {
        let mesh = Mesh::load_obj(concat!(env!("CARGO_MANIFEST_DIR"), "/../data/nonmanifold.obj")).unwrap();
        let mut subject = Subject::new(mesh, None, PoseSet { approaches: 1, ..PoseSet::default() }, 64, Vec::new());
        let measured = VolumeKind::ALL.into_iter().zip(figures).map(|(kind, [micros, bytes, build])| {
            let tree = BvTree::build(&subject.mesh, &BuildOptions { kind, ..BuildOptions::default() }).unwrap();
            let measured = subject.measure(&tree, Some(Preset::Balanced), Duration::from_secs_f64(build / 1e3));
            let mut measured = measured.unwrap_or_else(|error| panic!("{error:?}"));
            measured.cost.micros_per_query = (micros > 0.0).then_some(micros);
            measured.bytes = (bytes * measured.triangles as f64) as u64;
            measured
        });
        measured.collect()
    }

    fn kind(advice: &Advice<'_>) -> Option<VolumeKind> {
        advice.tree.map(|tree| tree.kind)
    }

    #[test]
    fn the_fastest_is_recommended_and_others_where_they_are_better() {
        let trees = trees([[3.0, 60.0, 4.0], [2.0, 100.0, 12.0], [5.5, 40.0, 9.0]]);
        let advice = Advice::of(&trees);
        assert_eq!(kind(&advice), Some(VolumeKind::Obb));
        let because =
            "its queries are the fastest, 2.0 µs on average; AABBs take 1.5 times as long, spheres 2.8 times at best.";
        assert!(advice.because.starts_with(because), "{}", advice.because);
        let otherwise = [
            "Where memory is short: sphere, balanced needs 40 bytes a triangle instead of 100, and takes 2.8 times as \
                long.",
            "Where trees are built often: AABB, balanced is ready in 4.0 ms instead of 12.",
        ];
        assert_eq!(advice.otherwise, otherwise);
    }

    #[test]
    fn of_those_as_fast_the_smallest_is_recommended() {
        let trees = trees([[2.1, 60.0, 9.0], [2.0, 100.0, 12.0], [9.0, 20.0, 9.0]]);
        let advice = Advice::of(&trees);
        assert_eq!(kind(&advice), Some(VolumeKind::Aabb));
        assert!(advice.because.starts_with("its queries are as fast as any, 2.1 µs"), "{}", advice.because);
        // Spheres are smaller, but too slow to be a bargain.
        assert_eq!(advice.otherwise, Vec::<String>::new());
    }

    #[test]
    fn without_times_the_tightest_is_recommended() {
        let trees = trees([[0.0, 60.0, 9.0], [0.0, 100.0, 12.0], [0.0, 20.0, 9.0]]);
        let advice = Advice::of(&trees);
        let content = |tree: &Measured| tree.total().tightness.volume_ratio;
        assert_eq!(kind(&advice), least(trees.iter(), content).map(|tree| tree.kind));
        assert!(advice.because.contains("no queries were measured"));
        let nothing = Advice::of(&[]);
        assert!(nothing.tree.is_none() && nothing.because.starts_with("nothing was measured"));
    }
}
