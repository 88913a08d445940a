/* Convex shapes: spheres, capsules, boxes, cylinders, cones and convex hulls, rounded or not. */
#ifndef BVTREE_CONVEX_SHAPE_HPP
#define BVTREE_CONVEX_SHAPE_HPP

#include "handle.hpp"
#include "mesh.hpp"
#include "pose.hpp"

namespace bvtree {

using ContactManifold = BvtContactManifold;
using ShapeContact = BvtShapeContact;

/* A convex solid in a frame of its own, centred at the frame's origin unless it is a hull. It never changes, so threads
   may share it. Axes of capsules, cylinders and cones are along z. */
class ConvexShape : public detail::Handle<BvtConvexShape, bvt_convex_shape_free> {
public:
    using Handle::Handle;

    static Result<ConvexShape> sphere(double radius) {
        return detail::make<ConvexShape>(
            [&](BvtConvexShape **shape) { return bvt_convex_shape_sphere(radius, shape); });
    }

    /* All points within a radius of the segment from -half_length to half_length on the z axis. */
    static Result<ConvexShape> capsule(double half_length, double radius) {
        return detail::make<ConvexShape>(
            [&](BvtConvexShape **shape) { return bvt_convex_shape_capsule(half_length, radius, shape); });
    }

    static Result<ConvexShape> cuboid(const Point &half_extents) {
        return detail::make<ConvexShape>(
            [&](BvtConvexShape **shape) { return bvt_convex_shape_cuboid(half_extents.data(), shape); });
    }

    static Result<ConvexShape> cylinder(double half_height, double radius) {
        return detail::make<ConvexShape>(
            [&](BvtConvexShape **shape) { return bvt_convex_shape_cylinder(half_height, radius, shape); });
    }

    /* The base is at -half_height, the apex at half_height. */
    static Result<ConvexShape> cone(double half_height, double radius) {
        return detail::make<ConvexShape>(
            [&](BvtConvexShape **shape) { return bvt_convex_shape_cone(half_height, radius, shape); });
    }

    /* The convex hull of points, in their frame. */
    static Result<ConvexShape> hull(View<const Point> points) {
        const double *coordinates = points.empty() ? nullptr : points[0].data();
        return detail::make<ConvexShape>(
            [&](BvtConvexShape **shape) { return bvt_convex_shape_hull(coordinates, points.size(), shape); });
    }

    /* The shape enlarged by a radius on all sides, which rounds its edges. */
    Result<ConvexShape> rounded(double radius) const {
        return detail::make<ConvexShape>(
            [&](BvtConvexShape **shape) { return bvt_convex_shape_rounded(get(), radius, shape); });
    }

    Result<Aabb> aabb(const Pose &to_world) const {
        Aabb aabb{};
        const Status status = bvt_convex_shape_aabb(get(), &to_world, &aabb);
        return detail::answer(status, Aabb(aabb));
    }

    Result<Obb> obb(const Pose &to_world) const {
        Obb obb{};
        const Status status = bvt_convex_shape_obb(get(), &to_world, &obb);
        return detail::answer(status, Obb(obb));
    }

    /* A point that is farthest along a direction of any length. Both are in the shape's own frame. */
    Result<Point> support_point(const Point &direction) const {
        double support[3] = {};
        const Status status = bvt_convex_shape_support_point(get(), direction.data(), &support);
        return detail::answer(status, Point{support[0], support[1], support[2]});
    }

    /* The volume, the centre of mass and the inertia of a shape of density 1, in the shape's own frame. */
    Result<MassProperties> mass_properties() const {
        MassProperties mass{};
        const Status status = bvt_convex_shape_mass_properties(get(), &mass);
        return detail::answer(status, MassProperties(mass));
    }

    /* Whether a point, in the shape's own frame, is in the shape or on its surface. */
    Result<bool> contains(const Point &at) const {
        bool contains = false;
        const Status status = bvt_convex_shape_contains(get(), at.data(), &contains);
        return detail::answer(status, bool(contains));
    }

    /* The contact of this shape, A, with another, B, in A's frame: where they are closest or overlap. */
    Result<std::optional<ShapeContact>> contact(const ConvexShape &b, const Pose &b_to_a,
                                                double max_distance) const {
        ShapeContact contact{};
        const Status status = bvt_convex_shape_contact(get(), b.get(), &b_to_a, max_distance, &contact);
        return detail::optional(status, contact);
    }

    /* Calls `visit(const ContactManifold &)` with each contact manifold of this shape, A, and another, B, the deepest
       first, for a solver of rigid bodies. */
    template <class Function>
    Result<void> for_each_contact_manifold(const ConvexShape &b, const Pose &b_to_a, double margin,
                                           Function &&visit) const {
        return detail::for_each<ContactManifold>(visit, [&](BvtVisitContactManifold call, void *user) {
            return bvt_convex_shape_for_each_contact_manifold(get(), b.get(), &b_to_a, margin, call, user);
        });
    }
};

} // namespace bvtree

#endif
