/* Passes invalid arguments, and checks that each of them returns an error. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bvtree.h>

#define GIVES(expected, call) \
    do { \
        BvtStatus status = (call); \
        if (status != (expected)) { \
            fprintf(stderr, "line %d: %s gives %s (%s)\n", __LINE__, #call, bvt_status_name(status), bvt_last_error()); \
            exit(1); \
        } \
    } while (0)

static BvtQuery *query;
static BvtTree *tree;
static BvtScene *scene;
static BvtPose identity;

/* Uses the query object that is calling this callback. */
static int32_t again(void *user, const BvtFacePair *pair) {
    (void)pair;
    bool hit = false;
    *(BvtStatus *)user = bvt_intersects(query, tree, tree, &identity, &hit);
    return 1;
}
static int32_t change_scene(void *user, const BvtBodyPair *pair) {
    *(BvtStatus *)user = bvt_scene_remove(scene, pair->a);
    return 1;
}
static int32_t refuse(void *user, const uint8_t *data, size_t size) { return (void)user, (void)data, (void)size, 1; }
static void *no_memory(void *user, size_t size, size_t alignment) { return (void)user, (void)size, (void)alignment, NULL; }
static void *some_memory(void *user, size_t size, size_t alignment) { return (void)user, (void)alignment, malloc(size); }
static void count_release(void *user) { ++*(int *)user; }

static void nulls(void) {
    bool hit = false;
    BvtClosestPair closest;
    BvtMesh *mesh = NULL;
    GIVES(BVT_ERROR_ARGUMENT, bvt_intersects(NULL, tree, tree, &identity, &hit));
    GIVES(BVT_ERROR_ARGUMENT, bvt_intersects(query, NULL, tree, &identity, &hit));
    GIVES(BVT_ERROR_ARGUMENT, bvt_intersects(query, tree, NULL, &identity, &hit));
    GIVES(BVT_ERROR_ARGUMENT, bvt_intersects(query, tree, tree, NULL, &hit));
    GIVES(BVT_ERROR_ARGUMENT, bvt_intersects(query, tree, tree, &identity, NULL));
    if (strcmp(bvt_last_error(), "hit is null") != 0) exit(1);
    GIVES(BVT_ERROR_ARGUMENT, bvt_distance(query, tree, tree, &identity, NULL, NULL));
    GIVES(BVT_ERROR_ARGUMENT, bvt_for_each_intersecting_pair(query, tree, tree, &identity, NULL, NULL));
    GIVES(BVT_ERROR_ARGUMENT, bvt_intersecting_pairs(query, tree, tree, &identity, NULL, 3, &(size_t){0}));
    GIVES(BVT_ERROR_ARGUMENT, bvt_distance_many(tree, tree, NULL, 3, NULL, &closest));
    GIVES(BVT_ERROR_ARGUMENT, bvt_distance_many(tree, tree, &identity, 1, NULL, NULL));
    GIVES(BVT_ERROR_ARGUMENT, bvt_distance_many(tree, tree, &identity, SIZE_MAX / 8, NULL, &closest));
    GIVES(BVT_ERROR_ARGUMENT, bvt_mesh_new(NULL, &mesh));
    GIVES(BVT_ERROR_ARGUMENT, bvt_mesh_open(NULL, NULL, &mesh));
    GIVES(BVT_ERROR_ARGUMENT, bvt_mesh_open("x", NULL, NULL));
    GIVES(BVT_ERROR_ARGUMENT, bvt_tree_write(tree, NULL, NULL));
    GIVES(BVT_ERROR_ARGUMENT, bvt_tree_info(tree, NULL));
    GIVES(BVT_ERROR_ARGUMENT, bvt_scene_add(NULL, tree, &identity, NULL, &(BvtBodyId){0}));
    GIVES(BVT_ERROR_ARGUMENT, bvt_query_new(99, &query));
    bvt_mesh_free(NULL), bvt_tree_free(NULL), bvt_query_free(NULL), bvt_probe_free(NULL), bvt_scene_free(NULL);
    bvt_distance_tracker_free(NULL), bvt_deforming_tree_free(NULL), bvt_character_free(NULL), bvt_pool_free(NULL);
    if (bvt_mesh_vertex_count(NULL) != 0 || bvt_mesh_vertices(NULL) != NULL || bvt_tree_polygon(NULL, 5) != 5) exit(1);
}

static void meshes(void) {
    BvtMesh *mesh = NULL;
    float vertices[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    uint32_t indices[3] = {0, 1, 2};
    BvtMeshArrays arrays = {.struct_size = sizeof arrays, .vertices = vertices, .vertex_count = 3, .indices = indices, .triangle_count = 1};
    BvtMeshArrays bad = arrays;
    bad.struct_size = 0;
    GIVES(BVT_ERROR_ARGUMENT, bvt_mesh_new(&bad, &mesh));
    bad.struct_size = (size_t)-1;
    GIVES(BVT_ERROR_ARGUMENT, bvt_mesh_new(&bad, &mesh));
    bad = arrays, bad.vertex_type = 9;
    GIVES(BVT_ERROR_ARGUMENT, bvt_mesh_new(&bad, &mesh));
    bad = arrays, bad.index_type = 9;
    GIVES(BVT_ERROR_ARGUMENT, bvt_mesh_new(&bad, &mesh));
    bad = arrays, bad.vertex_stride = 5;
    GIVES(BVT_ERROR_ARGUMENT, bvt_mesh_new(&bad, &mesh));
    bad = arrays, bad.vertex_count = SIZE_MAX;
    GIVES(BVT_ERROR_MESH, bvt_mesh_new(&bad, &mesh));
    bad = arrays, bad.vertex_count = 1000, bad.vertex_stride = SIZE_MAX / 100;
    GIVES(BVT_ERROR_ARGUMENT, bvt_mesh_new(&bad, &mesh));
    bad = arrays, bad.vertices = NULL;
    GIVES(BVT_ERROR_ARGUMENT, bvt_mesh_new(&bad, &mesh));
    bad = arrays, bad.indices = NULL, bad.triangle_count = 2;
    GIVES(BVT_ERROR_MESH, bvt_mesh_new(&bad, &mesh));
    indices[1] = 7;
    GIVES(BVT_ERROR_MESH, bvt_mesh_new(&arrays, &mesh));
    indices[1] = 1, vertices[4] = NAN;
    GIVES(BVT_ERROR_MESH, bvt_mesh_new(&arrays, &mesh));
    const double huge[9] = {1e300, 0, 0, 1, 0, 0, 0, 1, 0};
    bad = arrays, bad.vertices = huge, bad.vertex_type = BVT_F64;
    GIVES(BVT_ERROR_MESH, bvt_mesh_new(&bad, &mesh));
    /* Arrays may begin at any address. */
    static char bytes[64];
    vertices[4] = 0;
    memcpy(bytes + 1, vertices, sizeof vertices);
    arrays.vertices = bytes + 1;
    GIVES(BVT_OK, bvt_mesh_new(&arrays, &mesh));
    BvtBuildOptions options = {.struct_size = sizeof options, .split = "sideways"};
    BvtTree *built = NULL;
    GIVES(BVT_ERROR_ARGUMENT, bvt_tree_build(mesh, &options, &built));
    options.split = NULL, options.kind = 7;
    GIVES(BVT_ERROR_ARGUMENT, bvt_tree_build(mesh, &options, &built));
    GIVES(BVT_ERROR_MASS, bvt_mesh_mass_properties(mesh, &(BvtMassProperties){0}));
    /* A structure of a later version that sets a field which this version lacks. */
    struct {
        BvtBuildOptions known;
        uint64_t later;
    } grown = {.known = {.struct_size = sizeof grown}};
    GIVES(BVT_OK, bvt_tree_build(mesh, &grown.known, &tree));
    grown.later = 1;
    GIVES(BVT_ERROR_ARGUMENT, bvt_tree_build(mesh, &grown.known, &built));
    bvt_mesh_free(mesh);
    GIVES(BVT_ERROR_IO, bvt_mesh_open("/there/is/no/such.obj", NULL, &mesh));
    GIVES(BVT_ERROR_MESH, bvt_mesh_read((const uint8_t *)"f 1 2 3\n", 8, "x.obj", NULL, &mesh));
    GIVES(BVT_ERROR_ARGUMENT, bvt_mesh_open("\xff\xfe", NULL, &mesh));
}

static void files(void) {
    uint8_t *data = NULL;
    size_t size = 0;
    BvtTree *opened = NULL;
    int releases = 0;
    GIVES(BVT_ERROR_CALLER, bvt_tree_to_bytes(tree, no_memory, NULL, &data, &size));
    GIVES(BVT_ERROR_CALLER, bvt_tree_write(tree, refuse, NULL));
    GIVES(BVT_OK, bvt_tree_to_bytes(tree, some_memory, NULL, &data, &size));
    GIVES(BVT_ERROR_FILE, bvt_tree_from_bytes(data, size - 1, &opened));
    GIVES(BVT_ERROR_FILE, bvt_tree_from_bytes(data, 0, &opened));
    GIVES(BVT_ERROR_FILE, bvt_tree_from_buffer(data, 3, 0, count_release, &releases, &opened));
    GIVES(BVT_ERROR_ARGUMENT, bvt_tree_from_buffer(data, size, 64, count_release, &releases, &opened));
    GIVES(BVT_ERROR_ARGUMENT, bvt_tree_from_buffer(NULL, size, 0, count_release, &releases, &opened));
    GIVES(BVT_ERROR_ARGUMENT, bvt_tree_from_buffer(data, size, 0, count_release, &releases, NULL));
    uint8_t *shifted = malloc(size + 8);
    memcpy(shifted + 8, data, size);
    GIVES(BVT_ERROR_MISALIGNED, bvt_tree_from_buffer(shifted + 8, size, 0, count_release, &releases, &opened));
    if (releases != 5) exit(1);
    for (size_t place = 0; place < size; place += 7) {
        data[place] ^= 0x40;
        BvtStatus status = bvt_tree_from_bytes(data, size, &opened);
        if (status != BVT_ERROR_FILE && status != BVT_ERROR_FORMAT_VERSION) exit(1);
        data[place] ^= 0x40;
    }
    GIVES(BVT_ERROR_ARGUMENT, bvt_tree_open("x", 64, &opened));
    GIVES(BVT_ERROR_IO, bvt_tree_open("/there/is/no/such.bvt", 0, &opened));
    GIVES(BVT_ERROR_IO, bvt_tree_open("/", BVT_OPEN_TRUSTED, &opened));
    GIVES(BVT_ERROR_ARGUMENT, bvt_tree_group(tree, 5, &(const char *){0}, &(size_t){0}, &(uint32_t){0}));
    free(shifted);
    free(data);
}

static void numbers(void) {
    bool hit = false;
    BvtPose bad = identity;
    bad.translation[1] = NAN;
    GIVES(BVT_ERROR_POSE, bvt_intersects(query, tree, tree, &bad, &hit));
    bad = identity, bad.rotation[0] = 2.0;
    GIVES(BVT_ERROR_POSE, bvt_intersects(query, tree, tree, &bad, &hit));
    bad.rotation[0] = -1.0;
    GIVES(BVT_ERROR_POSE, bvt_intersects_many(tree, tree, &bad, 1, &hit));
    GIVES(BVT_ERROR_POSE, bvt_pose_from_quaternion((const double[4]){0, 0, 0, 0}, (const double[3]){0, 0, 0}, &bad));
    GIVES(BVT_ERROR_POSE, bvt_pose_from_quaternion((const double[4]){0, 0, 0, 1}, (const double[3]){0, INFINITY, 0}, &bad));
    GIVES(BVT_ERROR_POSE, bvt_pose_from_quaternion((const double[4]){0, NAN, 0, 1}, (const double[3]){0, 0, 0}, &bad));
    GIVES(BVT_ERROR_POSE, bvt_pose_from_axis_angle((const double[3]){0, 0, 0}, 1.0, (const double[3]){0, 0, 0}, &bad));
    GIVES(BVT_ERROR_POSE, bvt_pose_from_axis_angle((const double[3]){0, 0, 1}, INFINITY, (const double[3]){0, 0, 0}, &bad));
    GIVES(BVT_ERROR_POSE, bvt_pose_from_euler_angles(0, NAN, 0, (const double[3]){0, 0, 0}, &bad));
    GIVES(BVT_ERROR_POSE, bvt_pose_from_translation((const double[3]){0, 0, NAN}, &bad));
    GIVES(BVT_ERROR_POSE, bvt_pose_from_columns((const float[16]){1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 2}, &bad));
    GIVES(BVT_ERROR_ARGUMENT, bvt_penetration_along(query, tree, tree, &identity, (const double[3]){0, 0, 0}, &(BvtDirectionalPenetration){0}));
    BvtWithin within;
    GIVES(BVT_OK, bvt_within(query, tree, tree, &identity, NAN, &within));
    if (within.is_within) exit(1);
    BvtProbe *probe = NULL;
    GIVES(BVT_OK, bvt_probe_new(0, &probe));
    GIVES(BVT_NONE, bvt_closest_point(probe, tree, (const double[3]){NAN, 0, 0}, INFINITY, &(BvtClosestPoint){0}));
    GIVES(BVT_NONE, bvt_closest_hit(probe, tree, &(BvtRay){{0, 0, 0}, {0, 0, 0}}, INFINITY, &(BvtRayHit){0}));
    BvtConvexShape *shape = NULL;
    bool touches = false;
    GIVES(BVT_ERROR_ARGUMENT, bvt_convex_shape_sphere(-1.0, &shape));
    GIVES(BVT_ERROR_ARGUMENT, bvt_convex_shape_capsule(1.0, NAN, &shape));
    GIVES(BVT_ERROR_ARGUMENT, bvt_convex_shape_cuboid((const double[3]){1, INFINITY, 1}, &shape));
    GIVES(BVT_ERROR_ARGUMENT, bvt_convex_shape_cuboid(NULL, &shape));
    GIVES(BVT_ERROR_ARGUMENT, bvt_convex_shape_hull(NULL, 0, &shape));
    GIVES(BVT_ERROR_ARGUMENT, bvt_convex_shape_hull(NULL, 2, &shape));
    GIVES(BVT_ERROR_ARGUMENT, bvt_convex_shape_hull((const double[3]){NAN, 0, 0}, SIZE_MAX / 2, &shape));
    GIVES(BVT_ERROR_ARGUMENT, bvt_convex_shape_hull((const double[3]){NAN, 0, 0}, 1, &shape));
    GIVES(BVT_ERROR_ARGUMENT, bvt_convex_shape_rounded(NULL, 1.0, &shape));
    GIVES(BVT_ERROR_ARGUMENT, bvt_convex_shape_sphere(1.0, NULL));
    GIVES(BVT_ERROR_ARGUMENT, bvt_intersects_convex(probe, tree, NULL, NULL, &touches));
    GIVES(BVT_OK, bvt_convex_shape_hull((const double[3]){0, 0, 0}, 1, &shape));
    GIVES(BVT_OK, bvt_intersects_convex(probe, tree, shape, NULL, &touches));
    GIVES(BVT_ERROR_POSE, bvt_intersects_convex(probe, tree, shape, &(BvtPose){{0}, {0}}, &touches));
    GIVES(BVT_NONE, bvt_closest_to_convex(probe, tree, shape, NULL, NAN, &(BvtClosestToConvex){0}));
    bvt_convex_shape_free(shape), bvt_convex_shape_free(NULL);
    bvt_probe_free(probe);
}

static void uses(void) {
    BvtStatus inner = BVT_OK;
    GIVES(BVT_OK, bvt_for_each_intersecting_pair(query, tree, tree, &identity, again, &inner));
    GIVES(BVT_ERROR_BUSY, inner);
    BvtBodyId a, b;
    GIVES(BVT_OK, bvt_scene_new(0, &scene));
    GIVES(BVT_OK, bvt_scene_add(scene, tree, &identity, NULL, &a));
    GIVES(BVT_OK, bvt_scene_add(scene, tree, &identity, NULL, &b));
    GIVES(BVT_OK, bvt_scene_for_each_intersecting_pair(scene, change_scene, &inner));
    GIVES(BVT_ERROR_BUSY, inner);
    BvtPose far = identity;
    far.translation[0] = 1e40;
    GIVES(BVT_ERROR_SCENE, bvt_scene_set_pose(scene, a, &far));
    GIVES(BVT_ERROR_NO_SUCH_BODY, bvt_scene_set_pose(scene, 12345, &identity));
    GIVES(BVT_ERROR_NO_SUCH_BODY, bvt_scene_remove(scene, UINT64_MAX));
    const BvtBodyMotion motions[2] = {{a, identity, identity}, {a, identity, identity}};
    GIVES(BVT_ERROR_SCENE, bvt_scene_first_impact(scene, motions, 2, 0.0, &(BvtBodyImpact){0}));
    bvt_scene_free(scene);
}

int main(void) {
    identity = bvt_pose_identity();
    GIVES(BVT_OK, bvt_query_new(BVT_SIMD_DETECT, &query));
    meshes();
    nulls();
    files();
    numbers();
    uses();
    bvt_tree_free(tree);
    bvt_query_free(query);
    puts("all of it was refused");
    return 0;
}
