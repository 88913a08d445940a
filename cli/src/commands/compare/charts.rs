//! The figures shown in the table and the charts, and how each is read from a measurement.

use bvtree::metrics::LevelMetrics;
use serde_json::{Value, json};

use crate::commands::compare::measure::{Cost, Measured};
use crate::output::object;

/// A figure of a tree.
pub struct Figure {
    pub key: &'static str,
    pub title: &'static str,
    pub meaning: &'static str,
    /// Whether less is better; otherwise the figure only describes the tree.
    pub less_is_better: bool,
    pub of: fn(&Measured) -> Option<f64>,
}

const fn figure(
    key: &'static str,
    title: &'static str,
    meaning: &'static str,
    of: fn(&Measured) -> Option<f64>,
) -> Figure {
    Figure { key, title, meaning, less_is_better: true, of }
}

const fn description(
    key: &'static str,
    title: &'static str,
    meaning: &'static str,
    of: fn(&Measured) -> Option<f64>,
) -> Figure {
    Figure { key, title, meaning, less_is_better: false, of }
}

pub const FIGURES: [Figure; 21] = [
    figure("micros_per_query", "µs per query", "Mean time of a query on this machine, in microseconds.", |tree| {
        tree.cost.micros_per_query
    }),
    figure("volume_tests", "Volume tests", "Pairs of volumes tested per query.", |tree| {
        tree.cost.work.volume_tests_per_query()
    }),
    figure("triangle_tests", "Triangle tests", "Pairs of triangles tested per query.", |tree| {
        tree.cost.work.triangle_tests_per_query()
    }),
    figure("bytes_per_triangle", "Bytes per triangle", "Of the cooked file.", |tree| Some(tree.bytes_per_triangle())),
    figure(
        "build_milliseconds",
        "Build, ms",
        "From the mesh in memory to the tree ready to be queried, in milliseconds.",
        |tree| Some(1e3 * tree.build_time.as_secs_f64()),
    ),
    figure(
        "volume_ratio",
        "Volume / hull",
        "Sum of the contents of all volumes of the tree over the content of the mesh's convex hull. A flat mesh has \
            none.",
        |tree| tree.total().tightness.volume_ratio,
    ),
    figure("area_ratio", "Area / mesh", "Sum of the surface areas of all volumes over the mesh's area.", |tree| {
        tree.total().tightness.area_ratio
    }),
    figure(
        "outside_ratio",
        "Outside volume",
        "What of the volumes' union is outside the mesh, over what the mesh encloses; estimated. Of closed meshes.",
        |tree| tree.total().outside.map(|outside| outside.value),
    ),
    figure(
        "hausdorff_mean",
        "Error, mean",
        "How far a point of a volume can be from the volume's triangles (one-sided Hausdorff distance, Gottschalk \
            2000), over the volume's diameter: mean over all volumes. A proven upper bound, within 1% or 0.001.",
        |tree| tree.total().hausdorff.mean.map(|error| error.upper),
    ),
    figure("hausdorff_max", "Error, max", "The same: the largest of all volumes.", |tree| {
        tree.total().hausdorff.max.map(|error| error.upper)
    }),
    figure("sibling_overlap", "Sibling overlap", "What siblings share, over their parents' contents.", |tree| {
        tree.total().tightness.sibling_overlap
    }),
    description(
        "sah_cost",
        "SAH cost",
        "Surface area heuristic, a ray metric: the sum of the nodes' areas times their costs, over the root's area \
            (Goldsmith and Salmon 1987; MacDonald and Booth 1990).",
        |tree| tree.total().tightness.sah_cost,
    ),
    description(
        "line_tests",
        "Tests of a line",
        "Expected volume and triangle tests of a random line that meets the root; estimated. The SAH cost where \
            volumes are nested, less where they stick out of the volumes above.",
        |tree| tree.total().rays.line_tests.map(|tests| tests.value),
    ),
    figure("epo", "EPO", "End-point overlap, a ray metric (Aila, Karras and Laine 2013).", |tree| {
        tree.total().rays.epo.map(|epo| epo.value)
    }),
    description(
        "lcv",
        "LCV",
        "Leaf count variability: how much the number of leaves that a ray meets varies. A ray metric (Aila, Karras and \
         Laine 2013).",
        |tree| tree.total().rays.lcv.map(|lcv| lcv.value),
    ),
    description(
        "error_slope",
        "Error slope",
        "How fast volumes become more as the error allowed shrinks: their number grows as error to the power of minus \
            this. None where the leaves reach too far, or few volumes fit within every error.",
        |tree| tree.metrics.hausdorff.slope.ok().map(|slope| slope.value),
    ),
    description(
        "volume_test_nanos",
        "ns per volume test",
        "Cv of T = Nv Cv + Np Cp (Gottschalk, Lin and Manocha 1996), fitted to the poses' times. Empty where they \
         don't determine it.",
        |tree| tree.cost_terms.map(|terms| 1e9 * terms.volume_test),
    ),
    description("triangle_test_nanos", "ns per triangle test", "Cp of the same.", |tree| {
        tree.cost_terms.map(|terms| 1e9 * terms.triangle_test)
    }),
    description("nodes", "Volumes", "How many the tree stores.", |tree| Some(tree.nodes as f64)),
    description("depth", "Depth", "Levels below the root.", |tree| Some(f64::from(tree.depth))),
    description("leaf_triangles", "Triangles per leaf", "Mean.", |tree| tree.metrics.tightness.leaf_triangles),
];

/// A chart of one or several figures.
pub struct Chart {
    pub id: &'static str,
    title: &'static str,
    note: &'static str,
    /// Whether the chart has points only, and no lines between them.
    scatter: bool,
    x: Axis,
    choices: &'static [Choice],
}

/// One of the figures that a chart can show.
struct Choice {
    key: &'static str,
    y: Axis,
    of: Points,
}

/// How the points of a choice are computed.
enum Points {
    /// A figure by level.
    Levels(fn(&LevelMetrics) -> Option<f64>),
    /// A figure by separation.
    Separations(fn(&Cost) -> Option<f64>),
    /// The curve of errors: numbers of volumes, and the error that each of them achieves.
    Errors,
    /// One point: two figures of the tree.
    Pair(fn(&Measured) -> [Option<f64>; 2]),
}

#[derive(Clone, Copy)]
struct Axis {
    title: &'static str,
    scale: Scale,
}

#[derive(Clone, Copy, PartialEq)]
enum Scale {
    Linear,
    Logarithmic,
    Separations,
}

const fn linear(title: &'static str) -> Axis {
    Axis { title, scale: Scale::Linear }
}

const fn logarithmic(title: &'static str) -> Axis {
    Axis { title, scale: Scale::Logarithmic }
}

const fn level(key: &'static str, y: Axis, of: fn(&LevelMetrics) -> Option<f64>) -> Choice {
    Choice { key, y, of: Points::Levels(of) }
}

pub const CHARTS: [Chart; 4] = [
    Chart {
        id: "levels",
        title: "Tightness by level",
        note: "The tree cut at each level, the root's being 0; lower is tighter.",
        scatter: false,
        x: linear("level"),
        choices: &[
            level("volume_ratio", logarithmic("volume / hull"), |level| level.tightness.volume_ratio),
            level("mesh_volume_ratio", logarithmic("volume / mesh volume"), |level| level.tightness.mesh_volume_ratio),
            level("area_ratio", logarithmic("area / mesh area"), |level| level.tightness.area_ratio),
            level("outside", logarithmic("outside volume"), |level| level.outside.map(|outside| outside.value)),
            level("hausdorff_mean", linear("error, mean"), |level| level.hausdorff.mean.map(|error| error.upper)),
            level("hausdorff_max", linear("error, max"), |level| level.hausdorff.max.map(|error| error.upper)),
            level("sibling_overlap", linear("sibling overlap"), |level| level.tightness.sibling_overlap),
            level("sah_cost", logarithmic("SAH cost"), |level| level.tightness.sah_cost),
            level("volumes", logarithmic("volumes"), |level| Some(level.tightness.volumes as f64)),
        ],
    },
    Chart {
        id: "errors",
        title: "Error against nodes",
        note: "How many volumes it takes to cover the mesh without reaching farther from it than the error, a part of \
            its diameter: proven for every point of every volume.",
        scatter: false,
        x: logarithmic("volumes needed"),
        choices: &[Choice { key: "errors", y: logarithmic("error / diameter"), of: Points::Errors }],
    },
    Chart {
        id: "separations",
        title: "Tests against separation",
        note: "Means over the poses at each distance from touching, in parts of the mesh's diagonal.",
        scatter: false,
        x: Axis { title: "separation", scale: Scale::Separations },
        choices: &[
            Choice {
                key: "volume_tests",
                y: logarithmic("volume tests"),
                of: Points::Separations(|cost| cost.work.volume_tests_per_query()),
            },
            Choice {
                key: "triangle_tests",
                y: logarithmic("triangle tests"),
                of: Points::Separations(|cost| cost.work.triangle_tests_per_query()),
            },
            Choice {
                key: "micros_per_query",
                y: logarithmic("µs per query"),
                of: Points::Separations(|cost| cost.micros_per_query),
            },
        ],
    },
    Chart {
        id: "trade",
        title: "Time and bytes",
        note: "Each tree is a point: the nearer to the lower left corner, the better.",
        scatter: true,
        x: linear("bytes per triangle"),
        choices: &[
            Choice {
                key: "query",
                y: logarithmic("µs per query"),
                of: Points::Pair(|tree| [Some(tree.bytes_per_triangle()), tree.cost.micros_per_query]),
            },
            Choice {
                key: "build",
                y: logarithmic("build, ms"),
                of: Points::Pair(|tree| [Some(tree.bytes_per_triangle()), Some(1e3 * tree.build_time.as_secs_f64())]),
            },
        ],
    },
];

impl Chart {
    /// The chart as JSON for the page, without its points.
    pub fn json(&self) -> Value {
        let choices = self.choices.iter().map(
            |choice| json!({"key": choice.key, "title": choice.y.title, "x": self.x.json(), "y": choice.y.json()}),
        );
        let choices: Value = choices.collect();
        json!({"id": self.id, "title": self.title, "note": self.note, "scatter": self.scatter, "choices": choices})
    }

    /// A tree's points for each choice, keyed by the choice.
    pub fn points(&self, tree: &Measured) -> Value {
        object(self.choices.iter().map(|choice| (choice.key, choice.points(tree)))).into()
    }
}

impl Choice {
    fn points(&self, tree: &Measured) -> Value {
        match self.of {
            Points::Levels(of) => numbered(tree.metrics.levels().map(|level| of(&level))),
            Points::Separations(of) => numbered(tree.by_separation.iter().map(|at| of(&at.cost))),
            Points::Errors => {
                let curve = tree.metrics.hausdorff.curve.iter();
                curve.filter_map(|point| Some(pair(point.nodes? as f64, point.error))).collect()
            }
            Points::Pair(of) => match of(tree) {
                [Some(x), Some(y)] => json!([pair(x, y)]),
                _ => json!([]),
            },
        }
    }
}

impl Axis {
    /// `places` names the mesh's list of the texts that an axis without numbers has.
    fn json(self) -> Value {
        let places = (self.scale == Scale::Separations).then_some("separations");
        json!({"title": self.title, "log": self.scale == Scale::Logarithmic, "places": places})
    }
}

/// Points whose x is the index of the value.
fn numbered(values: impl Iterator<Item = Option<f64>>) -> Value {
    values.enumerate().filter_map(|(number, value)| Some(pair(number as f64, value?))).collect()
}

fn pair(x: f64, y: f64) -> Value {
    json!([rounded(x), rounded(y)])
}

/// The number rounded to five significant digits to keep the page small; integers are kept.
pub fn rounded(number: f64) -> Value {
    if number.fract() == 0.0 && number.abs() < 1e15 {
        return (number as i64).into();
    }
    format!("{number:.4e}").parse().map_or(Value::Null, |number: f64| number.into())
}
