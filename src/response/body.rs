//! Rigid bodies in space.

use nalgebra::{Matrix3, Point3, UnitVector3, Vector3};
use thiserror::Error;

use super::impulse::{Impulse, Material, impulse};

/// The state of a rigid body, as far as a collision has to do with it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RigidBody {
    /// The centre of mass.
    pub center: Point3<f64>,
    /// Of the centre.
    pub velocity: Vector3<f64>,
    /// In radians per time, about the axis that it points along.
    pub angular_velocity: Vector3<f64>,
    mass: f64,
    inertia: Matrix3<f64>,
    inverse_mass: f64,
    inverse_inertia: Matrix3<f64>,
}

/// Why a mass and an inertia are not those of a body.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum RigidBodyError {
    /// The mass is zero, negative, infinite or NaN.
    #[error("the mass is {mass}, but has to be above zero and finite")]
    Mass {
        /// The mass given.
        mass: f64,
    },
    /// The inertia is not a symmetric, positive definite and finite matrix.
    #[error("the inertia is not symmetric and positive definite")]
    Inertia,
}

impl RigidBody {
    /// A body at rest; `inertia` is about its centre, along the axes of space as the body stands now.
    ///
    /// # Errors
    /// If the mass is not above zero, or the inertia not symmetric and positive definite.
    pub fn new(mass: f64, inertia: &Matrix3<f64>, center: Point3<f64>) -> Result<Self, RigidBodyError> {
        let mut body = Self::particle(mass, center)?;
        body.set_inertia(inertia)?;
        Ok(body)
    }

    /// A body at rest that does not turn.
    ///
    /// # Errors
    /// If the mass is not above zero.
    pub fn particle(mass: f64, center: Point3<f64>) -> Result<Self, RigidBodyError> {
        if !(mass > 0.0 && mass.is_finite()) {
            return Err(RigidBodyError::Mass { mass });
        }
        Ok(Self { mass, inverse_mass: 1.0 / mass, ..Self::immovable(center) })
    }

    /// A body of infinite mass and inertia. It may have velocities, which no impulse changes; its momentum and its
    /// energy are given as 0.
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

    /// The inertia about the centre, along the axes of space, after a turn of the body: `R I R^T`.
    ///
    /// # Errors
    /// If it is not symmetric and positive definite.
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

    /// The velocity of the body's point that is at `point` now.
    pub fn velocity_at(&self, point: &Point3<f64>) -> Vector3<f64> {
        self.velocity + self.angular_velocity.cross(&(point - self.center))
    }

    /// Mass times velocity.
    pub fn momentum(&self) -> Vector3<f64> {
        self.velocity * self.mass
    }

    /// The angular momentum about a point that stands still.
    pub fn angular_momentum(&self, about: &Point3<f64>) -> Vector3<f64> {
        (self.center - about).cross(&self.momentum()) + self.inertia * self.angular_velocity
    }

    /// The energy of the motion and of the turning.
    pub fn kinetic_energy(&self) -> f64 {
        0.5 * self.mass * self.velocity.norm_squared()
            + 0.5 * self.angular_velocity.dot(&(self.inertia * self.angular_velocity))
    }

    /// Changes the velocities by an impulse at a point.
    pub fn apply_impulse(&mut self, impulse: &Vector3<f64>, point: &Point3<f64>) {
        self.velocity += impulse * self.inverse_mass;
        self.angular_velocity += self.inverse_inertia * (point - self.center).cross(impulse);
    }

    /// Takes an impulse at a point to the change of the point's velocity: `1/m - [r] I^-1 [r]`.
    fn mobility(&self, point: &Point3<f64>) -> Matrix3<f64> {
        let arm = (point - self.center).cross_matrix();
        Matrix3::from_diagonal_element(self.inverse_mass) + arm * self.inverse_inertia * arm.transpose()
    }
}

/// Lets two bodies collide at a point, by the law of the [module](super): changes their velocities, and returns the
/// impulse. The normal is from A to B. Bodies that part are left as they are.
///
/// ```
/// use bvtree::response::{Material, RigidBody, collide};
/// use nalgebra::{Point3, Vector3};
///
/// // Two equal balls exchange their velocities.
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
