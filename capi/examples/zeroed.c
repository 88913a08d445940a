/* Passes options of which only struct_size is set: they mean the same as null. Without struct_size, they are refused. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bvtree.h>

#define CHECK(condition) \
    do { \
        if (!(condition)) { \
            fprintf(stderr, "line %d: %s: %s\n", __LINE__, #condition, bvt_last_error()); \
            exit(1); \
        } \
    } while (0)

/* Zeroed options with and without their size. */
#define OPTIONS(Type) \
    Type zero = {0}, given = {0}; \
    given.struct_size = sizeof given

/* That an error is about the size. */
#define REFUSED(call) CHECK((call) == BVT_ERROR_ARGUMENT && strstr(bvt_last_error(), "struct_size is 0") != NULL)

static BvtPose identity, apart;

static BvtTree *build(const BvtMesh *mesh, const BvtBuildOptions *options) {
    BvtTree *tree = NULL;
    CHECK(bvt_tree_build(mesh, options, &tree) == BVT_OK);
    return tree;
}

static void same_trees(const BvtTree *one, const BvtTree *other) {
    BvtTreeInfo infos[2];
    memset(infos, 0, sizeof infos);
    infos[0].struct_size = infos[1].struct_size = sizeof infos[0];
    CHECK(bvt_tree_info(one, &infos[0]) == BVT_OK && bvt_tree_info(other, &infos[1]) == BVT_OK);
    CHECK(memcmp(&infos[0], &infos[1], sizeof infos[0]) == 0 && infos[0].triangles > 0);
}

static BvtMesh *reading(const char *path) {
    OPTIONS(BvtReadOptions);
    BvtMesh *mesh = NULL, *same = NULL;
    REFUSED(bvt_mesh_open(path, &zero, &mesh));
    CHECK(bvt_mesh_open(path, NULL, &mesh) == BVT_OK && bvt_mesh_open(path, &given, &same) == BVT_OK);
    BvtTree *one = build(mesh, NULL), *other = build(same, NULL);
    same_trees(one, other);
    bvt_tree_free(one);
    bvt_tree_free(other);
    bvt_mesh_free(same);
    return mesh;
}

static BvtTree *building(const BvtMesh *mesh) {
    OPTIONS(BvtBuildOptions);
    BvtTree *tree = build(mesh, NULL), *same = build(mesh, &given), *none = NULL;
    same_trees(tree, same);
    REFUSED(bvt_tree_build(mesh, &zero, &none));
    bvt_tree_free(same);
    return tree;
}

static void distances(BvtQuery *query, const BvtTree *tree) {
    OPTIONS(BvtDistanceOptions);
    BvtClosestPair found[2];
    memset(found, 0, sizeof found);
    CHECK(bvt_distance(query, tree, tree, &apart, NULL, &found[0]) == BVT_OK);
    CHECK(bvt_distance(query, tree, tree, &apart, &given, &found[1]) == BVT_OK);
    CHECK(found[0].distance == found[1].distance && found[0].distance > 0.0);
    REFUSED(bvt_distance(query, tree, tree, &apart, &zero, &found[0]));
}

static void depths(BvtQuery *query, const BvtTree *tree) {
    OPTIONS(BvtDepthOptions);
    BvtOverlapDepth found[2];
    memset(found, 0, sizeof found);
    BvtPose shifted = identity;
    shifted.translation[0] = 0.5;
    CHECK(bvt_overlap_depth(query, tree, tree, &shifted, NULL, &found[0]) == BVT_OK);
    CHECK(bvt_overlap_depth(query, tree, tree, &shifted, &given, &found[1]) == BVT_OK);
    CHECK(found[0].lower == found[1].lower && found[0].upper == found[1].upper && found[0].upper > 0.0);
    REFUSED(bvt_overlap_depth(query, tree, tree, &shifted, &zero, &found[0]));
}

static void casts(const BvtTree *tree) {
    OPTIONS(BvtCastOptions);
    BvtProbe *probe = NULL;
    CHECK(bvt_probe_new(0, &probe) == BVT_OK);
    const BvtCapsule capsule = {{1000.0, 0.0, -1000.0}, {1000.0, 0.0, 1000.0}, 0.25};
    const double aside[3] = {-2000.0, 0.0, 0.0};
    BvtCastHit found[2];
    memset(found, 0, sizeof found);
    CHECK(bvt_cast_capsule(probe, tree, &capsule, aside, NULL, &found[0]) == BVT_OK);
    CHECK(bvt_cast_capsule(probe, tree, &capsule, aside, &given, &found[1]) == BVT_OK);
    CHECK(found[0].time == found[1].time && found[0].time < 1.0);
    REFUSED(bvt_cast_capsule(probe, tree, &capsule, aside, &zero, &found[0]));
    bvt_probe_free(probe);
}

static void refits(const BvtTree *tree, const BvtMesh *mesh) {
    OPTIONS(BvtRefitOptions);
    BvtDeformingTree *deforming = NULL;
    CHECK(bvt_deforming_tree_new(tree, mesh, &given, &deforming) == BVT_OK);
    bvt_deforming_tree_free(deforming);
    REFUSED(bvt_deforming_tree_new(tree, mesh, &zero, &deforming));
}

static void bodies(const BvtTree *tree) {
    OPTIONS(BvtBodyOptions);
    BvtScene *scene = NULL;
    BvtBodyId ids[2];
    CHECK(bvt_scene_new(0, &scene) == BVT_OK);
    CHECK(bvt_scene_add(scene, tree, &identity, NULL, &ids[0]) == BVT_OK);
    CHECK(bvt_scene_add(scene, tree, &identity, &given, &ids[1]) == BVT_OK);
    for (int i = 0; i < 2; ++i) {
        bool is_solid = true;
        uint64_t user = 1;
        CHECK(bvt_scene_is_solid(scene, ids[i], &is_solid) == BVT_OK && !is_solid);
        CHECK(bvt_scene_body(scene, ids[i], NULL, &user, NULL) == BVT_OK && user == 0);
    }
    REFUSED(bvt_scene_add(scene, tree, &identity, &zero, &ids[0]));
    bvt_scene_free(scene);
}

static void characters(void) {
    OPTIONS(BvtCharacterOptions);
    const double feet[3] = {1.0, 2.0, 3.0};
    BvtSurroundings surroundings = {0};
    surroundings.struct_size = sizeof surroundings;
    CHECK(bvt_scene_new(0, &surroundings.scene) == BVT_OK);
    const double walk[3] = {1.0, 0.0, 0.0};
    BvtCharacterStep steps[3];
    const BvtCharacterOptions defaults = bvt_character_defaults(), *same[3] = {NULL, &defaults, &given};
    BvtCharacter *character = NULL;
    for (int i = 0; i < 3; ++i) {
        CHECK(bvt_character_new(same[i], feet, &character) == BVT_OK);
        CHECK(bvt_character_step(character, &surroundings, walk, 0.0, 0.5, &steps[i]) == BVT_OK);
        CHECK(memcmp(steps[i].feet, steps[0].feet, sizeof steps[0].feet) == 0 && steps[i].feet[2] < 2.5);
        CHECK(memcmp(steps[i].velocity, steps[0].velocity, sizeof steps[0].velocity) == 0);
        bvt_character_free(character);
    }
    bvt_scene_free(surroundings.scene);
    REFUSED(bvt_character_new(&zero, feet, &character));
    /* Other zeros are zeros. */
    given.height = 2.0;
    CHECK(bvt_character_new(&given, feet, &character) == BVT_ERROR_ARGUMENT);
}

int main(int count, char **arguments) {
    char path[1024];
    snprintf(path, sizeof path, "%s/gear.obj", count > 1 ? arguments[1] : "data");
    identity = apart = bvt_pose_identity();
    apart.translation[0] = 50.0;
    BvtMesh *mesh = reading(path);
    BvtTree *tree = building(mesh);
    BvtQuery *query = NULL;
    CHECK(bvt_query_new(0, &query) == BVT_OK);
    distances(query, tree);
    depths(query, tree);
    casts(tree);
    refits(tree, mesh);
    bodies(tree);
    characters();
    bvt_query_free(query);
    bvt_tree_free(tree);
    bvt_mesh_free(mesh);
    puts("Zeroed options are the defaults.");
    return 0;
}
