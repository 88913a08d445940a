/* Queries on one tree, in its mesh's frame: rays, points, volumes, moving capsules. */
#ifndef BVTREE_PROBE_HPP
#define BVTREE_PROBE_HPP

#include <limits>

#include "convex_shape.hpp"
#include "tree.hpp"

namespace bvtree {

using RayHit = BvtRayHit;
using ClosestPoint = BvtClosestPoint;
using RobustContainment = BvtRobustContainment;
using CapsuleContact = BvtCapsuleContact;
using CastHit = BvtCastHit;
using ClosestToConvex = BvtClosestToConvex;
using ConvexCastHit = BvtConvexCastHit;
using ConvexContact = BvtConvexContact;
using SupportPoint = BvtSupportPoint;

inline constexpr double infinity = std::numeric_limits<double>::infinity();

/* Runs queries on one tree. Keep one per thread. */
class Probe : public detail::Handle<BvtProbe, bvt_probe_free> {
public:
    using Handle::Handle;

    static Result<Probe> make(BvtSimd simd = BVT_SIMD_DETECT) {
        return detail::make<Probe>([&](BvtProbe **probe) { return bvt_probe_new(simd, probe); });
    }

    /* Restricts later queries to triangles with a layer in a mask; see bvt_probe_set_mask. */
    Result<void> set_mask(std::optional<std::uint32_t> mask) {
        return detail::done(bvt_probe_set_mask(get(), mask ? &*mask : nullptr));
    }

    Result<std::optional<RayHit>> closest_hit(const Tree &tree, const Ray &ray, double max_time = infinity) {
        RayHit hit{};
        const Status status = bvt_closest_hit(get(), tree.get(), &ray, max_time, &hit);
        return detail::optional(status, hit);
    }

    Result<bool> any_hit(const Tree &tree, const Ray &ray, double max_time = infinity) {
        bool hit = false;
        const Status status = bvt_any_hit(get(), tree.get(), &ray, max_time, &hit);
        return detail::answer(status, bool(hit));
    }

    /* Calls `visit(const RayHit &)` for each triangle that a ray hits. */
    template <class Function>
    Result<void> for_each_hit(const Tree &tree, const Ray &ray, double max_time, Function &&visit) {
        return detail::for_each<RayHit>(visit, [&](BvtVisitRayHit call, void *user) {
            return bvt_for_each_hit(get(), tree.get(), &ray, max_time, call, user);
        });
    }

    Result<std::optional<ClosestPoint>> closest_point(const Tree &tree, const Point &to,
                                                      double max_distance = infinity) {
        ClosestPoint closest{};
        const Status status = bvt_closest_point(get(), tree.get(), to.data(), max_distance, &closest);
        return detail::optional(status, closest);
    }

    Result<BvtContainment> contains(const Tree &tree, const Point &at) {
        BvtContainment containment{};
        const Status status = bvt_contains(get(), tree.get(), at.data(), &containment);
        return detail::answer(status, BvtContainment(containment));
    }

    /* Whether a point is inside a mesh that may have holes, and how certain that is. */
    Result<RobustContainment> contains_robust(const Tree &tree, const Point &at) {
        RobustContainment containment{};
        const Status status = bvt_contains_robust(get(), tree.get(), at.data(), &containment);
        return detail::answer(status, RobustContainment(containment));
    }

    Result<std::optional<double>> signed_distance(const Tree &tree, const Point &at) {
        double distance = 0.0;
        const Status status = bvt_signed_distance(get(), tree.get(), at.data(), &distance);
        return detail::optional(status, distance);
    }

    /* Calls `visit(std::uint32_t face)` with each triangle that touches a box or a sphere. */
    template <class Function>
    Result<void> for_each_face_in_aabb(const Tree &tree, const Aabb &aabb, Function &&visit) {
        return detail::for_each<std::uint32_t>(visit, [&](BvtVisitFace call, void *user) {
            return bvt_for_each_face_in_aabb(get(), tree.get(), &aabb, call, user);
        });
    }
    template <class Function>
    Result<void> for_each_face_in_obb(const Tree &tree, const Obb &obb, Function &&visit) {
        return detail::for_each<std::uint32_t>(visit, [&](BvtVisitFace call, void *user) {
            return bvt_for_each_face_in_obb(get(), tree.get(), &obb, call, user);
        });
    }
    template <class Function>
    Result<void> for_each_face_in_sphere(const Tree &tree, const Sphere &sphere, Function &&visit) {
        return detail::for_each<std::uint32_t>(visit, [&](BvtVisitFace call, void *user) {
            return bvt_for_each_face_in_sphere(get(), tree.get(), &sphere, call, user);
        });
    }

    Result<std::optional<CastHit>> cast_capsule(const Tree &tree, const Capsule &capsule, const Point &displacement,
                                        const BvtCastOptions *options = nullptr) {
        CastHit hit{};
        const Status status = bvt_cast_capsule(get(), tree.get(), &capsule, displacement.data(), options, &hit);
        return detail::optional(status, hit);
    }

    /* Calls `visit(const CapsuleContact &)` for each triangle within `max_distance` of a capsule. */
    template <class Function>
    Result<void> for_each_capsule_contact(const Tree &tree, const Capsule &capsule, double max_distance, Function &&visit) {
        return detail::for_each<CapsuleContact>(visit, [&](BvtVisitCapsuleContact call, void *user) {
            return bvt_for_each_capsule_contact(get(), tree.get(), &capsule, max_distance, call, user);
        });
    }

    Result<std::optional<CapsuleContact>> closest_capsule_contact(const Tree &tree, const Capsule &capsule,
                                                          double max_distance) {
        CapsuleContact contact{};
        const Status status = bvt_closest_capsule_contact(get(), tree.get(), &capsule, max_distance, &contact);
        return detail::optional(status, contact);
    }

    /* Whether a convex shape, which is solid, shares a point with a triangle; a pose maps it into the mesh's frame. */
    Result<bool> intersects_convex(const Tree &tree, const ConvexShape &shape, const Pose &shape_to_mesh) {
        bool intersects = false;
        const Status status = bvt_intersects_convex(get(), tree.get(), shape.get(), &shape_to_mesh, &intersects);
        return detail::answer(status, bool(intersects));
    }

    /* Calls `visit(std::uint32_t face)` with each triangle that touches a convex shape. */
    template <class Function>
    Result<void> for_each_face_in_convex(const Tree &tree, const ConvexShape &shape, const Pose &shape_to_mesh,
                                         Function &&visit) {
        return detail::for_each<std::uint32_t>(visit, [&](BvtVisitFace call, void *user) {
            return bvt_for_each_face_in_convex(get(), tree.get(), shape.get(), &shape_to_mesh, call, user);
        });
    }

    Result<std::optional<ClosestToConvex>> closest_to_convex(const Tree &tree, const ConvexShape &shape,
                                                             const Pose &shape_to_mesh,
                                                             double upper_bound = infinity) {
        ClosestToConvex closest{};
        const Status status =
            bvt_closest_to_convex(get(), tree.get(), shape.get(), &shape_to_mesh, upper_bound, &closest);
        return detail::optional(status, closest);
    }

    /* The first contact of a convex shape that moves along a displacement, in the mesh's frame, without turning. */
    Result<std::optional<ConvexCastHit>> cast_convex(const Tree &tree, const ConvexShape &shape,
                                                     const Pose &shape_to_mesh, const Point &displacement,
                                                     const BvtCastOptions *options = nullptr) {
        ConvexCastHit hit{};
        const Status status = bvt_cast_convex(get(), tree.get(), shape.get(), &shape_to_mesh, displacement.data(),
                                              options, &hit);
        return detail::optional(status, hit);
    }

    /* Calls `visit(const ConvexContact &)` with the contact of each triangle within `max_distance` of a convex shape.
       Triangles that overlap the shape have a distance of at most zero. */
    template <class Function>
    Result<void> for_each_convex_contact(const Tree &tree, const ConvexShape &shape, const Pose &shape_to_mesh,
                                         double max_distance, Function &&visit) {
        return detail::for_each<ConvexContact>(visit, [&](BvtVisitConvexContact call, void *user) {
            return bvt_for_each_convex_contact(get(), tree.get(), shape.get(), &shape_to_mesh, max_distance, call, user);
        });
    }

    /* The contact of the triangle that overlaps a convex shape most deeply, or else of the nearest triangle. */
    Result<std::optional<ConvexContact>> closest_convex_contact(const Tree &tree, const ConvexShape &shape,
                                                                const Pose &shape_to_mesh,
                                                                double max_distance = infinity) {
        ConvexContact contact{};
        const Status status =
            bvt_closest_convex_contact(get(), tree.get(), shape.get(), &shape_to_mesh, max_distance, &contact);
        return detail::optional(status, contact);
    }

    /* Calls `visit(const ContactManifold &)` with each contact manifold of a mesh, A, and a convex shape, B, the deepest
       first, for a solver of rigid bodies. */
    template <class Function>
    Result<void> for_each_convex_contact_manifold(const Tree &tree, const ConvexShape &shape, const Pose &shape_to_mesh,
                                                  double margin, Function &&visit) {
        return detail::for_each<ContactManifold>(visit, [&](BvtVisitContactManifold call, void *user) {
            return bvt_for_each_convex_contact_manifold(get(), tree.get(), shape.get(), &shape_to_mesh, margin, call,
                                                        user);
        });
    }

    /* The vertex of a mesh that is farthest along a direction. If the direction is the inward normal of a half-space,
       this is the mesh's deepest point in the half-space or, if the mesh is outside, the point closest to it. */
    Result<std::optional<SupportPoint>> support_point(const Tree &tree, const Point &direction) {
        SupportPoint support{};
        const Status status = bvt_support_point(get(), tree.get(), direction.data(), &support);
        return detail::optional(status, support);
    }
};

/* Computes the winding number of a mesh around a point. */
inline Result<double> winding_number(const Tree &tree, const Point &at) {
    double winding = 0.0;
    const Status status = bvt_winding_number(tree.get(), at.data(), &winding);
    return detail::answer(status, double(winding));
}

} // namespace bvtree

#endif
