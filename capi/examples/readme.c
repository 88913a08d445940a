/* The first program of capi/README.md, which is quoted from here. */
#include <stdio.h>

#include <bvtree.h>

int main(void) {
    BvtMesh *mesh = NULL;
    BvtTree *gear = NULL;
    BvtQuery *query = NULL;
    bvt_mesh_open("data/gear.obj", NULL, &mesh);
    bvt_tree_build(mesh, NULL, &gear);             /* offline: bvt_tree_save(); at run time: bvt_tree_open() */
    bvt_mesh_free(mesh);
    bvt_query_new(BVT_SIMD_DETECT, &query);        /* one per thread */

    BvtPose b_to_a = bvt_pose_identity();
    b_to_a.translation[0] = 45.0;
    bool hit = false;
    BvtClosestPair closest;
    bvt_intersects(query, gear, gear, &b_to_a, &hit);
    bvt_distance(query, gear, gear, &b_to_a, NULL, &closest);   /* 0 exactly if they touch */

    bvt_query_free(query);
    bvt_tree_free(gear);
    printf("%s, distance %.2f\n", hit ? "they touch" : "apart", closest.distance);
    return hit || closest.distance < 1.0 || closest.distance > 1.1;
}
