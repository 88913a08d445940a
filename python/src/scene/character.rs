//! A kinematic character controller: an upright capsule that walks among the bodies of a scene.

use std::sync::Arc;

use bvtree::Motion;
use bvtree::character::{CharacterError, CharacterOptions, Ground, Intent, Push, Surroundings};
use bvtree::pose::unit_vector;
use bvtree::scene::BodyId;
use nalgebra::Vector3;
use numpy::{Element, IntoPyArray, PyArrayDescr};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyTuple};

use super::{Object, PyScene, State};
use crate::answer::{Answer, Record, dtype, record};
use crate::arrays::{numbers, row};
use crate::errors::{of_scene, value_error};
use crate::loan::Lender;
use crate::poses::one_pose;
use crate::records::{NONE, face};

/// A kinematic character controller: an upright capsule that walks among the bodies of a scene. It slides along walls,
/// climbs steps and slopes, falls, jumps, and rides on moving bodies, which push it out of their way.
///
/// Args:
///     feet: The lowest point of the capsule in the world, (3,). The character starts at rest in the air.
///     options: Sizes and limits in the unit of the meshes and in seconds, by name: `radius` (0.3), `height` (1.8),
///         `up` ((0, 0, 1)), `skin` (0.01), `max_step` (0.3), `max_slope` (1.0, as rise over run), `snap_distance`
///         (0.35), `perch_radius_threshold` (0.0), `gravity` (9.81), `air_acceleration` (10.0), `camera_half_life`
///         (0.05) and `max_substep` (1/60). The defaults suit a person in metres.
///
/// Raises:
///     ValueError: If the position or an option is not finite or out of range.
///     TypeError: If there is no such option.
///
/// Examples:
///     >>> import bvtree
///     >>> floor = bvtree.Tree(([[-9, -9, 0], [9, -9, 0], [0, 9, 0]], [[0, 1, 2]]))
///     >>> scene = bvtree.Scene()
///     >>> body = scene.add(floor, static=True)
///     >>> character = bvtree.Character([0, 0, 0.5])
///     >>> for _ in range(120):
///     ...     step = character.step(scene, 1 / 60, [1.5, 0, 0])
///     >>> bool(step.is_on_ground), int(character.ground().body)
///     (True, 0)
///     >>> character.feet.round(2)
///     array([2.9 , 0.  , 0.01])
#[pyclass(frozen, module = "bvtree", name = "Character")]
pub struct PyCharacter {
    walker: Arc<Lender<Walker>>,
}

/// A character, and the numbers of the bodies that its last step involved.
struct Walker {
    character: bvtree::Character,
    numbers: Vec<(BodyId, i64)>,
}

record! {
    /// The outcome of a step.
    StepRow {
        is_blocked: i64 = "i8",
        is_crushed: i64 = "i8",
        is_on_ground: i64 = "i8",
        overlap_body: i64 = "i8",
        overlap_depth: f64 = "f8",
    }
}

impl Default for StepRow {
    fn default() -> Self {
        Self { is_blocked: 0, is_crushed: 0, is_on_ground: 0, overlap_body: NONE, overlap_depth: 0.0 }
    }
}

impl Record for StepRow {}

record! {
    /// The ground under a character.
    GroundRow {
        body: i64 = "i8",
        face: i64 = "i8",
        normal: [f64; 3] = "3f8",
        point: [f64; 3] = "3f8",
    }
}

impl Default for GroundRow {
    fn default() -> Self {
        Self { body: NONE, face: NONE, normal: [f64::NAN; 3], point: [f64::NAN; 3] }
    }
}

impl Record for GroundRow {}

record! {
    /// A body that was in a character's way.
    PushRow {
        body: i64 = "i8",
        point: [f64; 3] = "3f8",
        normal: [f64; 3] = "3f8",
        speed: f64 = "f8",
    }
}

impl Default for PushRow {
    fn default() -> Self {
        Self { body: NONE, point: [f64::NAN; 3], normal: [f64::NAN; 3], speed: 0.0 }
    }
}

impl Record for PushRow {}

#[pymethods]
impl PyCharacter {
    #[new]
    #[pyo3(signature = (feet, **options))]
    fn new(feet: &Bound<'_, PyAny>, options: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let options = changed(&CharacterOptions::default(), options)?;
        let character = bvtree::Character::new(&options, row(feet, "feet")?.into()).map_err(of_character)?;
        Ok(Self { walker: Lender::new(Walker { character, numbers: Vec::new() }) })
    }

    /// Advances by a time: the bodies that move do so first, then the character walks or flies among their final poses.
    /// Only bodies near the character cost time. After an error, the character has not moved.
    ///
    /// Args:
    ///     scene: The bodies: trees, and convex shapes, which are solid.
    ///     time: Seconds; if it is not positive, the step only forgets the pushes of the step before.
    ///     walk: The desired velocity, (3,), relative to the body that the character stands on; only its horizontal
    ///         part is used. None means no walk. In the air the velocity steers the fall.
    ///     jump: The upward speed of a jump if the character stands; 0 for none.
    ///     motions: The bodies that move during the step, such as lifts and doors: tuples of a body, its pose at the
    ///         start (optional: its pose in the scene) and its pose at the end. The scene does not change.
    ///     surface_velocities: Conveyor belts: tuples of a body and the velocity of its surface in the world.
    ///     one_sided: Numbers of the bodies whose triangles the character passes from behind, such as platforms. The
    ///         front of a triangle is the side from which its corners run counterclockwise.
    ///     mask: Collision groups as bits: bodies in none of these groups are ignored.
    ///
    /// Returns:
    ///     A record with the fields `is_blocked` (whether something other than ground was in the way), `is_crushed`
    ///     (whether moving bodies left no space), `is_on_ground`, `overlap_body` (the body that the capsule overlaps
    ///     most deeply, -1 if it is free) and `overlap_depth` (0 if it is free).
    ///
    /// Raises:
    ///     KeyError: If the scene does not contain a body.
    ///     InvalidPose: If a pose is not a rotation and a translation.
    ///     Error: If a body has two motions, or one that begins or ends farther than 1e30 from the world's origin.
    ///     ValueError: If an array has another shape, or a number of it is not finite.
    #[pyo3(signature = (scene, time, walk = None, *, jump = 0.0, motions = None, surface_velocities = None,
        one_sided = None, mask = 0xFFFF_FFFF), text_signature = "($self, scene, time, walk=None, *, jump=0.0, \
        motions=None, surface_velocities=None, one_sided=None, mask=4294967295)")]
    #[allow(clippy::too_many_arguments)]
    fn step(
        &self,
        py: Python<'_>,
        scene: &PyScene,
        time: f64,
        walk: Option<&Bound<'_, PyAny>>,
        jump: f64,
        motions: Option<&Bound<'_, PyAny>>,
        surface_velocities: Option<&Bound<'_, PyAny>>,
        one_sided: Option<&Bound<'_, PyAny>>,
        mask: u32,
    ) -> Object {
        let walk = walk.map_or(Ok([0.0; 3]), |walk| row(walk, "walk"))?;
        let intent = Intent { walk: walk.into(), jump };
        let given = Given::new(motions, surface_velocities, one_sided, mask)?;
        let outcome = self.among(py, scene, &given, |walker, state, surroundings| {
            let outcome = walker.character.step(surroundings, &intent, time)?;
            let ground = walker.character.ground().map(|ground| ground.body);
            let bodies = ground.into_iter().chain(walker.character.pushes().iter().map(|push| push.body));
            walker.numbers = bodies.map(|id| (id, state.number(id))).collect();
            Ok(StepRow {
                is_blocked: outcome.is_blocked.into(),
                is_crushed: outcome.is_crushed.into(),
                is_on_ground: ground.is_some().into(),
                overlap_body: outcome.overlap.map_or(NONE, |overlap| state.number(overlap.body)),
                overlap_depth: outcome.overlap.map_or(0.0, |overlap| overlap.depth),
            })
        })?;
        outcome.one(py)
    }

    /// Returns the ground under the character after the last step; None in the air.
    ///
    /// Returns:
    ///     A record with the fields `body` (its number), `face` (-1 for a convex shape; `Tree.groups` tells to which
    ///     group of the mesh a face belongs), `normal` and `point` ((3,), in the world).
    fn ground(&self, py: Python<'_>) -> Object {
        let found = self.now(py, |walker| {
            walker.character.ground().map(|ground| {
                let &Ground { normal, point, body, face } = ground;
                let (body, face) = (walker.number(body), self::face(face));
                GroundRow { body, face, normal: normal.into(), point: point.into() }
            })
        })?;
        found.map_or_else(|| Ok(py.None()), |ground| ground.one(py))
    }

    /// Returns the bodies that were in the way in the last step, static ones included: what a game may push. The
    /// floor on which the character walks is not among them; the one on which it lands is.
    ///
    /// Returns:
    ///     A structured array with the fields `body` (its number), `point`, `normal` (unit, from the body to the
    ///     character, both in the world) and `speed` (at which the character would have moved on, against the normal).
    ///     The impulse that the body receives when it stops a character of a mass is `-mass * speed * normal`.
    fn pushes(&self, py: Python<'_>) -> Object {
        let rows = self.now(py, |walker| {
            let row = |&Push { body, point, normal, speed }: &Push| PushRow {
                body: walker.number(body),
                point: point.into(),
                normal: normal.into(),
                speed,
            };
            walker.character.pushes().iter().map(row).collect()
        })?;
        Ok(PushRow::many(py, rows))
    }

    /// Moves the character to another position, at rest in the air. The next step first pushes it out of overlaps.
    ///
    /// Args:
    ///     feet: The lowest point of the capsule in the world, (3,).
    ///
    /// Raises:
    ///     ValueError: If the position is not finite.
    fn teleport(&self, py: Python<'_>, feet: &Bound<'_, PyAny>) -> PyResult<()> {
        let feet = row(feet, "feet")?;
        self.now(py, |walker| walker.character.teleport(feet.into()))?.map_err(of_character)
    }

    /// Changes the velocity, in the world: a knockback, a launch pad, a dash. The character leaves the ground.
    ///
    /// Args:
    ///     velocity: (3,), in length units per second.
    ///
    /// Raises:
    ///     ValueError: If the velocity is not finite; nothing has changed then.
    fn set_velocity(&self, py: Python<'_>, velocity: &Bound<'_, PyAny>) -> PyResult<()> {
        let velocity = row(velocity, "velocity")?;
        self.now(py, |walker| walker.character.set_velocity(velocity.into()))?.map_err(of_character)
    }

    /// Changes some sizes and limits, such as the height in order to crouch; the others stay. The feet stay where they
    /// are unless `up` changes; then the lower end of the capsule's axis stays. The next step first pushes the
    /// character out of what it overlaps now.
    ///
    /// Args:
    ///     options: By name; see `Character`.
    ///
    /// Raises:
    ///     ValueError, TypeError: See `Character`; nothing has changed then.
    #[pyo3(signature = (**options))]
    fn set_options(&self, py: Python<'_>, options: Option<&Bound<'_, PyDict>>) -> PyResult<()> {
        let options = changed(&self.now(py, |walker| *walker.character.options())?, options)?;
        self.now(py, |walker| walker.character.set_options(&options))?.map_err(of_character)
    }

    /// Returns whether the character would be free of all bodies, at the ends of their motions, after `set_options`:
    /// whether there is room to stand up.
    ///
    /// Args:
    ///     scene, motions, mask: See `step`.
    ///     options: By name; see `Character`.
    ///
    /// Raises:
    ///     KeyError, InvalidPose, Error, ValueError, TypeError: See `step` and `Character`.
    #[pyo3(signature = (scene, *, motions = None, mask = 0xFFFF_FFFF, **options),
        text_signature = "($self, scene, *, motions=None, mask=4294967295, **options)")]
    fn has_room(
        &self,
        py: Python<'_>,
        scene: &PyScene,
        motions: Option<&Bound<'_, PyAny>>,
        mask: u32,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<bool> {
        let options = changed(&self.now(py, |walker| *walker.character.options())?, options)?;
        let given = Given::new(motions, None, None, mask)?;
        self.among(py, scene, &given, |walker, _, surroundings| walker.character.has_room(surroundings, &options))
    }

    /// The sizes and limits as a dict for `Character`: `Character(feet, **character.options)`.
    #[getter]
    fn options<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let mut options = self.now(py, |walker| *walker.character.options())?;
        let dict = PyDict::new(py);
        dict.set_item("up", <[f64; 3]>::from(options.up.into_inner()))?;
        for (name, number) in NUMBERS {
            dict.set_item(name, *number(&mut options))?;
        }
        Ok(dict)
    }

    /// The lowest point of the capsule in the world, a (3,) float64 array.
    #[getter]
    fn feet(&self, py: Python<'_>) -> Object {
        let feet = self.now(py, |walker| walker.character.feet())?;
        Ok(feet.coords.as_slice().to_vec().into_pyarray(py).into_any().unbind())
    }

    /// The height to add to the feet, along the up direction, for a camera or a model that glides over stairs. Steps up
    /// and down leave an offset that halves every `camera_half_life`; its absolute value is at most `max_step`.
    #[getter]
    fn camera_offset(&self, py: Python<'_>) -> PyResult<f64> {
        self.now(py, |walker| walker.character.camera_offset())
    }

    /// The velocity, a (3,) float64 array: in the air the velocity of the flight, on the ground the desired velocity
    /// relative to the ground.
    #[getter]
    fn velocity(&self, py: Python<'_>) -> Object {
        let velocity = self.now(py, |walker| walker.character.velocity())?;
        Ok(velocity.as_slice().to_vec().into_pyarray(py).into_any().unbind())
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let [x, y, z] = self.now(py, |walker| walker.character.feet())?.into();
        Ok(format!("<bvtree.Character at ({x}, {y}, {z})>"))
    }

    fn __reduce__(&self) -> PyResult<Bound<'_, PyTuple>> {
        Err(PyTypeError::new_err("a character can't be pickled: pickle its options, feet and velocity"))
    }
}

impl PyCharacter {
    /// Calls `read` with the character, for what needs no scene.
    fn now<R>(&self, py: Python<'_>, read: impl FnOnce(&mut Walker) -> R) -> PyResult<R> {
        let mut walker = self.walker.lend_here(py)?;
        Ok(read(&mut walker))
    }

    /// Calls `work` with the character and the bodies of a scene, while Python's other threads run. Every call borrows
    /// the scene before the character, so two calls cannot deadlock.
    fn among<R: Send>(
        &self,
        py: Python<'_>,
        scene: &PyScene,
        given: &Given,
        work: impl FnOnce(&mut Walker, &State, &Surroundings<'_>) -> Result<R, CharacterError> + Send,
    ) -> PyResult<R> {
        let state = scene.state.lend_here(py)?;
        let motion = |&(body, start, end): &(u64, Option<bvtree::Pose>, bvtree::Pose)| {
            let id = state.id(body)?;
            let here = || state.scene.body(id).map_or(end, |body| body.pose);
            Ok((id, Motion::new(start.unwrap_or_else(here), end)))
        };
        let motions: Vec<_> = given.motions.iter().map(motion).collect::<PyResult<_>>()?;
        let velocity = |&(body, velocity): &(u64, Vector3<f64>)| Ok((state.id(body)?, velocity));
        let surface_velocities: Vec<_> = given.surface_velocities.iter().map(velocity).collect::<PyResult<_>>()?;
        let one_sided: Vec<_> = given.one_sided.iter().map(|&body| state.id(body)).collect::<PyResult<_>>()?;
        let mut walker = self.walker.lend_here(py)?;
        let (walker, state): (&mut Walker, &State) = (&mut walker, &state);
        let mask = given.mask;
        let surroundings = Surroundings {
            mask,
            motions: &motions,
            surface_velocities: &surface_velocities,
            one_sided: &one_sided,
            ..Surroundings::new(&state.scene)
        };
        py.detach(|| work(walker, state, &surroundings)).map_err(of_character)
    }
}

impl Walker {
    fn number(&self, id: BodyId) -> i64 {
        self.numbers.iter().find(|(known, _)| *known == id).map_or(NONE, |&(_, number)| number)
    }
}

/// The motions, surface velocities and one-sided bodies that a caller gives, by the bodies' numbers, and the mask.
struct Given {
    motions: Vec<(u64, Option<bvtree::Pose>, bvtree::Pose)>,
    surface_velocities: Vec<(u64, Vector3<f64>)>,
    one_sided: Vec<u64>,
    mask: u32,
}

impl Given {
    fn new(
        motions: Option<&Bound<'_, PyAny>>,
        surface_velocities: Option<&Bound<'_, PyAny>>,
        one_sided: Option<&Bound<'_, PyAny>>,
        mask: u32,
    ) -> PyResult<Self> {
        let motion = |given: &Bound<'_, PyTuple>| match given.len() {
            2 => Ok((given.get_item(0)?.extract()?, None, one_pose(Some(&given.get_item(1)?), "motions")?)),
            3 => {
                let start = one_pose(Some(&given.get_item(1)?), "motions")?;
                Ok((given.get_item(0)?.extract()?, Some(start), one_pose(Some(&given.get_item(2)?), "motions")?))
            }
            _ => Err(value_error("motions: expected tuples of a body and one or two poses")),
        };
        let velocity = |given: &Bound<'_, PyTuple>| match given.len() {
            2 => {
                let velocity = row(&given.get_item(1)?, "surface_velocities")?;
                Ok((given.get_item(0)?.extract()?, velocity.into()))
            }
            _ => Err(value_error("surface_velocities: expected tuples of a body and a velocity")),
        };
        Ok(Self {
            motions: tuples(motions, motion)?,
            surface_velocities: tuples(surface_velocities, velocity)?,
            one_sided: one_sided.map_or(Ok(Vec::new()), |bodies| numbers(bodies, "one_sided"))?,
            mask,
        })
    }
}

/// Reads each tuple of an iterable.
fn tuples<T>(given: Option<&Bound<'_, PyAny>>, read: impl Fn(&Bound<'_, PyTuple>) -> PyResult<T>) -> PyResult<Vec<T>> {
    let mut all = Vec::new();
    if let Some(given) = given {
        for item in given.try_iter()? {
            all.push(read(item?.cast::<PyTuple>()?)?);
        }
    }
    Ok(all)
}

/// Access to an option that is a number.
type Number = fn(&mut CharacterOptions) -> &mut f64;

/// The options that are numbers, by name.
const NUMBERS: [(&str, Number); 11] = [
    ("radius", |options| &mut options.radius),
    ("height", |options| &mut options.height),
    ("skin", |options| &mut options.skin),
    ("max_step", |options| &mut options.max_step),
    ("max_slope", |options| &mut options.max_slope),
    ("snap_distance", |options| &mut options.snap_distance),
    ("perch_radius_threshold", |options| &mut options.perch_radius_threshold),
    ("gravity", |options| &mut options.gravity),
    ("air_acceleration", |options| &mut options.air_acceleration),
    ("camera_half_life", |options| &mut options.camera_half_life),
    ("max_substep", |options| &mut options.max_substep),
];

/// Returns options changed by name.
fn changed(options: &CharacterOptions, given: Option<&Bound<'_, PyDict>>) -> PyResult<CharacterOptions> {
    let mut options = *options;
    for (name, value) in given.into_iter().flatten() {
        let name: String = name.extract()?;
        if name == "up" {
            let up = unit_vector(&row(&value, "up")?.into());
            options.up = up.ok_or_else(|| value_error("up is zero or not finite"))?;
        } else if let Some((_, number)) = NUMBERS.iter().find(|(known, _)| *known == name) {
            *number(&mut options) = value.extract()?;
        } else {
            return Err(PyTypeError::new_err(format!("Character got an unexpected keyword argument '{name}'")));
        }
    }
    Ok(options)
}

fn of_character(error: CharacterError) -> PyErr {
    match error {
        CharacterError::Scene(error) => of_scene(error),
        _ => value_error(error),
    }
}
