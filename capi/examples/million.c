/* Makes a million calls that create, keep and free objects, and checks that memory use does not grow after the first tenth. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <bvtree.h>

#define OK(call) \
    do { \
        if ((call) < 0) { \
            fprintf(stderr, "line %d: %s\n", __LINE__, bvt_last_error()); \
            exit(1); \
        } \
    } while (0)

/* Memory in use, in pages; 0 without /proc/self/statm, and under a sanitizer, which keeps freed memory and reports leaks itself. */
static long resident(void) {
    long total = 0, pages = 0;
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#endif
#ifdef SANITIZED
    return 0;
#endif
    FILE *file = fopen("/proc/self/statm", "r");
    if (file != NULL) {
        if (fscanf(file, "%ld %ld", &total, &pages) != 2) pages = 0;
        fclose(file);
    }
    return pages;
}

static int32_t take(void *user, const BvtContact *contact) { return (void)contact, ++*(size_t *)user, 0; }

int main(int count, char **arguments) {
    const long calls = count > 2 ? atol(arguments[2]) : 1000000;
    const float vertices[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    const uint16_t indices[12] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3};
    BvtMeshArrays arrays = {.struct_size = sizeof arrays, .vertices = vertices, .vertex_count = 4, .indices = indices,
                            .triangle_count = 4, .index_type = BVT_U16};
    BvtMesh *mesh = NULL;
    BvtTree *tree = NULL;
    BvtQuery *query = NULL;
    OK(bvt_mesh_new(&arrays, &mesh));
    OK(bvt_tree_build(mesh, NULL, &tree));
    OK(bvt_query_new(BVT_SIMD_DETECT, &query));
    long early = 0;
    size_t contacts = 0;
    double sum = 0.0;
    for (long call = 0; call < calls; call += 10) {
        BvtPose pose = bvt_pose_identity();
        pose.translation[0] = 2.0 * (double)(call % 1000) / 1000.0;
        bool hit = false;
        BvtClosestPair closest = {0};
        BvtTree *copy = NULL;
        BvtMesh *another = NULL;
        BvtProbe *probe = NULL;
        OK(bvt_intersects(query, tree, tree, &pose, &hit));
        OK(bvt_distance(query, tree, tree, &pose, NULL, &closest));
        OK(bvt_for_each_contact(query, tree, tree, &pose, take, &contacts));
        OK(bvt_mesh_new(&arrays, &another));
        bvt_mesh_free(another);
        OK(bvt_tree_share(tree, &copy));
        bvt_tree_free(copy);
        OK(bvt_probe_new(BVT_SIMD_DETECT, &probe));
        bvt_probe_free(probe);
        pose.rotation[0] = NAN; /* errors keep a text */
        if (bvt_intersects(query, tree, tree, &pose, &hit) != BVT_ERROR_POSE) return 1;
        sum += closest.distance;
        if (call == calls / 10) early = resident();
    }
    const long grown = resident() - early;
    printf("%ld calls, %zu contacts, mean distance %g, %ld pages more than after a tenth\n", calls, contacts, 10.0 * sum / (double)calls,
           grown);
    bvt_query_free(query);
    bvt_tree_free(tree);
    bvt_mesh_free(mesh);
    return grown < 256 ? 0 : 1;
}
