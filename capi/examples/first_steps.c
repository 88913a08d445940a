/* Builds a tree from a mesh file, and queries whether two instances of it touch and how far apart they are. */
#include <stdio.h>
#include <stdlib.h>

#include <bvtree.h>

static void check(BvtStatus status) {
    if (status < 0) {
        fprintf(stderr, "%s: %s\n", bvt_status_name(status), bvt_last_error());
        exit(1);
    }
}

int main(int count, char **arguments) {
    char path[1024];
    snprintf(path, sizeof path, "%s/gear.obj", count > 1 ? arguments[1] : "data");

    BvtMesh *mesh = NULL;
    BvtTree *gear = NULL;
    BvtQuery *query = NULL;
    check(bvt_mesh_open(path, NULL, &mesh));
    check(bvt_tree_build(mesh, NULL, &gear)); /* offline: bvt_tree_save(); at run time: bvt_tree_open() */
    bvt_mesh_free(mesh);
    check(bvt_query_new(BVT_SIMD_DETECT, &query)); /* one for each thread */

    BvtPose b_to_a = bvt_pose_identity();
    double apart[] = {40.0, 100.0};
    for (int i = 0; i < 2; i++) {
        b_to_a.translation[0] = apart[i];
        size_t pairs = 0;
        BvtClosestPair closest;
        check(bvt_intersecting_pairs(query, gear, gear, &b_to_a, NULL, 0, &pairs));
        check(bvt_distance(query, gear, gear, &b_to_a, NULL, &closest));
        printf("%g mm between the axes: %zu pairs of triangles touch, distance %g\n", apart[i], pairs, closest.distance);
    }

    bvt_query_free(query);
    bvt_tree_free(gear);
    return 0;
}
