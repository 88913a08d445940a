//! Clash reports, made by the crate that the program `bvtree clash` also uses.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;

use bvtree::scene::BodyId;
use bvtree::{BuildOptions, BvTree, Mesh, Pose};
use bvtree_clash::rules::{Classes, Limits, Rules, add_json, json_of_toml};
use bvtree_clash::{Assembly, Clash, ClashError, Class, Details, Issues, Part, Properties, for_each_clash_in};
use nalgebra::Point3;
use numpy::IntoPyArray;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString};

use super::relations::names;
use super::{PyScene, State};
use crate::errors::{of_build, of_io, of_mesh, value_error};
use crate::poses::one_pose;

fn of_clash(error: ClashError) -> PyErr {
    value_error(match error.hint {
        Some(hint) => format!("{} ({hint})", error.message),
        None => error.message,
    })
}

/// Returns rules as JSON, from a TOML file, an object, or a list of rules.
#[pyfunction(name = "_rules_as_json")]
pub fn rules_as_json(py: Python<'_>, rules: &Bound<'_, PyAny>) -> PyResult<String> {
    let is_path = rules.is_instance_of::<PyString>() || rules.hasattr("__fspath__")?;
    if is_path {
        let path: PathBuf = rules.extract()?;
        let text = std::fs::read_to_string(&path).map_err(|error| of_io(&error, Some(&path)))?;
        return json_of_toml(&text, &path.display().to_string()).map_err(of_clash);
    }
    let object = if rules.is_instance_of::<PyList>() {
        let object = PyDict::new(py);
        object.set_item("rules", rules)?;
        object.into_any()
    } else {
        rules.clone()
    };
    py.import("json")?.call_method1("dumps", (object,))?.extract()
}

#[pymethods]
impl PyScene {
    /// Reports all clashes of the scene as a table, with the rules, classes, depths and issues of the program
    /// `bvtree clash`. Shapes and compounds are left out.
    ///
    /// Args:
    ///     clearance: Bodies at most this far apart also clash, in the world's unit. None means the clearance that the
    ///         rules give, or else 0.
    ///     tolerance: Bodies that overlap count as touching if their overlap depth is at most this length; where a mesh
    ///         is open, if a move by at most this length separates them.
    ///     allow_touching: Whether bodies may touch without a clash.
    ///     rules: Path of a TOML file of groups and rules, or an object with the same keys, or a list of rules. The
    ///         first rule that matches two bodies applies; if there are rules, bodies that no rule matches are not
    ///         compared.
    ///     properties: Maps numbers of bodies to dicts of texts: `GlobalId`, `name`, `class`, `type`, `storey`, `file`,
    ///         `host` and any others, which rules use to select bodies. `body` is the body's name, by default its
    ///         number.
    ///     penetration: Whether to search for a move that separates bodies.
    ///     undefined: Whether to report pairs where one body is within the bounds of an open mesh, so that it is
    ///         undefined whether it is inside.
    ///
    /// Returns:
    ///     A dict of arrays, a row for each clash: `a`, `b` (numbers), `relation` ("separate", "touching", "crossing",
    ///     "a_in_b", "b_in_a", "undefined" or "coincident"), `pairs` (number of pairs of intersecting triangles),
    ///     `distance`, `class` ("duplicate", "moved", "enveloped", "piercing", "protruding", "touching", "too_near" or
    ///     "undefined"), `depth` (upper bound on the overlap depth; NaN where a mesh is open or nothing overlaps),
    ///     `penetration` (length of a move that separates the bodies; NaN unless requested), `moved` (how far the same
    ///     part was moved between two files, or NaN), `x`, `y`, `z` (the position in the world), `rule` (the name or
    ///     number of the rule, or "") and `issue` (the title of the issue that the clash belongs to; an issue is a
    ///     group of related clashes). `to_pandas` converts it to a DataFrame.
    ///
    /// Raises:
    ///     ValueError: If a length is negative, infinite or NaN, or rules or properties are not of this form.
    ///     OSError: If the file of rules cannot be read.
    ///     KeyError: If `properties` names a body that is not in the scene.
    ///
    /// Examples:
    ///     >>> import bvtree
    ///     >>> corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
    ///     >>> tree = bvtree.Tree((corners, [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]))
    ///     >>> scene = bvtree.Scene()
    ///     >>> wall, pipe = (scene.add(tree, bvtree.pose_from_translation([x, 0, 0])) for x in (0, 0.5))
    ///     >>> table = scene.clash(
    ///     ...     rules=[{"between": ["*", "*"], "different": ["class"], "tolerance": 0.01}],
    ///     ...     properties={wall: {"class": "Wall"}, pipe: {"class": "Pipe"}},
    ///     ... )
    ///     >>> [str(table[key][0]) for key in ("class", "issue")]
    ///     ['protruding', 'hard clash: Pipe x Wall']
    #[pyo3(signature = (*, clearance = None, tolerance = 0.0, allow_touching = false, rules = None, properties = None,
        penetration = false, undefined = false))]
    #[allow(clippy::too_many_arguments)]
    fn clash<'py>(
        &self,
        py: Python<'py>,
        clearance: Option<f64>,
        tolerance: f64,
        allow_touching: bool,
        rules: Option<&Bound<'_, PyAny>>,
        properties: Option<HashMap<u64, Properties>>,
        penetration: bool,
        undefined: bool,
    ) -> PyResult<Bound<'py, PyDict>> {
        for (length, name) in [(clearance.unwrap_or(0.0), "clearance"), (tolerance, "tolerance")] {
            if !(length >= 0.0 && length.is_finite()) {
                return Err(value_error(format_args!("{name}: expected a finite number that is not negative")));
            }
        }
        let rules = rules.map(|rules| rules_as_json(py, rules)).transpose()?;
        let report = self.ask_in_pool(py, move |state, cancelled| {
            let (mut assembly, bodies) = assembly(state, &properties.unwrap_or_default())?;
            if let Some(rules) = rules {
                add_json(&rules, "rules", &mut assembly).map_err(of_clash)?;
            }
            let limits = Limits {
                clearance: clearance.or(assembly.clearance).unwrap_or(0.0),
                tolerance,
                may_touch: allow_touching,
                reports: if undefined { Classes::ALL } else { Classes::DEFINED },
                ..Limits::default()
            };
            let (mut clashes, mut issues) = (Vec::new(), Issues::of(&assembly));
            let part_of = |id: BodyId| bodies.binary_search_by_key(&id, |body| body.0).ok();
            let details = Details { penetration, ..Details::default() };
            for_each_clash_in(&mut state.scene, part_of, &Rules::new(&assembly, limits), details, |mut clash| {
                issues.add(&assembly, &mut clash);
                clashes.push(clash);
                if cancelled.ends_work() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
            PyResult::Ok(Report { assembly, bodies, clashes, issues })
        })??;
        report.table(py)
    }
}

/// The bodies of a scene that have a tree, as an assembly, and their ids in ascending order with their numbers.
fn assembly(state: &State, properties: &HashMap<u64, Properties>) -> PyResult<(Assembly, Vec<(BodyId, i64)>)> {
    for &number in properties.keys() {
        state.id(number)?;
    }
    let (mut assembly, mut bodies) = (Assembly::default(), Vec::new());
    for (id, body) in state.scene.bodies() {
        let Some(tree) = body.geometry.tree() else { continue };
        let mut properties = properties.get(&body.user).cloned().unwrap_or_default();
        let name = properties.remove("body").unwrap_or_else(|| body.user.to_string());
        let part = Part { name, tree: tree.clone(), pose: body.pose, groups: Vec::new(), properties };
        assembly.add(part).map_err(of_clash)?;
        bodies.push((id, body.user as i64));
    }
    Ok((assembly, bodies))
}

struct Report {
    assembly: Assembly,
    bodies: Vec<(BodyId, i64)>,
    clashes: Vec<Clash>,
    issues: Issues,
}

impl Report {
    fn table<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let table = PyDict::new(py);
        let clashes = &self.clashes;
        let integers = |of: &dyn Fn(&Clash) -> i64| clashes.iter().map(of).collect::<Vec<_>>().into_pyarray(py);
        let lengths = |of: &dyn Fn(&Clash) -> f64| clashes.iter().map(of).collect::<Vec<_>>().into_pyarray(py);
        let texts = |of: &dyn Fn(&Clash) -> String| text_array(py, clashes.iter().map(of).collect());
        table.set_item("a", integers(&|clash| self.bodies[clash.parts[0]].1))?;
        table.set_item("b", integers(&|clash| self.bodies[clash.parts[1]].1))?;
        table.set_item("relation", names(py, clashes.iter().map(|clash| clash.relation))?)?;
        table.set_item("pairs", integers(&|clash| clash.pairs as i64))?;
        table.set_item("distance", lengths(&|clash| clash.distance))?;
        table.set_item("class", texts(&|clash| clash.class.name().to_owned())?)?;
        table.set_item("depth", lengths(&|clash| clash.depth.unwrap_or(f64::NAN)))?;
        table.set_item("penetration", lengths(&|clash| clash.penetration.unwrap_or(f64::NAN)))?;
        table.set_item("moved", lengths(&|clash| clash.moved.unwrap_or(f64::NAN)))?;
        for (axis, name) in ["x", "y", "z"].into_iter().enumerate() {
            table.set_item(name, lengths(&|clash| clash.place[axis]))?;
        }
        table.set_item("rule", texts(&|clash| self.assembly.rule_name(clash.rule).unwrap_or_default())?)?;
        table.set_item("issue", texts(&|clash| self.issues.all()[clash.issue].title.clone())?)?;
        Ok(table)
    }
}

/// Converts texts to an array whose items have room for the longest text.
fn text_array(py: Python<'_>, texts: Vec<String>) -> PyResult<Bound<'_, PyAny>> {
    let kind = PyDict::new(py);
    kind.set_item("dtype", "str")?;
    py.import("numpy")?.call_method("array", (texts,), Some(&kind))
}

/// A body of an assembly whose trees are elsewhere: its name and properties, a text that is equal only for bodies with
/// the same tree, the tree's least and greatest coordinates, and its pose.
type RemoteBody<'py> = (String, Properties, String, [f32; 3], [f32; 3], Bound<'py, PyAny>);
/// A clash: the indices of the bodies, the class, the index of the rule, the position, and the depth or NaN.
type RemoteClash = ([usize; 2], String, Option<usize>, [f64; 3], f64);

/// Returns the pairs of bodies, given by names and properties, that two files have under one GlobalId.
#[pyfunction(name = "_same_parts")]
pub fn same_parts(bodies: Vec<(String, Properties)>) -> PyResult<Vec<[usize; 2]>> {
    // The trees are elsewhere, and do not matter here.
    let mesh = Mesh::from_arrays(Vec::new(), Vec::new()).map_err(of_mesh)?;
    let tree = Arc::new(BvTree::build(&mesh, &BuildOptions::default()).map_err(of_build)?);
    let mut assembly = Assembly::default();
    for (name, properties) in bodies {
        let (tree, pose) = (tree.clone(), Pose::identity());
        assembly.add(Part { name, tree, pose, groups: Vec::new(), properties }).map_err(of_clash)?;
    }
    Ok(assembly.same_parts().collect())
}

/// Returns the title of each clash's issue, for an assembly whose trees are elsewhere. Clashes must be in the order of
/// the bodies.
#[pyfunction(name = "_clash_issues")]
pub fn clash_issues(bodies: Vec<RemoteBody<'_>>, clashes: Vec<RemoteClash>) -> PyResult<Vec<String>> {
    let (mut assembly, mut trees) = (Assembly::default(), HashMap::new());
    for (name, properties, tree, lower, upper, pose) in bodies {
        let tree: &Arc<BvTree> = match trees.entry(tree) {
            Entry::Occupied(entry) => entry.into_mut(),
            // All that counts is which bodies share a tree, and how large it is.
            Entry::Vacant(entry) => {
                let corners = [lower, upper, [lower[0], upper[1], lower[2]]].map(Point3::from);
                let mesh = Mesh::from_arrays(corners.to_vec(), vec![[0, 1, 2]]).map_err(of_mesh)?;
                entry.insert(Arc::new(BvTree::build(&mesh, &BuildOptions::default()).map_err(of_build)?))
            }
        };
        let pose = one_pose(Some(&pose), "pose")?;
        assembly.add(Part { name, tree: tree.clone(), pose, groups: Vec::new(), properties }).map_err(of_clash)?;
    }
    let mut issues = Issues::of(&assembly);
    let mut indices = Vec::with_capacity(clashes.len());
    for (parts, class, rule, place, depth) in clashes {
        let class = Class::ALL.into_iter().find(|known| known.name() == class);
        let class = class.ok_or_else(|| value_error("class: expected that of a clash"))?;
        if parts.iter().any(|&part| part >= assembly.parts.len()) {
            return Err(value_error("clashes: expected indices of bodies"));
        }
        let depth = Some(depth).filter(|depth| !depth.is_nan());
        let mut clash = Clash { rule, depth, ..Clash::at(parts, class, place.into()) };
        issues.add(&assembly, &mut clash);
        indices.push(clash.issue);
    }
    Ok(indices.into_iter().map(|issue| issues.all()[issue].title.clone()).collect())
}
