/* Runs every kind of query in C on two cubes, whose results are easy to check. Exits with 1 and prints the line of the first wrong result. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bvtree.h>

#define CHECK(condition) \
    do { \
        if (!(condition)) { \
            fprintf(stderr, "line %d: %s; last error: %s\n", __LINE__, #condition, bvt_last_error()); \
            exit(1); \
        } \
    } while (0)
#define OK(call) CHECK((call) == BVT_OK)
#define NEAR(a, b) (fabs((a) - (b)) < 1e-9)

/* A cube of side 2 around the origin; the bits of a corner's index give its coordinates. */
typedef struct {
    double position[3];
    float color[4];
} Vertex;
static const uint16_t TRIANGLES[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                                          {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};

static BvtMesh *cube(void) {
    Vertex vertices[8];
    for (int i = 0; i < 8; i++) {
        for (int k = 0; k < 3; k++) vertices[i].position[k] = (i >> k) & 1 ? 1.0 : -1.0;
    }
    BvtMeshArrays arrays = {.struct_size = sizeof arrays};
    arrays.vertices = vertices[0].position;
    arrays.vertex_count = 8;
    arrays.vertex_stride = sizeof(Vertex);
    arrays.vertex_type = BVT_F64;
    arrays.indices = TRIANGLES;
    arrays.triangle_count = 12;
    arrays.index_type = BVT_U16;
    BvtMesh *mesh = NULL;
    OK(bvt_mesh_new(&arrays, &mesh));
    return mesh;
}

static BvtPose at(double x, double y, double z) {
    BvtPose pose = bvt_pose_identity();
    pose.translation[0] = x, pose.translation[1] = y, pose.translation[2] = z;
    return pose;
}

/* Callbacks count their calls; some stop at the first. */
static int32_t count_all(size_t *count) { return (*count)++, 0; }
static int32_t on_pair(void *user, const BvtFacePair *pair) { return pair->face_a < 12 ? count_all(user) : 1; }
static int32_t on_first_pair(void *user, const BvtFacePair *pair) { return (void)pair, count_all(user), 1; }
static int32_t on_contact(void *user, const BvtContact *contact) { return contact->point_count > 0 ? count_all(user) : 1; }
static int32_t on_region(void *user, const BvtOverlapRegion *region) { return region->depth.has_point ? count_all(user) : 1; }
static int32_t on_patch(void *user, const BvtContactPatch *patch) { return patch->contact_count > 0 ? count_all(user) : 1; }
static int32_t on_line(void *user, const BvtPolyline *line) { return line->point_count > 1 ? count_all(user) : 1; }
static int32_t on_near(void *user, const BvtClosestPair *pair) { return pair->distance <= 1.0 ? count_all(user) : 1; }
static int32_t on_hit(void *user, const BvtRayHit *hit) { return hit->time >= 0.0 ? count_all(user) : 1; }
static int32_t on_face(void *user, const uint32_t *face) { return *face < 12 ? count_all(user) : 1; }
static int32_t on_capsule(void *user, const BvtCapsuleContact *contact) { return contact->face < 12 ? count_all(user) : 1; }
static int32_t on_bodies(void *user, const BvtBodyPair *pair) { return pair->a < pair->b ? count_all(user) : 1; }
static int32_t on_near_bodies(void *user, const BvtNearPair *pair) { return pair->distance >= 0.0 ? count_all(user) : 1; }
static int32_t on_neighbors(void *user, const BvtNeighbors *pair) { return pair->b_to_a.rotation[0] == 1.0 ? count_all(user) : 1; }
static int32_t on_related(void *user, const BvtRelatedPair *pair) { return pair->relation != BVT_SEPARATE ? count_all(user) : 1; }
static int32_t on_manifold(void *user, const BvtContactManifold *manifold) { return manifold->point_count <= 4 && manifold->points[0].id != 0 ? count_all(user) : 1; }
static int32_t on_body_manifold(void *user, const BvtBodyManifold *found) { return NEAR(found->manifold.normal[0], 1.0) && NEAR(found->manifold.points[0].depth, 0.1) ? count_all(user) : 1; }
static int32_t on_overlapping(void *user, const BvtOverlappingPair *pair) { return pair->depth.lower <= 0.5 && pair->depth.upper >= 0.5 && pair->depth.has_point ? count_all(user) : 1; }
static int32_t on_penetrating(void *user, const BvtPenetratingPair *pair) { return pair->depth.lower <= 0.5 && pair->depth.upper >= 0.5 - 1e-9 ? count_all(user) : 1; }
static int32_t on_impact(void *user, const BvtBodyImpact *impact) { return impact->time > 0.0 ? count_all(user) : 1; }
static int32_t on_body(void *user, const BvtBodyId *body) { return (void)body, count_all(user); }
static int32_t on_near_body(void *user, const BvtNearBody *near) { return near->distance >= 0.0 ? count_all(user) : 1; }
static int32_t on_body_hit(void *user, const BvtBodyHit *hit) { return hit->hit.time >= 0.0 ? count_all(user) : 1; }
static int32_t on_body_contact(void *user, const BvtBodyContact *contact) { return (void)contact, count_all(user); }

static void pairs(BvtQuery *query, const BvtTree *tree) {
    const BvtPose crossing = at(1.5, 0.5, 0.25), apart = at(3.0, 0.0, 0.0), inside = at(0.0, 0.0, 0.0);
    bool hit = false;
    size_t count = 0, total = 0;
    OK(bvt_intersects(query, tree, tree, &crossing, &hit));
    CHECK(hit);
    OK(bvt_for_each_intersecting_pair(query, tree, tree, &crossing, on_pair, &total));
    CHECK(total > 2);
    OK(bvt_for_each_intersecting_pair(query, tree, tree, &crossing, on_first_pair, &count));
    CHECK(count == 1);
    BvtFacePair first[2];
    OK(bvt_intersecting_pairs(query, tree, tree, &crossing, first, 2, &count));
    CHECK(count == total);
    count = 0;
    OK(bvt_for_each_candidate(query, tree, tree, &crossing, on_pair, &count));
    CHECK(count >= total);
    count = 0;
    OK(bvt_for_each_self_pair(query, tree, on_pair, &count));
    CHECK(count == 0);
    OK(bvt_for_each_contact(query, tree, tree, &crossing, on_contact, &count));
    CHECK(count == total);
    size_t patches = 0, lines = 0;
    OK(bvt_for_each_contact_patch(query, tree, tree, &crossing, on_patch, &patches));
    OK(bvt_for_each_intersection_curve(query, tree, tree, &crossing, on_line, &lines));
    CHECK(patches == 1 && lines >= 1);
    const BvtPose shallow = at(1.9, 0.1, 0.2), gap = at(2.1, 0.1, 0.2);
    size_t manifolds = 0;
    OK(bvt_for_each_contact_manifold(query, tree, tree, &shallow, 0.15, on_manifold, &manifolds));
    OK(bvt_for_each_contact_manifold(query, tree, tree, &gap, 0.15, on_manifold, &manifolds));
    OK(bvt_for_each_contact_manifold(query, tree, tree, &gap, 0.05, on_manifold, &manifolds));
    CHECK(manifolds == 2);

    BvtClosestPair closest;
    OK(bvt_distance(query, tree, tree, &apart, NULL, &closest));
    CHECK(NEAR(closest.distance, 1.0) && NEAR(closest.on_a[0], 1.0) && NEAR(closest.on_b[0], 2.0));
    BvtDistanceOptions bounded = {.struct_size = sizeof bounded, .has_upper_bound = true, .upper_bound = 0.5};
    CHECK(bvt_distance(query, tree, tree, &apart, &bounded, &closest) == BVT_NONE);
    BvtWithin within;
    OK(bvt_within(query, tree, tree, &apart, 1.0, &within));
    CHECK(within.is_within);
    OK(bvt_within(query, tree, tree, &apart, 0.5, &within));
    CHECK(!within.is_within && within.lower_bound >= 0.5 && within.lower_bound <= 1.0 + 1e-9);
    count = 0;
    OK(bvt_for_each_pair_within(query, tree, tree, &apart, 1.0, on_near, &count));
    CHECK(count > 0);
    BvtDistanceTracker *tracker = NULL;
    OK(bvt_distance_tracker_new(tree, tree, &tracker));
    for (int i = 0; i < 10; i++) {
        const BvtPose pose = at(3.0 + 0.1 * i, 0.0, 0.0);
        OK(bvt_distance_tracker_distance(tracker, query, &pose, NULL, &closest));
        CHECK(NEAR(closest.distance, 1.0 + 0.1 * i));
    }
    bvt_distance_tracker_free(tracker);

    BvtRelation relation;
    OK(bvt_relation(query, tree, tree, &crossing, &relation));
    CHECK(relation == BVT_CROSSING);
    OK(bvt_relation(query, tree, tree, &apart, &relation));
    CHECK(relation == BVT_SEPARATE);
    OK(bvt_relation(query, tree, tree, &inside, &relation));
    CHECK(relation == BVT_TOUCHING);
    BvtPenetration penetration;
    OK(bvt_penetration(query, tree, tree, &crossing, &penetration));
    CHECK(NEAR(penetration.upper_bound, 0.5));
    CHECK(bvt_penetration(query, tree, tree, &apart, &penetration) == BVT_NONE);
    BvtOverlapDepth overlap;
    OK(bvt_overlap_depth(query, tree, tree, &crossing, NULL, &overlap));
    CHECK(overlap.lower <= 0.5 && overlap.upper >= 0.5 && overlap.upper < 0.506 && overlap.has_point);
    size_t regions = 0;
    OK(bvt_for_each_overlap_region(query, tree, tree, &crossing, NULL, on_region, &regions));
    CHECK(regions == 1);
    BvtHausdorffDistance farthest;
    OK(bvt_hausdorff_distance(query, tree, tree, &apart, BVT_BOTH_DIRECTIONS, NULL, &farthest));
    CHECK(farthest.lower <= 3.0 && farthest.upper >= 3.0 && farthest.upper < 3.04);
    OK(bvt_hausdorff_distance(query, tree, tree, &inside, BVT_A_TO_B, NULL, &farthest));
    CHECK(NEAR(farthest.upper, 0.0));
    CHECK(bvt_hausdorff_distance(query, tree, tree, &apart, 3, NULL, &farthest) == BVT_ERROR_ARGUMENT);
    BvtPenetrationDepth depth;
    BvtDepthOptions precise = {.struct_size = sizeof precise, .relative_tolerance = 1e-6};
    OK(bvt_penetration_depth(query, tree, tree, &crossing, &precise, &depth));
    CHECK(NEAR(depth.translation[0], 0.5) && depth.lower <= 0.5 && depth.upper >= 0.5 && depth.upper < 0.500001);
    OK(bvt_penetration_depth(query, tree, tree, &apart, NULL, &depth));
    CHECK(depth.upper == 0.0);
    BvtDirectionalPenetration along;
    OK(bvt_penetration_along(query, tree, tree, &crossing, (const double[3]){0.0, 2.0, 0.0}, &along));
    CHECK(NEAR(along.depth, 1.5));
    BvtFreeInterval way_out;
    OK(bvt_free_interval_along(query, tree, tree, &crossing, (const double[3]){0.0, 2.0, 0.0}, &way_out));
    CHECK(NEAR(way_out.start, 1.5) && way_out.end == INFINITY);
    CHECK(bvt_free_interval_along(query, tree, tree, &crossing, (const double[3]){0.0, 0.0, 0.0}, &way_out) == BVT_ERROR_ARGUMENT);
    BvtTimeOfImpact impact;
    const BvtPose far = at(5.0, 0.0, 0.0);
    OK(bvt_time_of_impact(query, tree, tree, &far, &inside, 0.0, &impact));
    CHECK(impact.outcome == BVT_IMPACT && NEAR(impact.time, 0.6));
    OK(bvt_time_of_impact(query, tree, tree, &far, &apart, 0.0, &impact));
    CHECK(impact.outcome == BVT_NO_IMPACT);

    const BvtPose poses[3] = {crossing, apart, far};
    bool hits[3];
    uint64_t counts[3];
    BvtClosestPair all[3];
    BvtWithin withins[3];
    OK(bvt_intersects_many(tree, tree, poses, 3, hits));
    size_t first_hit = 9;
    OK(bvt_first_hit_many(tree, tree, poses, 3, &first_hit));
    CHECK(first_hit == 0 && bvt_first_hit_many(tree, tree, poses + 1, 2, &first_hit) == BVT_NONE);
    OK(bvt_count_pairs_many(tree, tree, poses, 3, counts));
    OK(bvt_distance_many(tree, tree, poses, 3, NULL, all));
    OK(bvt_within_many(tree, tree, poses, 3, 1.0, withins));
    CHECK(hits[0] && !hits[1] && !hits[2] && counts[0] == total && counts[1] == 0);
    CHECK(all[0].distance == 0.0 && NEAR(all[2].distance, 3.0) && withins[1].is_within && !withins[2].is_within);
    BvtStats stats;
    OK(bvt_query_stats(query, &stats));
    CHECK(stats.volume_tests > 0);
}

static void probes(BvtProbe *probe, const BvtTree *tree) {
    const BvtRay ray = {{-5.0, 0.25, 0.5}, {1.0, 0.0, 0.0}}, miss = {{-5.0, 3.0, 0.0}, {1.0, 0.0, 0.0}};
    BvtRayHit hit;
    OK(bvt_closest_hit(probe, tree, &ray, INFINITY, &hit));
    CHECK(NEAR(hit.time, 4.0) && NEAR(hit.normal[0], -1.0));
    CHECK(bvt_closest_hit(probe, tree, &miss, INFINITY, &hit) == BVT_NONE);
    bool any = false;
    OK(bvt_any_hit(probe, tree, &ray, 3.0, &any));
    CHECK(!any);
    size_t count = 0;
    OK(bvt_for_each_hit(probe, tree, &ray, INFINITY, on_hit, &count));
    CHECK(count == 2);
    const double point[3] = {3.0, 0.0, 0.0}, middle[3] = {0.0, 0.0, 0.0};
    BvtClosestPoint closest;
    OK(bvt_closest_point(probe, tree, point, INFINITY, &closest));
    CHECK(NEAR(closest.distance, 2.0) && NEAR(closest.point[0], 1.0));
    CHECK(bvt_closest_point(probe, tree, point, 1.0, &closest) == BVT_NONE);
    BvtContainment where;
    OK(bvt_contains(probe, tree, middle, &where));
    CHECK(where == BVT_INSIDE);
    BvtRobustContainment robust;
    OK(bvt_contains_robust(probe, tree, point, &robust));
    CHECK(robust.containment == BVT_OUTSIDE && robust.certainty == 1.0);
    double distance = 0.0, winding = 0.0;
    OK(bvt_signed_distance(probe, tree, middle, &distance));
    OK(bvt_winding_number(tree, middle, &winding));
    CHECK(NEAR(distance, -1.0) && NEAR(winding, 1.0));
    count = 0;
    OK(bvt_for_each_face_in_aabb(probe, tree, &(BvtAabb){{0.9, 0.9, 0.9}, {2.0, 2.0, 2.0}}, on_face, &count));
    OK(bvt_for_each_face_in_obb(probe, tree, &(BvtObb){{1.0, 1.0, 1.0}, {1, 0, 0, 0, 1, 0, 0, 0, 1}, {0.1, 0.1, 0.1}}, on_face, &count));
    OK(bvt_for_each_face_in_sphere(probe, tree, &(BvtSphere){{1.0, 1.0, 1.0}, 0.1}, on_face, &count));
    CHECK(count > 8 && count % 3 == 0);
    const BvtCapsule capsule = {{4.0, 0.0, 0.0}, {4.0, 0.0, 0.5}, 0.5};
    BvtCastHit cast;
    OK(bvt_cast_capsule(probe, tree, &capsule, (const double[3]){-5.0, 0.0, 0.0}, NULL, &cast));
    CHECK(NEAR(cast.time, 0.5));
    count = 0;
    OK(bvt_for_each_capsule_contact(probe, tree, &capsule, 3.0, on_capsule, &count));
    BvtCapsuleContact contact;
    OK(bvt_closest_capsule_contact(probe, tree, &capsule, 3.0, &contact));
    CHECK(count > 0 && NEAR(contact.distance, 2.5) && NEAR(contact.normal[0], 1.0));
    BvtStats stats;
    OK(bvt_probe_stats(probe, &stats));
}

static void scenes(BvtQuery *query, BvtProbe *probe, const BvtTree *tree, const BvtMesh *mesh) {
    BvtScene *scene = NULL;
    BvtBodyId ids[3];
    OK(bvt_scene_new(BVT_SIMD_DETECT, &scene));
    const BvtPose poses[3] = {at(0, 0, 0), at(1.5, 0, 0), at(8, 0, 0)};
    for (int i = 0; i < 3; i++) {
        BvtBodyOptions options = {.struct_size = sizeof options, .user = 7u + (unsigned)i};
        OK(bvt_scene_add(scene, tree, &poses[i], &options, &ids[i]));
    }
    size_t touching = 0, near = 0, neighbors = 0, related = 0, impacts = 0, count = 0;
    OK(bvt_scene_for_each_intersecting_pair(scene, on_bodies, &touching));
    OK(bvt_scene_for_each_pair_within(scene, 10.0, on_near_bodies, &near));
    OK(bvt_scene_for_each_neighbor_pair(scene, 0.0, on_neighbors, &neighbors));
    OK(bvt_scene_for_each_relation(scene, 0.0, on_related, &related));
    CHECK(touching == 1 && near == 3 && neighbors == 1 && related == 1);
    size_t overlapping = 0, manifolds = 0;
    OK(bvt_scene_for_each_overlap_depth(scene, BVT_SURFACE, NULL, on_overlapping, &overlapping));
    CHECK(overlapping == 1 && bvt_scene_for_each_overlap_depth(scene, BVT_SOLID, NULL, on_overlapping, &overlapping) == BVT_ERROR_ARGUMENT);
    size_t penetrating = 0;
    OK(bvt_scene_for_each_penetration_depth(scene, NULL, on_penetrating, &penetrating));
    CHECK(penetrating == 1);
    const BvtPose shallow = at(1.9, 0.1, 0.2);
    OK(bvt_scene_set_pose(scene, ids[1], &shallow));
    OK(bvt_scene_for_each_contact_manifold(scene, 0.15, on_body_manifold, &manifolds));
    CHECK(manifolds == 1);
    OK(bvt_scene_set_pose(scene, ids[1], &poses[1]));
    BvtNearPair closest;
    OK(bvt_scene_closest_pair(scene, &closest));
    CHECK(closest.distance == 0.0 && closest.bodies.a == ids[0] && closest.bodies.b == ids[1]);
    BvtRelation relation;
    OK(bvt_scene_relation(scene, ids[0], ids[1], 0.0, &relation));
    CHECK(relation == BVT_CROSSING);
    const BvtBodyMotion motion = {ids[2], poses[2], at(0, 0, 0)};
    BvtBodyImpact impact;
    OK(bvt_scene_for_each_impact(scene, &motion, 1, 0.0, on_impact, &impacts));
    OK(bvt_scene_first_impact(scene, &motion, 1, 0.0, &impact));
    CHECK(impacts >= 1 && impact.time >= 0.0);
    BvtSceneStats stats;
    OK(bvt_scene_stats(scene, &stats));

    OK(bvt_scene_for_each_body_intersecting(scene, query, tree, &poses[0], ~0u, on_body, &count));
    OK(bvt_scene_for_each_body_within(scene, query, tree, &poses[0], 1.0, ~0u, on_near_body, &count));
    OK(bvt_scene_for_each_body_near(scene, tree, &poses[0], 0.0, ~0u, on_body, &count));
    CHECK(count == 6);
    const BvtRay ray = {{-5.0, 0.25, 0.5}, {1.0, 0.0, 0.0}};
    BvtBodyHit hit;
    bool any = false;
    count = 0;
    OK(bvt_scene_closest_hit(scene, probe, &ray, INFINITY, ~0u, &hit));
    OK(bvt_scene_any_hit(scene, probe, &ray, INFINITY, ~0u, &any));
    OK(bvt_scene_for_each_hit(scene, probe, &ray, INFINITY, ~0u, on_body_hit, &count));
    CHECK(hit.body == ids[0] && any && count == 6);
    BvtBodyPoint point;
    OK(bvt_scene_closest_point(scene, probe, (const double[3]){10.0, 0.0, 0.0}, INFINITY, ~0u, &point));
    CHECK(point.body == ids[2] && NEAR(point.distance, 1.0));
    const BvtCapsule capsule = {{12.0, 0.0, 0.0}, {12.0, 0.0, 0.5}, 0.5};
    BvtBodyCastHit cast;
    BvtBodyContact contact;
    OK(bvt_scene_cast_capsule(scene, probe, &capsule, (const double[3]){-5.0, 0.0, 0.0}, NULL, ~0u, &cast));
    OK(bvt_scene_closest_capsule_contact(scene, probe, &capsule, 3.0, ~0u, &contact));
    OK(bvt_scene_for_each_capsule_contact(scene, probe, &capsule, 3.0, ~0u, on_body_contact, &count));
    CHECK(cast.body == ids[2] && NEAR(cast.hit.time, 0.5) && contact.body == ids[2]);

    uint64_t user = 0;
    BvtPose where;
    BvtTree *body_tree = NULL;
    OK(bvt_scene_body(scene, ids[1], &where, &user, &body_tree));
    CHECK(user == 8 && where.translation[0] == 1.5);
    OK(bvt_scene_set_tree(scene, ids[1], body_tree));
    bvt_tree_free(body_tree);
    const BvtPose moved[2] = {at(0, 20, 0), at(0, 40, 0)};
    OK(bvt_scene_set_pose(scene, ids[0], &moved[0]));
    OK(bvt_scene_set_poses(scene, ids, moved, 2));
    OK(bvt_scene_set_groups(scene, ids[0], 2, ~0u));
    OK(bvt_scene_set_ignored(scene, ids[0], ids[1], true));
    OK(bvt_scene_include_static_pairs(scene, true));
    touching = 0;
    OK(bvt_scene_for_each_intersecting_pair(scene, on_bodies, &touching));
    CHECK(touching == 0);

    BvtDeformingTree *deforming = NULL;
    BvtRefitted refitted;
    OK(bvt_deforming_tree_new(tree, mesh, NULL, &deforming));
    float positions[24];
    for (int i = 0; i < 24; i++) positions[i] = 2.0f * bvt_mesh_vertices(mesh)[i];
    OK(bvt_deforming_tree_refit(deforming, positions, 8, 0, BVT_F32, &refitted));
    OK(bvt_deforming_tree_refit_moved(deforming, (const uint32_t[1]){7}, (const float[3]){3, 3, 3}, 1, NULL));
    OK(bvt_scene_refit(scene, ids[2], deforming, positions, 8, 0, BVT_F32, NULL));
    double ratio = 0.0;
    OK(bvt_deforming_tree_cost_ratio(deforming, &ratio));
    OK(bvt_deforming_tree_rebuild(deforming));
    BvtTree *now = NULL;
    OK(bvt_deforming_tree_tree(deforming, &now));
    CHECK(bvt_tree_bounds(now).upper[0] == 2.0 && ratio > 0.0 && refitted.volumes > 0);
    bvt_tree_free(now);
    bvt_deforming_tree_free(deforming);
    OK(bvt_scene_remove(scene, ids[0]));
    OK(bvt_scene_count(scene, &count));
    CHECK(count == 2 && bvt_scene_remove(scene, ids[0]) == BVT_ERROR_NO_SUCH_BODY);
    bvt_scene_free(scene);
}

/* Allocates the memory for cooked bytes. */
static void *allocate(void *user, size_t size, size_t alignment) {
    (void)user, (void)alignment; /* malloc aligns to 16 bytes here */
    return malloc(size);
}
static int32_t add_size(void *user, const uint8_t *data, size_t size) { return (void)data, *(size_t *)user += size, 0; }
static void count_release(void *user) { ++*(int *)user; }
static int32_t in_pool(void *user) {
    BvtTree *tree = NULL;
    BvtStatus status = bvt_tree_build(user, NULL, &tree);
    bvt_tree_free(tree);
    return status == BVT_OK ? 0 : 1;
}

static void cooked(const BvtMesh *mesh, const BvtTree *tree) {
    uint8_t *data = NULL;
    size_t size = 0, counted = 0, written = 0;
    OK(bvt_tree_to_bytes(tree, allocate, NULL, &data, &size));
    OK(bvt_tree_cooked_size(tree, &counted));
    OK(bvt_tree_write(tree, add_size, &written));
    CHECK(size == counted && size == written);
    BvtTree *copied = NULL, *lent = NULL, *second = NULL;
    int releases = 0;
    OK(bvt_tree_from_bytes(data, size, &copied));
    OK(bvt_tree_from_buffer(data, size, BVT_OPEN_TRUSTED, count_release, &releases, &lent));
    OK(bvt_tree_share(lent, &second));
    bvt_tree_free(lent);
    CHECK(releases == 0);
    OK(bvt_tree_validate(second));
    BvtMesh *back = NULL;
    OK(bvt_tree_to_mesh(second, &back));
    CHECK(bvt_mesh_triangle_count(back) == 12 && bvt_mesh_vertex_count(back) == 8 && bvt_mesh_triangles(back) != NULL);
    bvt_mesh_free(back);
    bvt_tree_free(second);
    CHECK(releases == 1);
    bvt_tree_free(copied);
    free(data);

    BvtTreeInfo info = {.struct_size = sizeof info};
    OK(bvt_tree_info(tree, &info));
    CHECK(info.triangles == 12 && info.kind == BVT_KIND_OBB && info.groups == 0 && bvt_tree_polygon(tree, 3) == 3);
    BvtWatertightness watertightness;
    OK(bvt_tree_watertightness(tree, &watertightness));
    CHECK(watertightness == BVT_WATERTIGHTNESS_ORIENTED);
    BvtMeshReport report = {.struct_size = sizeof report};
    OK(bvt_mesh_report(mesh, &report));
    CHECK(report.components == 1 && report.watertightness == BVT_WATERTIGHTNESS_ORIENTED && bvt_mesh_bounds(mesh).lower[1] == -1.0);
    BvtMassProperties mass;
    OK(bvt_mesh_mass_properties(mesh, &mass));
    CHECK(NEAR(mass.volume, 8.0));
    BvtPool *pool = NULL;
    OK(bvt_pool_new(2, &pool));
    OK(bvt_pool_run(pool, in_pool, (void *)(uintptr_t)mesh));
    bvt_pool_free(pool);
}

static void walks(const BvtTree *tree) {
    BvtCharacterOptions options = bvt_character_defaults();
    BvtCharacter *character = NULL;
    OK(bvt_character_new(&options, (const double[3]){0, 0, 1.5}, &character));
    BvtScene *scene = NULL;
    BvtBodyId ground, press;
    const BvtPose below = at(0, 0, 0), above = at(0, 0, 4), pressing = at(0, 0, 3.6), far = at(50, 0, 0);
    OK(bvt_scene_new(0, &scene));
    OK(bvt_scene_add(scene, tree, &below, NULL, &ground));
    OK(bvt_scene_add(scene, tree, &far, NULL, &press));
    BvtSurroundings surroundings = {sizeof(BvtSurroundings), scene, NULL, 0, NULL, 0, 0, NULL, 0};
    BvtCharacterStep step;
    for (int i = 0; i < 60; i++) OK(bvt_character_step(character, &surroundings, (const double[3]){0.1, 0, 0}, 0.0, 1.0 / 60.0, &step));
    BvtGround on;
    BvtCapsule capsule;
    OK(bvt_character_ground(character, &on));
    OK(bvt_character_capsule(character, &capsule));
    CHECK(step.is_on_ground && on.body == ground && fabs(step.feet[2] - 1.0) < 0.1 && capsule.radius == options.radius);
    CHECK(!step.is_overlapping && step.overlap_depth == 0.0 && fabs(step.camera_offset) < 1e-6);
    /* A press comes down to z = 2.6; the ground is at z = 1. */
    const BvtBodyMotion down = {press, above, pressing};
    surroundings.motions = &down;
    surroundings.motion_count = 1;
    OK(bvt_character_step(character, &surroundings, (const double[3]){0, 0, 0}, 0.0, 1.0 / 60.0, &step));
    CHECK(step.is_crushed && step.is_overlapping && step.overlap_body == press && fabs(step.overlap_depth - 0.21) < 0.02);
    CHECK(step.feet[2] > 1.0);
    /* What is one-sided is passed from behind and still carries. */
    surroundings.one_sided = &ground;
    surroundings.one_sided_count = 1;
    surroundings.motion_count = 0;
    OK(bvt_character_step(character, &surroundings, (const double[3]){0, 0, 0}, 0.0, 1.0 / 60.0, &step));
    CHECK(step.is_on_ground);
    surroundings.one_sided_count = 0;
    /* The character crouches below the press, and has no room to stand up. */
    BvtCharacterOptions low = options;
    low.perch_radius_threshold = low.radius;
    CHECK(bvt_character_set_options(character, &low) == BVT_ERROR_ARGUMENT);
    low.perch_radius_threshold = 0.1;
    low.height = 1.0;
    bool has_room = true;
    OK(bvt_character_set_options(character, &low));
    OK(bvt_scene_set_pose(scene, press, &pressing));
    surroundings.motion_count = 0;
    OK(bvt_character_step(character, &surroundings, (const double[3]){0, 0, 0}, 0.0, 1.0 / 60.0, &step));
    OK(bvt_character_has_room(character, &surroundings, &options, &has_room));
    CHECK(!step.is_overlapping && step.is_on_ground && !has_room);
    /* A conveyor belt carries the character, and a motion of the ground lifts it. */
    const BvtSurfaceVelocity belt = {ground, {0.6, 0, 0}};
    surroundings.surface_velocities = &belt;
    surroundings.surface_velocity_count = 1;
    const double before = step.feet[0], height = step.feet[2];
    OK(bvt_character_step(character, &surroundings, (const double[3]){0, 0, 0}, 0.0, 1.0 / 60.0, &step));
    CHECK(step.is_on_ground && fabs(step.feet[0] - before - 0.01) < 1e-6);
    const BvtBodyMotion lift = {ground, below, at(0, 0, 0.05)};
    surroundings.motions = &lift;
    surroundings.motion_count = 1;
    OK(bvt_character_step(character, &surroundings, (const double[3]){0, 0, 0}, 0.0, 1.0 / 60.0, &step));
    CHECK(step.is_on_ground && fabs(step.feet[2] - height - 0.05) < 1e-3);
    OK(bvt_scene_remove(scene, ground));
    CHECK(bvt_character_step(character, &surroundings, (const double[3]){0, 0, 0}, 0.0, 1.0 / 60.0, &step) == BVT_ERROR_NO_SUCH_BODY);
    bvt_scene_free(scene);
    OK(bvt_character_set_velocity(character, (const double[3]){1, 0, 3}));
    CHECK(bvt_character_ground(character, &on) == BVT_NONE);
    OK(bvt_character_teleport(character, (const double[3]){0, 0, 9}));
    CHECK(bvt_character_ground(character, &on) == BVT_NONE);
    bvt_character_free(character);
}

static void poses(void) {
    BvtPose turned, inverse, product, relative;
    OK(bvt_pose_from_quaternion((const double[4]){0, 0, 1, 1}, (const double[3]){1, 2, 3}, &turned));
    const double quarter[9] = {0, -1, 0, 1, 0, 0, 0, 0, 1}, half_turn[9] = {-1, 0, 0, 0, -1, 0, 0, 0, 1}, pi = 3.14159265358979323846;
    for (int k = 0; k < 9; k++) CHECK(turned.rotation[k] == quarter[k]);
    OK(bvt_pose_from_quaternion((const double[4]){0, 0, sin(pi / 4), cos(pi / 4)}, (const double[3]){1, 2, 3}, &product));
    for (int k = 0; k < 9; k++) CHECK(product.rotation[k] == quarter[k]);
    OK(bvt_pose_from_quaternion((const double[4]){0, 0, 1, cos(pi / 2)}, (const double[3]){1, 2, 3}, &product));
    for (int k = 0; k < 9; k++) CHECK(product.rotation[k] == half_turn[k]);
    OK(bvt_pose_from_axis_angle((const double[3]){0, 0, 7}, pi, (const double[3]){1, 2, 3}, &product));
    for (int k = 0; k < 9; k++) CHECK(product.rotation[k] == half_turn[k]);
    for (int degrees = 0; degrees < 360; degrees++) {
        OK(bvt_pose_from_axis_angle((const double[3]){0, 0, 1}, degrees * pi / 180.0, (const double[3]){0, 0, 0}, &product));
        const double *r = product.rotation;
        CHECK(r[2] == 0 && r[5] == 0 && r[6] == 0 && r[7] == 0 && r[8] == 1 && NEAR(r[3], sin(degrees * pi / 180.0)));
    }
    OK(bvt_pose_from_euler_angles(pi, 0, -pi / 2, (const double[3]){0, 0, 0}, &product));
    const double both[9] = {0, -1, 0, -1, 0, 0, 0, 0, -1};
    for (int k = 0; k < 9; k++) CHECK(product.rotation[k] == both[k]);
    OK(bvt_pose_from_translation((const double[3]){40, 0, 0}, &product));
    CHECK(product.rotation[0] == 1 && product.translation[0] == 40 && product.translation[1] == 0);
    OK(bvt_pose_inverse(turned, &inverse));
    OK(bvt_pose_product(turned, inverse, &product));
    OK(bvt_pose_relative(turned, turned, &relative));
    for (int k = 0; k < 3; k++) CHECK(NEAR(product.translation[k], 0.0) && NEAR(relative.translation[k], 0.0));
    const float columns[16] = {0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 1, 0, 1, 2, 3, 1};
    OK(bvt_pose_from_columns(columns, &product));
    for (int k = 0; k < 9; k++) CHECK(NEAR(product.rotation[k], turned.rotation[k]));
    CHECK(bvt_abi_version() == BVT_ABI_VERSION && bvt_format_version() > 0 && strlen(bvt_version()) >= 5);
    CHECK(bvt_simd_detect() != BVT_SIMD_DETECT);
}

int main(void) {
    BvtMesh *mesh = cube();
    const uint32_t kinds[3] = {BVT_KIND_OBB, BVT_KIND_AABB, BVT_KIND_SPHERE};
    BvtQuery *query = NULL;
    BvtProbe *probe = NULL;
    OK(bvt_query_new(BVT_SIMD_DETECT, &query));
    OK(bvt_probe_new(BVT_SIMD_DETECT, &probe));
    poses();
    for (int i = 0; i < 3; i++) {
        BvtBuildOptions options = {.struct_size = sizeof options, .kind = kinds[i], .split = "median"};
        BvtTree *tree = NULL;
        OK(bvt_tree_build(mesh, &options, &tree));
        pairs(query, tree);
        probes(probe, tree);
        scenes(query, probe, tree, mesh);
        walks(tree);
        if (i == 0) cooked(mesh, tree);
        bvt_tree_free(tree);
    }
    bvt_probe_free(probe);
    bvt_query_free(query);
    bvt_mesh_free(mesh);
    puts("all answers are as expected");
    return 0;
}
