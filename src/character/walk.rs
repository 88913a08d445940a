//! Walking on ground: along walls, up and down slopes, and over steps.
//!
//! The wish is horizontal and stays so: walls deflect it horizontally, and the ground lifts or lowers it. So the
//! horizontal speed on a slope is that on the level, no wall can turn a walk upward, and in a corner of walls it stops.

use nalgebra::{Point3, Vector3};
use smallvec::{SmallVec, smallvec};

use super::ground::Ground;
use super::planes::Planes;
use super::surroundings::{Stop, Surroundings};

/// Stops that one part of a step may have.
const MAX_STOPS: usize = 12;

/// In skins, how far a step leads at least: so far that the foot, which stops a skin before the edge, gets onto it.
const LEAST_STEP: f64 = 2.5;

/// How a walk went.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Walk {
    pub(super) is_blocked: bool,
    /// How much farther than the displacement a step led.
    pub(super) ahead: f64,
}

impl Surroundings<'_> {
    /// Walks by a horizontal displacement, as far as walls let it.
    pub(super) fn walk(&mut self, ground: &Ground, displacement: &Vector3<f64>) -> Walk {
        let blocked = |is_blocked| Walk { is_blocked, ahead: 0.0 };
        let mut left = *displacement;
        let mut grounds: SmallVec<[Vector3<f64>; 8]> = smallvec![ground.normal];
        let mut walls = Planes::default();
        let negligible = 1e-9 * self.options.radius;
        for _ in 0..MAX_STOPS {
            let along = walls.free_part(&left);
            if along.norm() <= negligible {
                return blocked(left.norm() > negligible);
            }
            let lifted = along + self.up() * self.lift(&grounds, &along);
            let Some(stop) = self.advance(&lifted) else { return blocked(along != left) };
            left *= stop.left;
            if stop.left < 1.0 {
                grounds.clear();
            }
            let normal = stop.contact.normal;
            if self.is_walkable(&normal) {
                if grounds.iter().any(|known| (known - normal).norm_squared() < 1e-18) {
                    return blocked(true);
                }
                grounds.push(normal);
                continue;
            }
            let onward = along * stop.left;
            match self.step_up(&stop, &onward) {
                Some(Step { gone, ground }) => {
                    let ahead = gone - onward.norm();
                    if ahead >= 0.0 {
                        return Walk { is_blocked: false, ahead };
                    }
                    left *= -ahead / onward.norm();
                    grounds.clear();
                    grounds.extend(ground.map(|ground| ground.normal));
                    walls.clear();
                }
                None => walls.push(self.wall(&normal, &grounds, &along)),
            }
        }
        blocked(true)
    }

    /// How far a horizontal displacement is raised by the ground: by the steepest of the planes that are touched.
    fn lift(&self, grounds: &[Vector3<f64>], along: &Vector3<f64>) -> f64 {
        let lifts = grounds.iter().map(|normal| -along.dot(normal) / normal.dot(&self.options.up));
        lifts.reduce(f64::max).unwrap_or(0.0)
    }

    /// The horizontal normal of what stops a walk on the ground.
    ///
    /// Something steep is a wall, however it leans: nobody is lifted by it. Under a ceiling that comes down, or on
    /// ground that rises to one, it is the crease of the two that one walks along.
    fn wall(&self, normal: &Vector3<f64>, grounds: &[Vector3<f64>], along: &Vector3<f64>) -> Vector3<f64> {
        let up = self.up();
        let rise = normal.dot(&up);
        let mut wall = normal - up * rise;
        if rise < 0.0
            && let Some(ground) = grounds.iter().max_by(|a, b| {
                let lift = |normal: &Vector3<f64>| -along.dot(normal) / normal.dot(&up);
                lift(a).total_cmp(&lift(b))
            })
        {
            let flatness = ground.dot(&up);
            wall -= (ground - up * flatness) * (rise / flatness);
        }
        let against = -along / along.norm();
        wall.try_normalize(1e-9).filter(|wall| wall.dot(along) < 0.0).unwrap_or(against)
    }

    /// Up, forward and down again, if that ends on ground that is no higher than a step. Otherwise the capsule stays
    /// where it is.
    ///
    /// Whether there is a step is found out by the shortest one, so that it does not depend on the speed. Then the rest
    /// of the displacement is tried as well.
    fn step_up(&mut self, stop: &Stop, displacement: &Vector3<f64>) -> Option<Step> {
        let feet = self.feet;
        if self.options.max_step == 0.0 || self.height(&stop.contact.point, &feet) > self.highest_step() {
            return None;
        }
        let (length, least) = (displacement.norm(), LEAST_STEP * self.options.skin);
        let short = self.step_by(&feet, &(displacement * (least / length))).filter(|step| step.ground.is_some());
        let on_step = std::mem::replace(&mut self.feet, feet);
        short.as_ref()?;
        let whole = if length > least { self.step_by(&feet, displacement) } else { None };
        whole.or_else(|| {
            self.feet = on_step;
            short
        })
    }

    /// None, and the capsule is where it was, if it gets nowhere or comes down on what is no ground.
    fn step_by(&mut self, feet: &Point3<f64>, displacement: &Vector3<f64>) -> Option<Step> {
        let up = self.up();
        self.advance(&(up * (self.options.max_step + self.options.skin)));
        let raised = (self.feet - feet).dot(&up);
        let gone = displacement.norm() * (1.0 - self.advance(displacement).map_or(0.0, |stop| stop.left));
        if raised > 0.0 && gone > 1e-6 * self.options.radius {
            let Some(stop) = self.advance(&(up * -raised)) else { return Some(Step { gone, ground: None }) };
            let is_low = self.height(&stop.contact.point, feet) <= self.highest_step();
            let ground = if is_low { self.ground(stop.body, &stop.contact, feet) } else { None };
            if ground.is_some() {
                return Some(Step { gone, ground });
            }
        }
        self.feet = *feet;
        None
    }

    /// With what rounding may make of a step at the limit.
    pub(super) fn highest_step(&self) -> f64 {
        self.options.max_step + 0.01 * self.options.skin
    }
}

/// A step up that was taken.
struct Step {
    /// How far it led.
    gone: f64,
    /// None where it led over something thin, back to where the feet were.
    ground: Option<Ground>,
}
