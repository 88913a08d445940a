//! The query dispatcher: queries of pairs with a tree are answered by this crate, others by parry3d.

use parry3d::math::{Pose, Vector};
use parry3d::query::details::NormalConstraints;
use parry3d::query::{
    ClosestPoints, Contact, ContactManifold, ContactManifoldsWorkspace, DefaultQueryDispatcher, NonlinearRigidMotion,
    PersistentQueryDispatcher, QueryDispatcher, ShapeCastHit, ShapeCastOptions, ShapeDistance, ShapeIntersection,
    Unsupported,
};
use parry3d::shape::Shape;

use crate::pair::Pair;

/// A query dispatcher of parry3d for two shapes, one or both of which may be a [`TreeShape`](crate::TreeShape). The
/// dispatcher has no state; each thread keeps scratch memory of its own.
///
/// Trees inside a `Compound` are not found: give each tree a collider of its own.
#[derive(Clone, Copy, Debug, Default)]
pub struct TreeDispatcher;

impl QueryDispatcher for TreeDispatcher {
    fn intersection_test(
        &self,
        pos12: &Pose,
        g1: &dyn Shape,
        g2: &dyn Shape,
    ) -> Result<ShapeIntersection, Unsupported> {
        let Some(pair) = Pair::new(pos12, g1, g2) else {
            return DefaultQueryDispatcher.intersection_test(pos12, g1, g2);
        };
        let found = pair.intersection()?;
        Ok(if pair.swapped { found.swapped() } else { found })
    }

    fn distance(&self, pos12: &Pose, g1: &dyn Shape, g2: &dyn Shape) -> Result<ShapeDistance, Unsupported> {
        let Some(pair) = Pair::new(pos12, g1, g2) else { return DefaultQueryDispatcher.distance(pos12, g1, g2) };
        let found = pair.distance()?;
        Ok(if pair.swapped { found.swapped() } else { found })
    }

    fn contact(
        &self,
        pos12: &Pose,
        g1: &dyn Shape,
        g2: &dyn Shape,
        prediction: f32,
    ) -> Result<Option<Contact>, Unsupported> {
        let Some(pair) = Pair::new(pos12, g1, g2) else {
            return DefaultQueryDispatcher.contact(pos12, g1, g2, prediction);
        };
        let found = pair.contact(prediction)?;
        Ok(if pair.swapped { found.map(Contact::flipped) } else { found })
    }

    fn closest_points(
        &self,
        pos12: &Pose,
        g1: &dyn Shape,
        g2: &dyn Shape,
        max_dist: f32,
    ) -> Result<ClosestPoints, Unsupported> {
        let Some(pair) = Pair::new(pos12, g1, g2) else {
            return DefaultQueryDispatcher.closest_points(pos12, g1, g2, max_dist);
        };
        let found = pair.closest_points(max_dist)?;
        Ok(if pair.swapped { found.flipped() } else { found })
    }

    fn cast_shapes(
        &self,
        pos12: &Pose,
        local_vel12: Vector,
        g1: &dyn Shape,
        g2: &dyn Shape,
        options: ShapeCastOptions,
    ) -> Result<Option<ShapeCastHit>, Unsupported> {
        let Some(pair) = Pair::new(pos12, g1, g2) else {
            return DefaultQueryDispatcher.cast_shapes(pos12, local_vel12, g1, g2, options);
        };
        if pair.swapped {
            let velocity = -(pos12.rotation.inverse() * local_vel12);
            Ok(pair.cast(velocity, options)?.map(ShapeCastHit::swapped))
        } else {
            pair.cast(local_vel12, options)
        }
    }

    fn cast_shapes_nonlinear(
        &self,
        motion1: &NonlinearRigidMotion,
        g1: &dyn Shape,
        motion2: &NonlinearRigidMotion,
        g2: &dyn Shape,
        start_time: f32,
        end_time: f32,
        stop_at_penetration: bool,
    ) -> Result<Option<ShapeCastHit>, Unsupported> {
        let pos12 = motion1.start.inv_mul(&motion2.start);
        let Some(pair) = Pair::new(&pos12, g1, g2) else {
            return DefaultQueryDispatcher.cast_shapes_nonlinear(
                motion1,
                g1,
                motion2,
                g2,
                start_time,
                end_time,
                stop_at_penetration,
            );
        };
        let times = [start_time, end_time];
        if pair.swapped {
            let hit = pair.cast_nonlinear(motion2, motion1, times, stop_at_penetration)?;
            Ok(hit.map(ShapeCastHit::swapped))
        } else {
            pair.cast_nonlinear(motion1, motion2, times, stop_at_penetration)
        }
    }
}

impl<ManifoldData, ContactData> PersistentQueryDispatcher<ManifoldData, ContactData> for TreeDispatcher
where
    ManifoldData: Default + Clone + Send + Sync,
    ContactData: Default + Copy + Send + Sync,
{
    fn contact_manifolds(
        &self,
        pos12: &Pose,
        g1: &dyn Shape,
        g2: &dyn Shape,
        prediction: f32,
        manifolds: &mut Vec<ContactManifold<ManifoldData, ContactData>>,
        workspace: &mut Option<ContactManifoldsWorkspace>,
    ) -> Result<(), Unsupported> {
        match Pair::new(pos12, g1, g2) {
            Some(pair) => {
                pair.contact_manifolds(prediction, manifolds, workspace);
                Ok(())
            }
            None => DefaultQueryDispatcher.contact_manifolds(pos12, g1, g2, prediction, manifolds, workspace),
        }
    }

    fn contact_manifold_convex_convex(
        &self,
        pos12: &Pose,
        g1: &dyn Shape,
        g2: &dyn Shape,
        normal_constraints1: Option<&dyn NormalConstraints>,
        normal_constraints2: Option<&dyn NormalConstraints>,
        prediction: f32,
        manifold: &mut ContactManifold<ManifoldData, ContactData>,
    ) -> Result<(), Unsupported> {
        DefaultQueryDispatcher.contact_manifold_convex_convex(
            pos12,
            g1,
            g2,
            normal_constraints1,
            normal_constraints2,
            prediction,
            manifold,
        )
    }
}
