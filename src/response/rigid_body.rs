//! Rigid bodies in space and the impulse law of a collision.

use nalgebra::{Matrix3, Point3, SVector, UnitVector3, Vector3};
use thiserror::Error;

/// The state of a rigid body in a collision.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RigidBody {
    /// The centre of mass.
    pub center: Point3<f64>,
    /// The velocity of the centre of mass.
    pub velocity: Vector3<f64>,
    /// The angular velocity, in radians per unit of time: the vector points along the axis of rotation (right-handed).
    pub angular_velocity: Vector3<f64>,
    mass: f64,
    inertia: Matrix3<f64>,
    inverse_mass: f64,
    inverse_inertia: Matrix3<f64>,
}

/// An invalid mass or inertia.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum RigidBodyError {
    /// The mass is zero, negative, infinite, NaN, or so small that its inverse is infinite.
    #[error("the mass is {mass}, but it and its inverse have to be above zero and finite")]
    Mass {
        /// The mass given.
        mass: f64,
    },
    /// The inertia is not a symmetric, positive definite and finite matrix, or its inverse is not finite.
    #[error("the inertia is not symmetric and positive definite")]
    Inertia,
}

/// The inverse of a mass or an inertia if both are positive and finite.
pub(super) fn positive_inverse(mass: f64) -> Option<f64> {
    let inverse = 1.0 / mass;
    (mass > 0.0 && mass.is_finite() && inverse.is_finite()).then_some(inverse)
}

impl RigidBody {
    /// A body at rest; `inertia` is about its centre of mass, along the world's axes, in the body's current
    /// orientation.
    ///
    /// # Errors
    /// If the mass or its inverse is not positive and finite, or the inertia is not symmetric and positive definite.
    pub fn new(mass: f64, inertia: &Matrix3<f64>, center: Point3<f64>) -> Result<Self, RigidBodyError> {
        let mut body = Self::particle(mass, center)?;
        body.set_inertia(inertia)?;
        Ok(body)
    }

    /// A body at rest that does not rotate.
    ///
    /// # Errors
    /// If the mass or its inverse is not positive and finite.
    pub fn particle(mass: f64, center: Point3<f64>) -> Result<Self, RigidBodyError> {
        let inverse_mass = positive_inverse(mass).ok_or(RigidBodyError::Mass { mass })?;
        Ok(Self { mass, inverse_mass, ..Self::immovable(center) })
    }

    /// A body of infinite mass and inertia. It may have velocities, which no impulse changes; its momentum and energy
    /// are reported as 0.
    pub fn immovable(center: Point3<f64>) -> Self {
        Self {
            center,
            velocity: Vector3::zeros(),
            angular_velocity: Vector3::zeros(),
            mass: 0.0,
            inertia: Matrix3::zeros(),
            inverse_mass: 0.0,
            inverse_inertia: Matrix3::zeros(),
        }
    }

    /// Sets the inertia about the centre of mass, along the world's axes, after the body has rotated: `R I R^T`.
    ///
    /// # Errors
    /// If the inertia is not symmetric and positive definite.
    pub fn set_inertia(&mut self, inertia: &Matrix3<f64>) -> Result<(), RigidBodyError> {
        let is_symmetric = (inertia - inertia.transpose()).amax() <= 1e-9 * inertia.amax();
        let symmetric = (inertia + inertia.transpose()) * 0.5;
        let factor = symmetric.cholesky().filter(|_| is_symmetric).ok_or(RigidBodyError::Inertia)?;
        let inverse = factor.inverse();
        if !inverse.iter().chain(&symmetric).all(|x| x.is_finite()) {
            return Err(RigidBodyError::Inertia);
        }
        self.inertia = symmetric;
        self.inverse_inertia = (inverse + inverse.transpose()) * 0.5;
        Ok(())
    }

    /// The velocity of the body's point at `point`.
    pub fn velocity_at(&self, point: &Point3<f64>) -> Vector3<f64> {
        self.velocity + self.angular_velocity.cross(&(point - self.center))
    }

    /// Mass times velocity.
    pub fn momentum(&self) -> Vector3<f64> {
        self.velocity * self.mass
    }

    /// The angular momentum about a fixed point.
    pub fn angular_momentum(&self, about: &Point3<f64>) -> Vector3<f64> {
        (self.center - about).cross(&self.momentum()) + self.inertia * self.angular_velocity
    }

    /// The kinetic energy, linear and angular.
    pub fn kinetic_energy(&self) -> f64 {
        0.5 * self.mass * self.velocity.norm_squared()
            + 0.5 * self.angular_velocity.dot(&(self.inertia * self.angular_velocity))
    }

    /// Changes the velocities by an impulse at a point.
    pub fn apply_impulse(&mut self, impulse: &Vector3<f64>, point: &Point3<f64>) {
        self.velocity += impulse * self.inverse_mass;
        self.angular_velocity += self.inverse_inertia * (point - self.center).cross(impulse);
    }

    /// The matrix that maps an impulse at a point to the change of the point's velocity: `1/m - [r] I^-1 [r]`.
    fn mobility(&self, point: &Point3<f64>) -> Matrix3<f64> {
        let arm = (point - self.center).cross_matrix();
        Matrix3::from_diagonal_element(self.inverse_mass) + arm * self.inverse_inertia * arm.transpose()
    }
}

/// Applies the impulse of a collision at a point to two bodies, by the law of the [module](super), and returns the
/// impulse. The normal points from A to B. Separating bodies are left unchanged.
///
/// ```
/// use bvtree::response::{Material, RigidBody, collide};
/// use nalgebra::{Point3, Vector3};
///
/// // Two equal spheres exchange their velocities.
/// let mut a = RigidBody::particle(2.0, Point3::origin())?;
/// let mut b = RigidBody::particle(2.0, Point3::new(1.0, 0.0, 0.0))?;
/// a.velocity = Vector3::new(3.0, 0.0, 0.0);
/// let elastic = Material { restitution: 1.0, friction: 0.0 };
/// collide(&mut a, &mut b, &Point3::new(0.5, 0.0, 0.0), &Vector3::x_axis(), &elastic);
/// assert_eq!((a.velocity.x, b.velocity.x), (0.0, 3.0));
/// # Ok::<(), bvtree::response::RigidBodyError>(())
/// ```
pub fn collide(
    a: &mut RigidBody,
    b: &mut RigidBody,
    point: &Point3<f64>,
    normal: &UnitVector3<f64>,
    material: &Material,
) -> Impulse {
    let velocity = b.velocity_at(point) - a.velocity_at(point);
    let impulse = impulse(&(a.mobility(point) + b.mobility(point)), &velocity, normal, material);
    a.apply_impulse(&-impulse.on_b, point);
    b.apply_impulse(&impulse.on_b, point);
    impulse
}

/// The material of a contact.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Material {
    /// The coefficient of restitution: 1 is elastic, 0 perfectly inelastic. Clamped to the range from 0 to 1; NaN
    /// counts as 0.
    pub restitution: f64,
    /// Coulomb's coefficient of friction: 0 is frictionless, infinity never slides. Negative values and NaN count as 0.
    pub friction: f64,
}

/// The behaviour of the contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Regime {
    /// The bodies do not approach, or neither can move: there is no impulse.
    Parting,
    /// Friction stops the slip within the friction cone. (With restitution the points part at the velocity `e K P1`,
    /// which has a tangential component if `K` couples the directions. Stopping that as well could add energy.)
    Sticking,
    /// The points slip with the greatest possible friction. Also the result for approaching bodies without friction,
    /// even if the points do not slip.
    Sliding,
}

/// The impulse of a collision.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Impulse<const D: usize = 3> {
    /// The impulse on B; A gets the opposite.
    pub on_b: SVector<f64, D>,
    /// The behaviour of the contact.
    pub regime: Regime,
}

/// Computes the impulse by the law of the [module](super). `mobility` maps an impulse to the change of the relative
/// velocity and is positive definite unless nothing can move.
pub(super) fn impulse(
    mobility: &Matrix3<f64>,
    velocity: &Vector3<f64>,
    normal: &Vector3<f64>,
    material: &Material,
) -> Impulse {
    let parting = Impulse { on_b: Vector3::zeros(), regime: Regime::Parting };
    let approach = -normal.dot(velocity);
    let along_normal = normal.dot(&(mobility * normal));
    // Also for NaN.
    if !(approach > 0.0 && along_normal > 0.0) {
        return parting;
    }
    let stop = approach / along_normal;
    // `max` makes NaN 0, which `clamp` would keep.
    let restitution = material.restitution.max(0.0).clamp(0.0, 1.0);
    let bounce = (1.0 + restitution) * stop;
    let friction = material.friction.max(0.0);
    if friction == 0.0 {
        return Impulse { on_b: normal * bounce, regime: Regime::Sliding };
    }
    let Some(stick) = mobility.cholesky().map(|factor| factor.solve(&-velocity)) else { return parting };
    let tangential = stick - normal * stop;
    let rise = tangential.dot(normal);
    let slip = (tangential - normal * rise).norm();
    // k slip <= friction (bounce + k rise).
    let needed = slip - friction * rise;
    let k = if needed > friction * bounce { friction * bounce / needed } else { 1.0 };
    let regime = if k < 1.0 { Regime::Sliding } else { Regime::Sticking };
    Impulse { on_b: normal * bounce + tangential * k, regime }
}
