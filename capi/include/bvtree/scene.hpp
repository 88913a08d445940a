/* Scenes: queries over many posed bodies. */
#ifndef BVTREE_SCENE_HPP
#define BVTREE_SCENE_HPP

#include "compound.hpp"
#include "probe.hpp"
#include "query.hpp"
#include "refit.hpp"

namespace bvtree {

using BodyId = BvtBodyId;
using BodyPair = BvtBodyPair;
using NearPair = BvtNearPair;
using Neighbors = BvtNeighbors;
using RelatedPair = BvtRelatedPair;
using BodyManifold = BvtBodyManifold;
using OverlappingPair = BvtOverlappingPair;
using PenetratingPair = BvtPenetratingPair;
using BodyMotion = BvtBodyMotion;
using BodyImpact = BvtBodyImpact;
using NearBody = BvtNearBody;
using BodyHit = BvtBodyHit;
using BodyPoint = BvtBodyPoint;
using BodyContact = BvtBodyContact;
using BodyCastHit = BvtBodyCastHit;
using BodyConvexCastHit = BvtBodyConvexCastHit;

/* A scene of many bodies. Any number of threads may call its const functions at the same time, each with its own query
 * object or probe; all other functions need exclusive access. */
class Scene : public detail::Handle<BvtScene, bvt_scene_free> {
public:
    using Handle::Handle;

    static constexpr std::uint32_t all = 0xffffffffu;

    static Result<Scene> make(BvtSimd simd = BVT_SIMD_DETECT) {
        return detail::make<Scene>([&](BvtScene **scene) { return bvt_scene_new(simd, scene); });
    }

    Result<BodyId> add(const Tree &tree, const Pose &to_world, const BvtBodyOptions *options = nullptr) {
        BodyId body = 0;
        const Status status = bvt_scene_add(get(), tree.get(), &to_world, options, &body);
        return detail::answer(status, BodyId(body));
    }

    /* Adds a convex shape, which is always solid. */
    Result<BodyId> add(const ConvexShape &shape, const Pose &to_world, const BvtBodyOptions *options = nullptr) {
        BodyId body = 0;
        const Status status = bvt_scene_add_shape(get(), shape.get(), &to_world, options, &body);
        return detail::answer(status, BodyId(body));
    }

    /* Adds a compound, each part of which is a solid by itself if the options say that the body is solid. */
    Result<BodyId> add(const Compound &compound, const Pose &to_world, const BvtBodyOptions *options = nullptr) {
        BodyId body = 0;
        const Status status = bvt_scene_add_compound(get(), compound.get(), &to_world, options, &body);
        return detail::answer(status, BodyId(body));
    }

    Result<void> remove(BodyId body) { return detail::done(bvt_scene_remove(get(), body)); }

    Result<void> set_pose(BodyId body, const Pose &to_world) {
        return detail::done(bvt_scene_set_pose(get(), body, &to_world));
    }

    /* Moves many bodies; there must be as many poses as bodies. */
    Result<void> set_poses(View<const BodyId> bodies, View<const Pose> to_world) {
        if (bodies.size() != to_world.size()) return detail::done(BVT_ERROR_ARGUMENT, "there are not as many poses as bodies");
        return detail::done(bvt_scene_set_poses(get(), bodies.data(), to_world.data(), bodies.size()));
    }

    Result<void> set_groups(BodyId body, std::uint32_t groups, std::uint32_t mask) {
        return detail::done(bvt_scene_set_groups(get(), body, groups, mask));
    }

    Result<void> set_ignored(BodyId a, BodyId b, bool ignored) {
        return detail::done(bvt_scene_set_ignored(get(), a, b, ignored));
    }

    /* Compares only the pairs for which `accepts` returns nonzero; null compares all. `accepts` is called with `user`
     * on several threads at the same time; `user` must exist as long as the scene or until the filter is set again. See
     * bvt_scene_set_pair_filter. */
    Result<void> set_pair_filter(BvtAcceptsPair accepts, void *user = nullptr) {
        return detail::done(bvt_scene_set_pair_filter(get(), accepts, user));
    }

    Result<void> include_static_pairs(bool compare) { return detail::done(bvt_scene_include_static_pairs(get(), compare)); }

    Result<void> set_tree(BodyId body, const Tree &tree) {
        return detail::done(bvt_scene_set_tree(get(), body, tree.get()));
    }

    Result<void> set_shape(BodyId body, const ConvexShape &shape) {
        return detail::done(bvt_scene_set_shape(get(), body, shape.get()));
    }

    Result<void> set_compound(BodyId body, const Compound &compound) {
        return detail::done(bvt_scene_set_compound(get(), body, compound.get()));
    }

    Result<Refitted> refit(BodyId body, DeformingTree &deforming, View<const float> positions) {
        Refitted refitted{};
        const Status status = bvt_scene_refit(get(), body, deforming.get(), positions.data(), positions.size() / 3, 0,
                                              BVT_F32, &refitted);
        return detail::answer(status, Refitted(refitted));
    }

    Result<std::size_t> size() const {
        std::size_t count = 0;
        const Status status = bvt_scene_count(get(), &count);
        return detail::answer(status, std::size_t(count));
    }

    /* Whether a body is solid: as set in the options or, with BVT_SOLID_IF_CLOSED, if its mesh is closed. False for a
       convex shape, which is always solid. */
    Result<bool> is_solid(BodyId body) const {
        bool is_solid = false;
        const Status status = bvt_scene_is_solid(get(), body, &is_solid);
        return detail::answer(status, bool(is_solid));
    }

    Result<Pose> pose(BodyId body) const {
        Pose pose{};
        const Status status = bvt_scene_body(get(), body, &pose, nullptr, nullptr);
        return detail::answer(status, Pose(pose));
    }

    /* Calls `visit(const BodyPair &)` for each pair of intersecting bodies. */
    template <class Function>
    Result<void> for_each_intersecting_pair(Function &&visit) {
        return detail::for_each<BodyPair>(visit, [&](BvtVisitBodyPair call, void *user) {
            return bvt_scene_for_each_intersecting_pair(get(), call, user);
        });
    }

    /* Calls `visit(const NearPair &)` for each pair of bodies within a clearance. */
    template <class Function>
    Result<void> for_each_pair_within(double clearance, Function &&visit) {
        return detail::for_each<NearPair>(visit, [&](BvtVisitNearPair call, void *user) {
            return bvt_scene_for_each_pair_within(get(), clearance, call, user);
        });
    }

    Result<std::optional<NearPair>> closest_pair() {
        NearPair closest{};
        const Status status = bvt_scene_closest_pair(get(), &closest);
        return detail::optional(status, closest);
    }

    /* Calls `visit(const Neighbors &)` for each pair of bodies whose AABBs are at most `reach` apart. */
    template <class Function>
    Result<void> for_each_neighbor_pair(double reach, Function &&visit) {
        return detail::for_each<Neighbors>(visit, [&](BvtVisitNeighbors call, void *user) {
            return bvt_scene_for_each_neighbor_pair(get(), reach, call, user);
        });
    }

    /* Calls `visit(const RelatedPair &)` for each pair of bodies that are not separate. */
    template <class Function>
    Result<void> for_each_relation(double tolerance, Function &&visit) {
        return detail::for_each<RelatedPair>(visit, [&](BvtVisitRelatedPair call, void *user) {
            return bvt_scene_for_each_relation(get(), tolerance, call, user);
        });
    }

    /* Calls `visit(const BodyManifold &)` with each contact manifold of each pair of bodies, in the world. */
    template <class Function>
    Result<void> for_each_contact_manifold(double margin, Function &&visit) {
        return detail::for_each<BodyManifold>(visit, [&](BvtVisitBodyManifold call, void *user) {
            return bvt_scene_for_each_contact_manifold(get(), margin, call, user);
        });
    }

    /* Calls `visit(const OverlappingPair &)` for each pair of bodies that overlap. `open` is the choice for bodies whose
       mesh is open: BVT_SOLID_ROBUST gives them an inside; otherwise their pairs are left out. */
    template <class Function>
    Result<void> for_each_overlap_depth(BvtSolid open, const BvtDepthOptions *options, Function &&visit) {
        return detail::for_each<OverlappingPair>(visit, [&](BvtVisitOverlappingPair call, void *user) {
            return bvt_scene_for_each_overlap_depth(get(), open, options, call, user);
        });
    }

    /* Calls `visit(const PenetratingPair &)` for each pair of closed bodies whose interiors overlap. */
    template <class Function>
    Result<void> for_each_penetration_depth(const BvtDepthOptions *options, Function &&visit) {
        return detail::for_each<PenetratingPair>(visit, [&](BvtVisitPenetratingPair call, void *user) {
            return bvt_scene_for_each_penetration_depth(get(), options, call, user);
        });
    }

    Result<BvtRelation> relation(BodyId a, BodyId b, double tolerance = 0.0) const {
        BvtRelation relation{};
        const Status status = bvt_scene_relation(get(), a, b, tolerance, &relation);
        return detail::answer(status, BvtRelation(relation));
    }

    /* Calls `visit(const BodyImpact &)` for each pair of bodies that meet in their motions. `accuracy` is the distance
     * that may remain between the triangles at that time; it is not a clearance. */
    template <class Function>
    Result<void> for_each_impact(View<const BodyMotion> motions, double accuracy, Function &&visit) {
        return detail::for_each<BodyImpact>(visit, [&](BvtVisitBodyImpact call, void *user) {
            return bvt_scene_for_each_impact(get(), motions.data(), motions.size(), accuracy, call, user);
        });
    }

    Result<std::optional<BodyImpact>> first_impact(View<const BodyMotion> motions, double accuracy = 0.0) {
        BodyImpact impact{};
        const Status status = bvt_scene_first_impact(get(), motions.data(), motions.size(), accuracy, &impact);
        return detail::optional(status, impact);
    }

    /* Calls `visit(BodyId)` with each body that intersects a mesh. */
    template <class Function>
    Result<void> for_each_body_intersecting(Query &query, const Tree &tree, const Pose &to_world, std::uint32_t mask,
                                        Function &&visit) const {
        return detail::for_each<BodyId>(visit, [&](BvtVisitBody call, void *user) {
            return bvt_scene_for_each_body_intersecting(get(), query.get(), tree.get(), &to_world, mask, call, user);
        });
    }

    /* Calls `visit(const NearBody &)` with each body within a clearance of a mesh. */
    template <class Function>
    Result<void> for_each_body_within(Query &query, const Tree &tree, const Pose &to_world, double clearance,
                                         std::uint32_t mask, Function &&visit) const {
        return detail::for_each<NearBody>(visit, [&](BvtVisitNearBody call, void *user) {
            return bvt_scene_for_each_body_within(get(), query.get(), tree.get(), &to_world, clearance, mask, call,
                                                     user);
        });
    }

    /* The body that is closest to a mesh; `ignored` is a body to leave out, such as the mesh's own. */
    Result<std::optional<NearBody>> closest_body(Query &query, const Tree &tree, const Pose &to_world,
                                                 double max_distance = infinity, std::uint32_t mask = all,
                                                 const BodyId *ignored = nullptr) const {
        NearBody closest{};
        const Status status = bvt_scene_closest_body(get(), query.get(), tree.get(), &to_world, max_distance, mask,
                                                     ignored, &closest);
        return detail::optional(status, closest);
    }

    /* Calls `visit(BodyId)` with each body whose AABB is at most `reach` away from a mesh's. */
    template <class Function>
    Result<void> for_each_body_near(const Tree &tree, const Pose &to_world, double reach, std::uint32_t mask,
                                           Function &&visit) const {
        return detail::for_each<BodyId>(visit, [&](BvtVisitBody call, void *user) {
            return bvt_scene_for_each_body_near(get(), tree.get(), &to_world, reach, mask, call, user);
        });
    }

    Result<std::optional<BodyHit>> closest_hit(Probe &probe, const Ray &ray, double max_time = infinity,
                                               std::uint32_t mask = all) const {
        BodyHit hit{};
        const Status status = bvt_scene_closest_hit(get(), probe.get(), &ray, max_time, mask, &hit);
        return detail::optional(status, hit);
    }

    Result<bool> any_hit(Probe &probe, const Ray &ray, double max_time = infinity, std::uint32_t mask = all) const {
        bool hit = false;
        const Status status = bvt_scene_any_hit(get(), probe.get(), &ray, max_time, mask, &hit);
        return detail::answer(status, bool(hit));
    }

    /* Calls `visit(const BodyHit &)` with each triangle that a ray hits, sorted by time. */
    template <class Function>
    Result<void> for_each_hit(Probe &probe, const Ray &ray, double max_time, std::uint32_t mask,
                              Function &&visit) const {
        return detail::for_each<BodyHit>(visit, [&](BvtVisitBodyHit call, void *user) {
            return bvt_scene_for_each_hit(get(), probe.get(), &ray, max_time, mask, call, user);
        });
    }

    Result<std::optional<BodyPoint>> closest_point(Probe &probe, const Point &to, double max_distance = infinity,
                                                   std::uint32_t mask = all) const {
        BodyPoint closest{};
        const Status status = bvt_scene_closest_point(get(), probe.get(), to.data(), max_distance, mask, &closest);
        return detail::optional(status, closest);
    }

    Result<std::optional<BodyCastHit>> cast_capsule(Probe &probe, const Capsule &capsule, const Point &displacement,
                                            const BvtCastOptions *options = nullptr, std::uint32_t mask = all) const {
        BodyCastHit hit{};
        const Status status =
            bvt_scene_cast_capsule(get(), probe.get(), &capsule, displacement.data(), options, mask, &hit);
        return detail::optional(status, hit);
    }

    /* The first contact of a convex shape that moves along a displacement, without turning, from a pose in the world. */
    Result<std::optional<BodyConvexCastHit>> cast_convex(Probe &probe, const ConvexShape &shape, const Pose &shape_to_world,
                                                         const Point &displacement,
                                                         const BvtCastOptions *options = nullptr,
                                                         std::uint32_t mask = all) const {
        BodyConvexCastHit hit{};
        const Status status = bvt_scene_cast_convex(get(), probe.get(), shape.get(), &shape_to_world,
                                                    displacement.data(), options, mask, &hit);
        return detail::optional(status, hit);
    }

    /* Calls `visit(const BodyContact &)` for each triangle within `max_distance` of a capsule. */
    template <class Function>
    Result<void> for_each_capsule_contact(Probe &probe, const Capsule &capsule, double max_distance, std::uint32_t mask,
                                  Function &&visit) const {
        return detail::for_each<BodyContact>(visit, [&](BvtVisitBodyContact call, void *user) {
            return bvt_scene_for_each_capsule_contact(get(), probe.get(), &capsule, max_distance, mask, call, user);
        });
    }

    Result<std::optional<BodyContact>> closest_capsule_contact(Probe &probe, const Capsule &capsule, double max_distance,
                                                       std::uint32_t mask = all) const {
        BodyContact contact{};
        const Status status =
            bvt_scene_closest_capsule_contact(get(), probe.get(), &capsule, max_distance, mask, &contact);
        return detail::optional(status, contact);
    }
};

} // namespace bvtree

#endif
