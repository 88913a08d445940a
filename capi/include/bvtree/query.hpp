/* Queries on two trees. `b_to_a` maps B's coordinates into A's frame; results are in A's frame. */
#ifndef BVTREE_QUERY_HPP
#define BVTREE_QUERY_HPP

#include "tree.hpp"

namespace bvtree {

using FacePair = BvtFacePair;
using ClosestPair = BvtClosestPair;
using Contact = BvtContact;
using ContactPatch = BvtContactPatch;
using ManifoldPoint = BvtManifoldPoint;
using ContactManifold = BvtContactManifold;
using Polyline = BvtPolyline;
using Within = BvtWithin;
using HausdorffDistance = BvtHausdorffDistance;
using OverlapDepth = BvtOverlapDepth;
using OverlapRegion = BvtOverlapRegion;
using PenetrationDepth = BvtPenetrationDepth;
using Penetration = BvtPenetration;
using DirectionalPenetration = BvtDirectionalPenetration;
using FreeInterval = BvtFreeInterval;
using TimeOfImpact = BvtTimeOfImpact;
using Stats = BvtStats;

/* Runs queries on two trees. Keep one per thread. */
class Query : public detail::Handle<BvtQuery, bvt_query_free> {
public:
    using Handle::Handle;

    static Result<Query> make(BvtSimd simd = BVT_SIMD_DETECT) {
        return detail::make<Query>([&](BvtQuery **query) { return bvt_query_new(simd, query); });
    }

    /* Chooses whether A and B of later queries are surfaces or solids: BVT_SURFACE, BVT_SOLID_IF_CLOSED,
       BVT_SOLID_ROBUST. */
    Result<void> set_solids(BvtSolid a, BvtSolid b) { return detail::done(bvt_query_set_solids(get(), a, b)); }

    /* Restricts later queries to triangles of A and B with a layer in a mask; see bvt_query_set_masks. */
    Result<void> set_masks(std::optional<std::uint32_t> a, std::optional<std::uint32_t> b) {
        return detail::done(bvt_query_set_masks(get(), a ? &*a : nullptr, b ? &*b : nullptr));
    }

    Result<bool> intersects(const Tree &a, const Tree &b, const Pose &b_to_a) {
        bool hit = false;
        const Status status = bvt_intersects(get(), a.get(), b.get(), &b_to_a, &hit);
        return detail::answer(status, bool(hit));
    }

    /* Calls `visit(const FacePair &)` for each pair of intersecting triangles. */
    template <class Function>
    Result<void> for_each_intersecting_pair(const Tree &a, const Tree &b, const Pose &b_to_a, Function &&visit) {
        return detail::for_each<FacePair>(visit, [&](BvtVisitPair call, void *user) {
            return bvt_for_each_intersecting_pair(get(), a.get(), b.get(), &b_to_a, call, user);
        });
    }

    /* All intersecting pairs of triangles, in no particular order. */
    Result<std::vector<FacePair>> intersecting_pairs(const Tree &a, const Tree &b, const Pose &b_to_a) {
        std::vector<FacePair> pairs;
        const auto push = [&](const FacePair &pair) { pairs.push_back(pair); };
        const Status status = detail::visit_each<FacePair>(push, [&](BvtVisitPair call, void *user) {
            return bvt_for_each_intersecting_pair(get(), a.get(), b.get(), &b_to_a, call, user);
        });
        return detail::answer(status, std::move(pairs));
    }

    Result<std::size_t> count_pairs(const Tree &a, const Tree &b, const Pose &b_to_a) {
        std::size_t count = 0;
        const Status status = bvt_intersecting_pairs(get(), a.get(), b.get(), &b_to_a, nullptr, 0, &count);
        return detail::answer(status, std::size_t(count));
    }

    /* Calls `visit(const FacePair &)` for each pair of triangles whose leaves' volumes overlap. */
    template <class Function>
    Result<void> for_each_candidate(const Tree &a, const Tree &b, const Pose &b_to_a, Function &&visit) {
        return detail::for_each<FacePair>(visit, [&](BvtVisitPair call, void *user) {
            return bvt_for_each_candidate(get(), a.get(), b.get(), &b_to_a, call, user);
        });
    }

    /* Calls `visit(const FacePair &)` for each self-intersection of a mesh. */
    template <class Function>
    Result<void> for_each_self_pair(const Tree &tree, Function &&visit) {
        return detail::for_each<FacePair>(visit, [&](BvtVisitPair call, void *user) {
            return bvt_for_each_self_pair(get(), tree.get(), call, user);
        });
    }

    /* Calls `visit(const Contact &)` with the contact of each pair of intersecting triangles. */
    template <class Function>
    Result<void> for_each_contact(const Tree &a, const Tree &b, const Pose &b_to_a, Function &&visit) {
        return detail::for_each<Contact>(visit, [&](BvtVisitContact call, void *user) {
            return bvt_for_each_contact(get(), a.get(), b.get(), &b_to_a, call, user);
        });
    }

    /* Calls `visit(const ContactPatch &)` with each patch of connected contacts. */
    template <class Function>
    Result<void> for_each_contact_patch(const Tree &a, const Tree &b, const Pose &b_to_a, Function &&visit) {
        return detail::for_each<ContactPatch>(visit, [&](BvtVisitContactPatch call, void *user) {
            return bvt_for_each_contact_patch(get(), a.get(), b.get(), &b_to_a, call, user);
        });
    }

    /* Calls `visit(const ContactManifold &)` with each contact manifold, for a solver of rigid bodies, the deepest first.
       Contacts are found up to a depth of `margin` and across a gap of up to `margin`. */
    template <class Function>
    Result<void> for_each_contact_manifold(const Tree &a, const Tree &b, const Pose &b_to_a, double margin,
                                           Function &&visit) {
        return detail::for_each<ContactManifold>(visit, [&](BvtVisitContactManifold call, void *user) {
            return bvt_for_each_contact_manifold(get(), a.get(), b.get(), &b_to_a, margin, call, user);
        });
    }

    /* Calls `visit(const Polyline &)` with each intersection curve of the surfaces. */
    template <class Function>
    Result<void> for_each_intersection_curve(const Tree &a, const Tree &b, const Pose &b_to_a, Function &&visit) {
        return detail::for_each<Polyline>(visit, [&](BvtVisitPolyline call, void *user) {
            return bvt_for_each_intersection_curve(get(), a.get(), b.get(), &b_to_a, call, user);
        });
    }

    Result<std::optional<ClosestPair>> distance(const Tree &a, const Tree &b, const Pose &b_to_a,
                                                const BvtDistanceOptions *options = nullptr) {
        ClosestPair closest{};
        const Status status = bvt_distance(get(), a.get(), b.get(), &b_to_a, options, &closest);
        return detail::optional(status, closest);
    }

    Result<Within> within(const Tree &a, const Tree &b, const Pose &b_to_a, double tolerance) {
        Within within{};
        const Status status = bvt_within(get(), a.get(), b.get(), &b_to_a, tolerance, &within);
        return detail::answer(status, Within(within));
    }

    /* Calls `visit(const ClosestPair &)` for each pair of triangles within a tolerance. */
    template <class Function>
    Result<void> for_each_pair_within(const Tree &a, const Tree &b, const Pose &b_to_a, double tolerance,
                                 Function &&visit) {
        return detail::for_each<ClosestPair>(visit, [&](BvtVisitClosestPair call, void *user) {
            return bvt_for_each_pair_within(get(), a.get(), b.get(), &b_to_a, tolerance, call, user);
        });
    }

    Result<BvtRelation> relation(const Tree &a, const Tree &b, const Pose &b_to_a) {
        BvtRelation relation{};
        const Status status = bvt_relation(get(), a.get(), b.get(), &b_to_a, &relation);
        return detail::answer(status, BvtRelation(relation));
    }

    /* How far the surface of either of two solids reaches into the other. */
    Result<OverlapDepth> overlap_depth(const Tree &a, const Tree &b, const Pose &b_to_a,
                                       const BvtDepthOptions *options = nullptr) {
        OverlapDepth depth{};
        const Status status = bvt_overlap_depth(get(), a.get(), b.get(), &b_to_a, options, &depth);
        return detail::answer(status, OverlapDepth(depth));
    }

    /* Calls `visit(const OverlapRegion &)` with each region in which two solids overlap, the deepest first. */
    template <class Function>
    Result<void> for_each_overlap_region(const Tree &a, const Tree &b, const Pose &b_to_a,
                                         const BvtDepthOptions *options, Function &&visit) {
        return detail::for_each<OverlapRegion>(visit, [&](BvtVisitOverlapRegion call, void *user) {
            return bvt_for_each_overlap_region(get(), a.get(), b.get(), &b_to_a, options, call, user);
        });
    }

    /* The greatest distance from a point of one surface to the closest point of the other; none if a mesh is empty. */
    Result<std::optional<HausdorffDistance>> hausdorff_distance(const Tree &a, const Tree &b, const Pose &b_to_a,
                                                                BvtHausdorffDirection direction = BVT_BOTH_DIRECTIONS,
                                                                const BvtDepthOptions *options = nullptr) {
        HausdorffDistance distance{};
        const Status status =
            bvt_hausdorff_distance(get(), a.get(), b.get(), &b_to_a, direction, options, &distance);
        return detail::optional(status, distance);
    }

    /* The shortest translation of B after which the interiors of two solids do not overlap. */
    Result<PenetrationDepth> penetration_depth(const Tree &a, const Tree &b, const Pose &b_to_a,
                                               const BvtDepthOptions *options = nullptr) {
        PenetrationDepth depth{};
        const Status status = bvt_penetration_depth(get(), a.get(), b.get(), &b_to_a, options, &depth);
        return detail::answer(status, PenetrationDepth(depth));
    }

    Result<std::optional<Penetration>> penetration(const Tree &a, const Tree &b, const Pose &b_to_a) {
        Penetration penetration{};
        const Status status = bvt_penetration(get(), a.get(), b.get(), &b_to_a, &penetration);
        return detail::optional(status, penetration);
    }

    Result<std::optional<DirectionalPenetration>> penetration_along(const Tree &a, const Tree &b, const Pose &b_to_a,
                                                              const Point &direction) {
        DirectionalPenetration penetration{};
        const Status status =
            bvt_penetration_along(get(), a.get(), b.get(), &b_to_a, direction.data(), &penetration);
        return detail::optional(status, penetration);
    }

    /* The first way out along a direction: the first interval of lengths such that B, moved in this direction by a
       length strictly in between, is free of A. */
    Result<FreeInterval> free_interval_along(const Tree &a, const Tree &b, const Pose &b_to_a,
                                             const Point &direction) {
        FreeInterval interval{};
        const Status status =
            bvt_free_interval_along(get(), a.get(), b.get(), &b_to_a, direction.data(), &interval);
        return detail::answer(status, FreeInterval(interval));
    }

    /* Computes when B first touches A. `accuracy` is the distance that may remain between the triangles at the time of
     * impact; it is not a clearance. */
    Result<TimeOfImpact> time_of_impact(const Tree &a, const Tree &b, const Pose &start, const Pose &end,
                                        double accuracy = 0.0) {
        TimeOfImpact impact{};
        const Status status = bvt_time_of_impact(get(), a.get(), b.get(), &start, &end, accuracy, &impact);
        return detail::answer(status, TimeOfImpact(impact));
    }

    Result<Stats> stats() const {
        Stats stats{};
        const Status status = bvt_query_stats(get(), &stats);
        return detail::answer(status, Stats(stats));
    }
};

/* Tracks the distance between two meshes from pose to pose. */
class DistanceTracker : public detail::Handle<BvtDistanceTracker, bvt_distance_tracker_free> {
public:
    using Handle::Handle;

    static Result<DistanceTracker> of(const Tree &a, const Tree &b) {
        return detail::make<DistanceTracker>(
            [&](BvtDistanceTracker **tracker) { return bvt_distance_tracker_new(a.get(), b.get(), tracker); });
    }

    Result<std::optional<ClosestPair>> distance(Query &query, const Pose &b_to_a,
                                                const BvtDistanceOptions *options = nullptr) {
        ClosestPair closest{};
        const Status status = bvt_distance_tracker_distance(get(), query.get(), &b_to_a, options, &closest);
        return detail::optional(status, closest);
    }
};

/* Batched queries at many poses, on all threads of the pool. */
namespace many {

/* Writes 0 or 1 for each pose. */
inline Result<void> intersects(const Tree &a, const Tree &b, View<const Pose> poses, View<bool> hits) {
    if (hits.size() < poses.size()) return detail::done(BVT_ERROR_ARGUMENT, "there is no room for an answer at each pose");
    return detail::done(bvt_intersects_many(a.get(), b.get(), poses.data(), poses.size(), hits.data()));
}

/* Finds the first pose at which the meshes intersect; empty if there is none. */
inline Result<std::optional<std::size_t>> first_hit(const Tree &a, const Tree &b, View<const Pose> poses) {
    std::size_t index = 0;
    const Status status = bvt_first_hit_many(a.get(), b.get(), poses.data(), poses.size(), &index);
    return detail::optional(status, index);
}

/* Computes the distance at each pose: infinite if a mesh is empty or the options' upper bound is exceeded. */
inline Result<std::vector<ClosestPair>> distance(const Tree &a, const Tree &b, View<const Pose> poses,
                                                 const BvtDistanceOptions *options = nullptr) {
    std::vector<ClosestPair> closest(poses.size());
    const Status status =
        bvt_distance_many(a.get(), b.get(), poses.data(), poses.size(), options, closest.data());
    return detail::answer(status, std::move(closest));
}

inline Result<std::vector<std::uint64_t>> count_pairs(const Tree &a, const Tree &b, View<const Pose> poses) {
    std::vector<std::uint64_t> counts(poses.size());
    const Status status = bvt_count_pairs_many(a.get(), b.get(), poses.data(), poses.size(), counts.data());
    return detail::answer(status, std::move(counts));
}

inline Result<std::vector<Within>> within(const Tree &a, const Tree &b, View<const Pose> poses, double tolerance) {
    std::vector<Within> within(poses.size());
    const Status status =
        bvt_within_many(a.get(), b.get(), poses.data(), poses.size(), tolerance, within.data());
    return detail::answer(status, std::move(within));
}

} // namespace many
} // namespace bvtree

#endif
