/* Prints the size of trees, and the time to open them in memory and to query them, in microseconds: the best of several runs. */
#define _POSIX_C_SOURCE 199309L
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <bvtree.h>

#define OK(call) \
    do { \
        if ((call) < 0) { \
            fprintf(stderr, "line %d: %s\n", __LINE__, bvt_last_error()); \
            exit(1); \
        } \
    } while (0)

enum { RUNS = 20, POSES = 200 };

static double micros(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return 1e6 * (double)now.tv_sec + 1e-3 * (double)now.tv_nsec;
}

static void *allocate(void *user, size_t size, size_t alignment) { return (void)user, (void)alignment, malloc(size); }

/* Poses from overlapping to one size apart, rotated slightly from step to step. */
static void make_poses(const BvtTree *tree, BvtPose *poses) {
    const BvtAabb bounds = bvt_tree_bounds(tree);
    for (int i = 0; i < POSES; i++) {
        const double part = (double)(i + 1) / POSES;
        const double turn[4] = {0.3 * part, 0.5 * part, part, 1.0};
        const double move[3] = {2.0 * part * (bounds.upper[0] - bounds.lower[0]), 0.0, 0.0};
        OK(bvt_pose_from_quaternion(turn, move, &poses[i]));
    }
}

static double best_open(const uint8_t *data, size_t size, uint32_t flags) {
    double best = 1e30;
    for (int run = 0; run < RUNS; run++) {
        BvtTree *tree = NULL;
        const double begin = micros();
        OK(bvt_tree_from_buffer(data, size, flags, NULL, NULL, &tree));
        const double took = micros() - begin;
        bvt_tree_free(tree);
        if (took < best) best = took;
    }
    return best;
}

int main(int count, char **arguments) {
    static const char *const names[] = {"crate", "gear", "teapot", "torus_knot", "sword"};
    BvtQuery *query = NULL;
    OK(bvt_query_new(BVT_SIMD_DETECT, &query));
    printf("mesh        triangles    bytes  open checked  open trusted  hit    distance  (microseconds)\n");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[1024];
        BvtMesh *mesh = NULL;
        BvtTree *built = NULL, *tree = NULL;
        uint8_t *data = NULL;
        size_t size = 0;
        snprintf(path, sizeof path, "%s/%s.obj", count > 1 ? arguments[1] : "data", names[i]);
        OK(bvt_mesh_open(path, NULL, &mesh));
        OK(bvt_tree_build(mesh, NULL, &built));
        OK(bvt_tree_to_bytes(built, allocate, NULL, &data, &size));
        const double checked = best_open(data, size, 0), trusted = best_open(data, size, BVT_OPEN_TRUSTED);
        OK(bvt_tree_from_buffer(data, size, 0, NULL, NULL, &tree));

        BvtPose poses[POSES];
        make_poses(tree, poses);
        double hits = 1e30, distances = 1e30;
        for (int run = 0; run < RUNS; run++) {
            bool hit = false;
            BvtClosestPair closest;
            double begin = micros();
            for (int pose = 0; pose < POSES; pose++) OK(bvt_intersects(query, tree, tree, &poses[pose], &hit));
            double took = (micros() - begin) / POSES;
            if (took < hits) hits = took;
            begin = micros();
            for (int pose = 0; pose < POSES; pose++) OK(bvt_distance(query, tree, tree, &poses[pose], NULL, &closest));
            took = (micros() - begin) / POSES;
            if (took < distances) distances = took;
        }
        printf("%-11s %9zu  %7zu  %12.1f  %12.2f  %5.2f  %8.2f\n", names[i], bvt_mesh_triangle_count(mesh), size, checked, trusted, hits,
               distances);
        bvt_tree_free(tree);
        bvt_tree_free(built);
        bvt_mesh_free(mesh);
        free(data);
    }
    bvt_query_free(query);
    return 0;
}
