//! Questions about one configuration at a time.

use bvtree::shape::{Obb, Separation, Sphere};
use bvtree::{Pose, SimdLevel};

use crate::body::{Body, Bounds, Part, placed_box, stretch};
use crate::error::{ConfigurationError, RobotError};
use crate::interrupt::Interrupt;
use crate::narrow::Narrow;
use crate::order::PairOrder;
use crate::placement::Placement;
use crate::robot::{Pair, Robot};
use crate::world::World;

/// Answers questions about configurations of a robot in a world; use one per thread.
///
/// Bodies are solids unless the robot was read otherwise: what lies wholly inside a link collides with it. Two bodies
/// *collide* if their distance is at most the margin plus the pair's own ([`Robot::set_margin`]); if this sum is 0, if
/// they touch, which is decided exactly for meshes, boxes and hulls at the poses that forward kinematics gives; if it
/// is negative, never; if it is NaN, always.
///
/// Pairs that often collided at earlier configurations are tested first, which never changes an answer. After warm-up,
/// queries about robots of meshes don't allocate, except where one body may be inside another.
///
/// ```
/// use bvtree_robot::{Checker, Robot, RobotOptions, World};
/// # let urdf = r#"<robot name="arm">
/// #   <link name="base"><collision><geometry><box size="0.2 0.2 0.2"/></geometry></collision></link>
/// #   <link name="upper"/>
/// #   <link name="hand">
/// #     <collision><origin xyz="0 0 0.5"/><geometry><sphere radius="0.1"/></geometry></collision>
/// #   </link>
/// #   <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/><axis xyz="1 0 0"/></joint>
/// #   <joint name="lift" type="prismatic"><parent link="upper"/><child link="hand"/><axis xyz="0 0 1"/></joint>
/// # </robot>"#;
/// let robot = Robot::parse(urdf, None, "".as_ref(), &RobotOptions::default())?;
/// assert_eq!(robot.values(), ["shoulder", "lift"]);
/// let mut checker = Checker::new(&robot, &World::new());
/// assert!(checker.is_free(&[0.5, 0.0], 0.0)?);
/// assert!(!checker.is_free(&[0.5, -0.4], 0.0)?, "the hand is in the base");
/// # Ok::<(), bvtree_robot::RobotError>(())
/// ```
#[derive(Debug)]
pub struct Checker {
    pub(crate) robot: Robot,
    world: World,
    /// The robot's bodies, then those of the world.
    pub(crate) placed: Vec<Placed>,
    /// The spheres around the placed bodies, enlarged by their [slack](Placed::slack); side by side, because all are
    /// read for each configuration.
    pub(crate) spheres: Vec<Sphere>,
    pub(crate) pairs: Vec<Pair>,
    pub(crate) order: PairOrder,
    pub(crate) narrow: Narrow,
    pub(crate) whole: Vec<f64>,
    pub(crate) frames: Vec<Placement>,
    /// The largest coordinate of the origins of each frame and those above it.
    farthest: Vec<f64>,
    /// The largest deviation from a rotation of a part's pose in its body.
    deviation: f64,
    /// A bound on the factor between lengths in the world and those in the frame of a part, in which distances are
    /// measured, squared, since placements that deviate from rotations stretch spheres, too.
    pub(crate) stretch: f64,
    pub(crate) interrupt: Interrupt,
    /// Lower bounds on the distances of pairs, and the pairs' indices, for sorting.
    near: Vec<(f64, u32)>,
}

/// The tolerance of overlap tests of boxes: products of many rotations are less orthonormal than one rotation.
const BOX_ROUNDING: f64 = 1e-12;

/// A bound on the rounding error of a body's placement, relative to the coordinates of the frames above it and of its
/// own points.
const PLACE_ROUNDING: f64 = 1e-12;

/// A body and its present placement.
#[derive(Debug)]
pub(crate) struct Placed {
    body: std::sync::Arc<Body>,
    pub place: Placement,
    /// The deviation of the placement from a rotation, unless this is due to rounding.
    deviation: f64,
    /// A bound on the rounding errors of distances from the body that are due to its placement.
    slack: f64,
    /// The body's index in [`Checker::bodies`].
    pub number: usize,
    /// The box around the placed body, computed when it is first needed.
    obb: Option<Obb>,
}

impl Placed {
    fn new(body: &std::sync::Arc<Body>, number: usize) -> Self {
        Self { body: body.clone(), place: Placement::IDENTITY, deviation: 0.0, slack: 0.0, number, obb: None }
    }

    /// Moves the body and its sphere to a placement, which was computed from frames whose origins have coordinates of
    /// at most `farthest`.
    fn put(&mut self, place: Placement, deviation: f64, farthest: f64, sphere: &mut Sphere) {
        let Sphere { center, radius } = &self.body.bounds.sphere;
        sphere.center = place.point(center);
        let coordinates = farthest.max(place.translation.amax()) + sphere.center.coords.amax() + radius;
        self.slack = PLACE_ROUNDING * coordinates;
        sphere.radius = radius + self.slack;
        (self.place, self.deviation) = (place, deviation);
        self.obb = None;
    }

    fn obb(&mut self) -> Obb {
        let Self { place, body, deviation, .. } = self;
        *self.obb.get_or_insert_with(|| placed_box(&body.bounds.obb, place, *deviation))
    }

    /// A part's pose in the world.
    fn pose_of(&self, part: &Part) -> Pose {
        // The product of two poses may deviate by more than is accepted of one. What remains is numbers that aren't
        // finite: those of joints whose origins overflow.
        let composed = self.place.then(&part.pose.into()).pose();
        composed.or_else(|_| self.place.pose().map(|place| place * part.pose)).unwrap_or_default()
    }
}

/// The least distance of a configuration, and the two bodies that have it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Closest {
    /// The distance, 0 if the bodies meet, less the pair's own margin; at least 0.
    pub distance: f64,
    /// The bodies, as indices in [`Checker::bodies`].
    pub bodies: [usize; 2],
}

impl Checker {
    /// A checker of a robot in a world.
    pub fn new(robot: &Robot, world: &World) -> Self {
        Self::with_simd(robot, world, SimdLevel::detect())
    }

    /// A checker that uses the given SIMD level; see [`Query::with_simd`](bvtree::Query::with_simd). Answers are the
    /// same for all levels.
    pub fn with_simd(robot: &Robot, world: &World, level: SimdLevel) -> Self {
        let own = robot.bodies.iter().map(|body| Placed::new(&body.body, body.number));
        let others = world.objects.iter().zip(robot.bodies().count()..);
        let mut placed: Vec<_> = own.chain(others.map(|(object, number)| Placed::new(&object.body, number))).collect();
        let mut spheres: Vec<_> = placed.iter().map(|placed| placed.body.bounds.sphere).collect();
        for (placed, sphere) in placed.iter_mut().zip(&mut spheres) {
            placed.put(Placement::IDENTITY, 0.0, 0.0, sphere);
        }
        let parts = placed.iter().flat_map(|placed| &placed.body.parts);
        let deviation = parts.map(|part| part.pose.deviation()).fold(0.0, f64::max);
        let mut pairs = robot.pairs.clone();
        let defaults = robot.srdf.defaults();
        for (index, object) in world.objects.iter().enumerate() {
            for (body, known) in robot.bodies.iter().enumerate() {
                let names = [known.body.name.as_str(), object.body.name.as_str()];
                let is_allowed = object.allowed.contains(&known.body.name) || defaults.disable_first(names);
                if robot.moves(body) && !is_allowed {
                    let bodies = [body as u32, (robot.bodies.len() + index) as u32];
                    pairs.push(Pair { bodies, margin: object.margin });
                }
            }
        }
        Self {
            order: PairOrder::new(pairs.len()),
            frames: vec![Placement::IDENTITY; robot.kinematics.frame_count()],
            robot: robot.clone(),
            world: world.clone(),
            spheres,
            placed,
            pairs,
            narrow: Narrow::with_simd(level),
            whole: robot.rest(),
            farthest: vec![0.0; robot.kinematics.frame_count()],
            deviation,
            stretch: stretch(deviation).powi(2),
            interrupt: Interrupt::default(),
            near: Vec::new(),
        }
    }

    /// The robot.
    pub fn robot(&self) -> &Robot {
        &self.robot
    }

    /// The world.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// The names of all bodies: [`Robot::bodies`], then the world's objects.
    pub fn bodies(&self) -> impl Iterator<Item = &str> {
        self.robot.bodies().chain(self.world.names())
    }

    /// The pairs of bodies that are compared, as indices in [`Checker::bodies`]: those of [`Robot::pairs`], then each
    /// object with each of the robot's bodies that is not allowed to touch it, by the world or by
    /// [`Srdf::disabled_by_default`](crate::Srdf::disabled_by_default). Of a robot with a group, only the bodies that
    /// the group moves are compared with objects.
    pub fn pairs(&self) -> impl ExactSizeIterator<Item = [usize; 2]> + '_ {
        self.pairs.iter().map(|pair| self.numbers(pair))
    }

    pub(crate) fn numbers(&self, pair: &Pair) -> [usize; 2] {
        pair.bodies.map(|body| self.placed[body as usize].number)
    }

    /// Sets a check that can interrupt queries, motions and certificates; see
    /// [`Query::interrupt_when`](bvtree::Query::interrupt_when). The answer of an interrupted query is meaningless.
    pub fn interrupt_when(&mut self, check: impl Fn() -> bool + Send + Sync + 'static) {
        let check = self.interrupt.set_check(check);
        self.narrow.query.interrupt_when(move || check());
    }

    /// Returns whether a query was interrupted since this method was last called, and clears the interruption, so that
    /// later queries are no longer cut short by it.
    pub fn take_interrupted(&mut self) -> bool {
        let was_set = self.narrow.query.take_interrupted();
        self.interrupt.take() || was_set
    }

    /// Places all bodies for a configuration.
    ///
    /// # Errors
    /// If the configuration is invalid.
    pub fn place(&mut self, configuration: &[f64]) -> Result<(), ConfigurationError> {
        self.robot.fill(configuration, &mut self.whole)?;
        self.place_whole();
        Ok(())
    }

    /// Places all bodies for `self.whole`.
    pub(crate) fn place_whole(&mut self) {
        let kinematics = &self.robot.kinematics;
        kinematics.place(&self.whole, &mut self.frames);
        for (index, frame) in self.frames.iter().enumerate() {
            self.farthest[index] = self.farthest[kinematics.parent_frame(index)].max(frame.translation.amax());
        }
        for ((placed, sphere), body) in self.placed.iter_mut().zip(&mut self.spheres).zip(&self.robot.bodies) {
            let frame = &self.frames[body.frame];
            let place = body.offset.as_ref().map_or(*frame, |offset| frame.then(offset));
            placed.put(place, 0.0, self.farthest[body.frame], sphere);
        }
        self.stretch = stretch(self.deviation).powi(2);
    }

    /// Places all bodies at link poses that your own kinematics computed, in the order of [`Robot::links`] and in the
    /// root link's frame.
    ///
    /// # Errors
    /// If there are not as many poses as links.
    pub fn place_links(&mut self, poses: &[Pose]) -> Result<(), ConfigurationError> {
        let expected = self.robot.links().len();
        if poses.len() != expected {
            return Err(ConfigurationError::Length { expected, found: poses.len() });
        }
        for ((placed, sphere), body) in self.placed.iter_mut().zip(&mut self.spheres).zip(&self.robot.bodies) {
            placed.put(poses[body.link].into(), poses[body.link].deviation(), 0.0, sphere);
        }
        let deviation = poses.iter().map(Pose::deviation).fold(0.0, f64::max);
        self.stretch = (stretch(self.deviation) * stretch(deviation)).powi(2);
        Ok(())
    }

    /// A bound on the rounding errors of a pair's distance that are due to the placements of its bodies.
    pub(crate) fn slack(&self, pair: &Pair) -> f64 {
        let [a, b] = pair.bodies.map(|body| self.placed[body as usize].slack);
        a + b
    }

    /// Whether the two bodies of each pair in [`Checker::pairs`] are farther apart than the margin plus the pair's own.
    ///
    /// # Errors
    /// If the configuration is invalid.
    pub fn is_free(&mut self, configuration: &[f64], margin: f64) -> Result<bool, ConfigurationError> {
        self.place(configuration)?;
        Ok(self.is_placed_free(margin))
    }

    /// [`Checker::is_free`] for the bodies as they were placed last.
    pub fn is_placed_free(&mut self, margin: f64) -> bool {
        for place in 0..self.order.len() {
            let pair = self.order.at(place);
            if self.may_collide(pair, margin) && self.near_pair_collides(pair, margin) {
                self.order.promote(place);
                return false;
            }
        }
        true
    }

    /// The pairs of bodies that are at most the margin plus the pair's own apart, by their index in [`Checker::pairs`],
    /// in order.
    ///
    /// # Errors
    /// If the configuration is invalid.
    pub fn colliding(&mut self, configuration: &[f64], margin: f64) -> Result<Vec<usize>, ConfigurationError> {
        self.place(configuration)?;
        Ok(self.placed_colliding(margin))
    }

    /// [`Checker::colliding`] for the bodies as they were placed last.
    pub fn placed_colliding(&mut self, margin: f64) -> Vec<usize> {
        let pairs = 0..self.pairs.len();
        pairs.filter(|&pair| self.may_collide(pair, margin) && self.near_pair_collides(pair, margin)).collect()
    }

    /// The least distance of all pairs; `None` if it exceeds the upper bound, or there is no pair of nonempty bodies. A
    /// pair's distance is 0 if the bodies meet; the pair's own margin is subtracted from it, and the result is at least
    /// 0. Of several pairs at the same distance, any may be returned.
    ///
    /// # Errors
    /// If the configuration is invalid.
    pub fn closest(&mut self, configuration: &[f64], upper_bound: f64) -> Result<Option<Closest>, ConfigurationError> {
        self.place(configuration)?;
        Ok(self.placed_closest(upper_bound))
    }

    /// [`Checker::closest`] for the bodies as they were placed last.
    pub fn placed_closest(&mut self, upper_bound: f64) -> Option<Closest> {
        if upper_bound.is_nan() || upper_bound < 0.0 {
            return None;
        }
        let mut near = std::mem::take(&mut self.near);
        near.clear();
        // The distance of two spheres' farthest points is an upper bound on the distance of the bodies inside.
        let mut farthest = upper_bound;
        for (index, pair) in self.pairs.iter().enumerate() {
            let [a, b] = pair.bodies.map(|body| &self.spheres[body as usize]);
            let (apart, radii) = ((a.center - b.center).norm(), a.radius + b.radius);
            let gap = apart / self.stretch - radii - pair.margin;
            if gap <= farthest {
                near.push((gap, index as u32));
                if pair.bodies.iter().all(|&body| !self.placed[body as usize].body.is_empty()) {
                    farthest = farthest.min(((apart + radii) * self.stretch - pair.margin).max(0.0));
                }
            }
        }
        near.retain_mut(|(gap, index)| {
            let pair = self.pairs[*index as usize];
            if *gap <= farthest {
                *gap = gap.max(self.box_gap(&pair) - pair.margin);
            }
            *gap <= farthest
        });
        near.sort_unstable_by(|p, q| p.0.total_cmp(&q.0).then(p.1.cmp(&q.1)));
        let (mut bound, mut best) = (upper_bound, None);
        for &(gap, index) in &near {
            if gap > bound || best.is_some() && bound == 0.0 {
                break;
            }
            if let Some(distance) = self.pair_distance(index as usize, bound) {
                bound = distance;
                best = Some(Closest { distance, bodies: self.numbers(&self.pairs[index as usize]) });
            }
        }
        self.near = near;
        best
    }

    /// A lower bound on the distance between a pair's bodies as they are placed; negative where their spheres overlap.
    pub(crate) fn sphere_gap(&self, pair: &Pair) -> f64 {
        let [a, b] = pair.bodies.map(|body| &self.spheres[body as usize]);
        (a.center - b.center).norm() / self.stretch - (a.radius + b.radius)
    }

    /// A lower bound on the distance between a pair's bodies, from their boxes; 0 where the boxes overlap.
    pub(crate) fn box_gap(&mut self, pair: &Pair) -> f64 {
        let [a, b] = pair.bodies.map(|body| self.placed[body as usize].obb());
        match a.separating_axis(&b) {
            Separation::Apart { gap, .. } => (gap - self.slack(pair)) / self.stretch,
            Separation::Overlapping { .. } => 0.0,
        }
    }

    /// Whether the spheres and the boxes of a pair are within the margin plus the pair's own.
    fn may_collide(&mut self, index: usize, margin: f64) -> bool {
        let pair = self.pairs[index];
        let margin = total_margin(margin, &pair);
        if margin < 0.0 {
            return false;
        }
        let [a, b] = pair.bodies.map(|body| &self.spheres[body as usize]);
        let reach = (a.radius + b.radius + margin) * self.stretch;
        if (a.center - b.center).norm_squared() > reach * reach {
            return false;
        }
        let [mut first, second] = pair.bodies.map(|body| self.placed[body as usize].obb());
        first.half_extents.add_scalar_mut(margin * self.stretch + self.slack(&pair));
        margin == f64::INFINITY || first.overlaps_within(&second, BOX_ROUNDING)
    }

    /// Whether a pair that [may collide](Self::may_collide) does; the order of pairs learns from the result.
    fn near_pair_collides(&mut self, index: usize, margin: f64) -> bool {
        let pair = self.pairs[index];
        let margin = total_margin(margin, &pair);
        let [a, b] = pair.bodies.map(|body| &self.placed[body as usize]);
        let (narrow, expects_yes) = (&mut self.narrow, self.order.expects_hit(index));
        narrow.work = 0;
        let collides = for_each_pair_of_parts(
            a,
            b,
            || margin * self.stretch,
            |parts, poses| narrow.is_within(parts, poses, margin, expects_yes),
        );
        self.order.learn(index, collides, narrow.work);
        collides
    }

    /// The distance of a pair less its margin, at least 0; `None` if it exceeds the bound.
    pub(crate) fn pair_distance(&mut self, index: usize, upper_bound: f64) -> Option<f64> {
        let pair = self.pairs[index];
        let [a, b] = pair.bodies.map(|body| &self.placed[body as usize]);
        let narrow = &mut self.narrow;
        let mut best: Option<f64> = None;
        let bound = std::cell::Cell::new(upper_bound + pair.margin);
        for_each_pair_of_parts(
            a,
            b,
            || bound.get() * self.stretch,
            |parts, poses| {
                if let Some(distance) = narrow.distance(parts, poses, bound.get()) {
                    bound.set(distance);
                    best = Some(distance);
                }
                best == Some(0.0)
            },
        );
        best.map(|distance| (distance - pair.margin).max(0.0))
    }
}

/// A margin plus the pair's own; infinite if that is no number.
fn total_margin(margin: f64, pair: &Pair) -> f64 {
    let total = margin + pair.margin;
    if total.is_nan() { f64::INFINITY } else { total }
}

/// Calls `visit` with the parts of two bodies whose boxes are within a distance, and their poses in the world, until it
/// returns true; returns whether it did.
fn for_each_pair_of_parts(
    a: &Placed,
    b: &Placed,
    within: impl Fn() -> f64,
    mut visit: impl FnMut([&Part; 2], [&Pose; 2]) -> bool,
) -> bool {
    // If both bodies have one part, their boxes are known to be near.
    let are_many = a.body.parts.len() * b.body.parts.len() > 1;
    for part_a in &a.body.parts {
        for part_b in &b.body.parts {
            if are_many && !may_be_near([&part_a.bounds, &part_b.bounds], [a, b], within()) {
                continue;
            }
            if visit([part_a, part_b], [&a.pose_of(part_a), &b.pose_of(part_b)]) {
                return true;
            }
        }
    }
    false
}

/// Whether two spheres and two boxes in bodies are within a distance in the world.
fn may_be_near([a, b]: [&Bounds; 2], [body_a, body_b]: [&Placed; 2], distance: f64) -> bool {
    let distance = distance + body_a.slack + body_b.slack;
    let between = body_a.place.point(&a.sphere.center) - body_b.place.point(&b.sphere.center);
    let radii = a.sphere.radius * stretch(body_a.deviation) + b.sphere.radius * stretch(body_b.deviation);
    let reach = radii + distance;
    if between.norm_squared() > reach * reach.max(0.0) {
        return false;
    }
    let mut first = placed_box(&a.obb, &body_a.place, body_a.deviation);
    first.half_extents.add_scalar_mut(distance.max(0.0));
    let second = placed_box(&b.obb, &body_b.place, body_b.deviation);
    distance == f64::INFINITY || first.overlaps_within(&second, BOX_ROUNDING)
}

impl Robot {
    /// Calls `ask` for each configuration, on all threads of the current rayon pool, and returns the answers in order.
    /// `configurations` has one configuration after another, each with a value for each name of [`Robot::values`].
    ///
    /// # Errors
    /// The first error of a configuration, or [`ConfigurationError::Length`] if the length is not a multiple of a
    /// configuration's or the robot has no values.
    pub fn map_configurations<R: Send>(
        &self,
        world: &World,
        configurations: &[f64],
        ask: impl Fn(&mut Checker, &[f64]) -> Result<R, ConfigurationError> + Sync + Send,
    ) -> Result<Vec<R>, RobotError> {
        let expected = self.values().len();
        if expected == 0 || !configurations.len().is_multiple_of(expected) {
            return Err(ConfigurationError::Length { expected, found: configurations.len() }.into());
        }
        let rows: Vec<&[f64]> = configurations.chunks_exact(expected).collect();
        let answers = bvtree::query::many::map(&rows, || Checker::new(self, world), |checker, row| ask(checker, row));
        Ok(answers.into_iter().collect::<Result<_, _>>()?)
    }

    /// [`Checker::is_free`] of many configurations; see [`Robot::map_configurations`].
    ///
    /// # Errors
    /// See [`Robot::map_configurations`].
    pub fn free(&self, world: &World, configurations: &[f64], margin: f64) -> Result<Vec<bool>, RobotError> {
        self.map_configurations(world, configurations, |checker, row| checker.is_free(row, margin))
    }

    /// [`Checker::colliding`] of many configurations; see [`Robot::map_configurations`].
    ///
    /// # Errors
    /// See [`Robot::map_configurations`].
    pub fn colliding(&self, world: &World, configurations: &[f64], margin: f64) -> Result<Vec<Vec<usize>>, RobotError> {
        self.map_configurations(world, configurations, |checker, row| checker.colliding(row, margin))
    }

    /// [`Checker::closest`] of many configurations; see [`Robot::map_configurations`].
    ///
    /// # Errors
    /// See [`Robot::map_configurations`].
    pub fn closest(
        &self,
        world: &World,
        configurations: &[f64],
        upper_bound: f64,
    ) -> Result<Vec<Option<Closest>>, RobotError> {
        self.map_configurations(world, configurations, |checker, row| checker.closest(row, upper_bound))
    }
}
