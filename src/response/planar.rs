//! Rigid bodies in the plane, of the shapes of [`crate::shape2`], and collisions between them.
//!
//! Counterclockwise rotation is positive. The law is that of the [parent module](super).

use nalgebra::{Matrix3, Point2, UnitVector2, Vector2, Vector3};

use super::rigid_body::{Impulse, Material, RigidBodyError, impulse, positive_inverse};
use crate::shape2::ConvexPolygon;

/// A rigid body in the plane: its state in a collision.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RigidBody {
    /// The centre of mass.
    pub center: Point2<f64>,
    /// The velocity of the centre of mass.
    pub velocity: Vector2<f64>,
    /// The angular velocity, in radians per unit of time.
    pub angular_velocity: f64,
    mass: f64,
    inertia: f64,
    inverse_mass: f64,
    inverse_inertia: f64,
}

impl RigidBody {
    /// A body at rest; `inertia` is about its centre.
    ///
    /// # Errors
    /// If the mass, the inertia or an inverse of them is not positive and finite.
    pub fn new(mass: f64, inertia: f64, center: Point2<f64>) -> Result<Self, RigidBodyError> {
        let body = Self::particle(mass, center)?;
        let inverse_inertia = positive_inverse(inertia).ok_or(RigidBodyError::Inertia)?;
        Ok(Self { inertia, inverse_inertia, ..body })
    }

    /// A body at rest that does not rotate.
    ///
    /// # Errors
    /// If the mass or its inverse is not positive and finite.
    pub fn particle(mass: f64, center: Point2<f64>) -> Result<Self, RigidBodyError> {
        let inverse_mass = positive_inverse(mass).ok_or(RigidBodyError::Mass { mass })?;
        Ok(Self { mass, inverse_mass, ..Self::immovable(center) })
    }

    /// A body of infinite mass and inertia. It may have velocities, which no impulse changes; its momentum and energy
    /// are reported as 0.
    pub fn immovable(center: Point2<f64>) -> Self {
        Self {
            center,
            velocity: Vector2::zeros(),
            angular_velocity: 0.0,
            mass: 0.0,
            inertia: 0.0,
            inverse_mass: 0.0,
            inverse_inertia: 0.0,
        }
    }

    /// A disc of uniform density at rest: its inertia is `m r^2 / 2`.
    ///
    /// # Errors
    /// If the mass, the inertia or an inverse of them is not positive and finite.
    pub fn disc(mass: f64, radius: f64, center: Point2<f64>) -> Result<Self, RigidBodyError> {
        Self::new(mass, 0.5 * mass * radius * radius, center)
    }

    /// A rectangle of uniform density at rest, in any orientation: its inertia is `m (a^2 + b^2) / 3` for half extents
    /// `a` and `b`.
    ///
    /// # Errors
    /// If the mass, the inertia or an inverse of them is not positive and finite.
    pub fn rectangle(mass: f64, half_extents: &Vector2<f64>, center: Point2<f64>) -> Result<Self, RigidBodyError> {
        Self::new(mass, mass * half_extents.norm_squared() / 3.0, center)
    }

    /// A convex polygon of uniform density at rest. Its centre of mass and inertia are sums over the triangles that fan
    /// out from its first corner.
    ///
    /// # Errors
    /// If the mass, the inertia or an inverse of them is not positive and finite.
    pub fn polygon(mass: f64, polygon: &ConvexPolygon<'_>) -> Result<Self, RigidBodyError> {
        let origin = polygon.vertices()[0];
        let edges = || polygon.vertices().windows(2).map(|pair| [pair[0] - origin, pair[1] - origin]);
        let area: f64 = edges().map(|[p, q]| p.perp(&q)).sum();
        let middle = edges().map(|[p, q]| (p + q) * p.perp(&q)).sum::<Vector2<f64>>() / (3.0 * area);
        let about_middle = edges().map(|[p, q]| {
            let (p, q, o) = (p - middle, q - middle, -middle);
            // The inertia of a triangle about the centre: a twelfth of the corners' squares and products.
            let square = (p + q + o).norm_squared() + p.norm_squared() + q.norm_squared() + o.norm_squared();
            (p - o).perp(&(q - o)) * square
        });
        Self::new(mass, mass * about_middle.sum::<f64>() / (12.0 * area), origin + middle)
    }

    /// The velocity of the body's point at `point`.
    pub fn velocity_at(&self, point: &Point2<f64>) -> Vector2<f64> {
        self.velocity + across(&(point - self.center)) * self.angular_velocity
    }

    /// Mass times velocity.
    pub fn momentum(&self) -> Vector2<f64> {
        self.velocity * self.mass
    }

    /// The angular momentum about a fixed point.
    pub fn angular_momentum(&self, about: &Point2<f64>) -> f64 {
        (self.center - about).perp(&self.momentum()) + self.inertia * self.angular_velocity
    }

    /// The kinetic energy, linear and angular.
    pub fn kinetic_energy(&self) -> f64 {
        0.5 * self.mass * self.velocity.norm_squared() + 0.5 * self.inertia * self.angular_velocity.powi(2)
    }

    /// The moment of inertia about the centre; 0 for a particle and for an immovable body.
    pub fn inertia(&self) -> f64 {
        self.inertia
    }

    /// Changes the velocities by an impulse at a point.
    pub fn apply_impulse(&mut self, impulse: &Vector2<f64>, point: &Point2<f64>) {
        self.velocity += impulse * self.inverse_mass;
        self.angular_velocity += self.inverse_inertia * (point - self.center).perp(impulse);
    }

    /// The matrix that maps an impulse at a point to the change of the point's velocity; 3x3, for [`impulse`].
    fn mobility(&self, point: &Point2<f64>) -> Matrix3<f64> {
        let arm = across(&(point - self.center)).push(0.0);
        Matrix3::from_diagonal_element(self.inverse_mass) + arm * arm.transpose() * self.inverse_inertia
    }
}

/// The velocity of a point at `arm` that rotates about the origin by one radian per unit of time.
fn across(arm: &Vector2<f64>) -> Vector2<f64> {
    Vector2::new(-arm.y, arm.x)
}

/// Applies the impulse of a collision at a point to two bodies, by the law of the [parent module](super), and returns
/// the impulse. The normal points from A to B. Separating bodies are left unchanged.
///
/// ```
/// use bvtree::response::Material;
/// use bvtree::response::planar::{RigidBody, collide};
/// use bvtree::shape::Distance;
/// use bvtree::shape2::{Aabb, Circle};
/// use nalgebra::{Point2, UnitVector2, Vector2};
///
/// // A disc falls on the edge of a fixed table.
/// let table = Aabb { lower: Point2::new(0.0, -1.0), upper: Point2::new(4.0, 0.0) };
/// let circle = Circle { center: Point2::new(-0.3, 0.4), radius: 0.5 };
/// let mut fixed = RigidBody::immovable(table.lower);
/// let mut disc = RigidBody::disc(1.0, circle.radius, circle.center)?;
/// disc.velocity = Vector2::new(0.0, -5.0);
/// let (on_table, _) = table.closest_points(&circle);
/// let normal = UnitVector2::new_normalize(circle.center - on_table);
/// collide(&mut fixed, &mut disc, &on_table, &normal, &Material { restitution: 1.0, friction: 0.0 });
/// // It bounces to the left without losing speed.
/// assert!(disc.velocity.x < 0.0 && (disc.velocity.norm() - 5.0).abs() < 1e-12);
/// # Ok::<(), bvtree::response::RigidBodyError>(())
/// ```
pub fn collide(
    a: &mut RigidBody,
    b: &mut RigidBody,
    point: &Point2<f64>,
    normal: &UnitVector2<f64>,
    material: &Material,
) -> Impulse<2> {
    let velocity: Vector3<f64> = (b.velocity_at(point) - a.velocity_at(point)).push(0.0);
    let mobility = a.mobility(point) + b.mobility(point);
    let Impulse { on_b, regime } = impulse(&mobility, &velocity, &normal.push(0.0), material);
    let on_b = on_b.xy();
    a.apply_impulse(&-on_b, point);
    b.apply_impulse(&on_b, point);
    Impulse { on_b, regime }
}
