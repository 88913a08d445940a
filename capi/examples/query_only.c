/* The minimum that a game ships: opens a cooked tree in memory, and queries whether two instances touch and how far apart they are.
 * docs/engines.md has the program's size. */
#include <bvtree.h>

int main(int count, char **arguments) {
    static uint64_t pak[1 << 17]; /* the contents of the pak file */
    BvtTree *tree = NULL;
    BvtQuery *query = NULL;
    BvtClosestPair closest = {0};
    bool hit = false;
    (void)count, (void)arguments;
    if (bvt_tree_from_buffer((const uint8_t *)pak, sizeof pak, 0, NULL, NULL, &tree) != BVT_OK) return 0; /* this example has no data */
    if (bvt_query_new(BVT_SIMD_DETECT, &query) != BVT_OK) return 2;
    const BvtPose pose = bvt_pose_identity();
    bvt_intersects(query, tree, tree, &pose, &hit);
    bvt_distance(query, tree, tree, &pose, NULL, &closest);
    return hit;
}
