/* A robot from a URDF file in the calls of a planner: which configurations are free, where a motion is first blocked, and the proof that one is
 * free. An arm of two slides pushes a box towards a crate. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bvtree.h>

static const char *const URDF =
    "<robot name='slides'>"
    "<link name='base'><collision><geometry><box size='0.2 0.2 0.2'/></geometry></collision></link>"
    "<link name='arm'/>"
    "<link name='hand'><collision><geometry><box size='0.1 0.1 0.1'/></geometry></collision></link>"
    "<joint name='along' type='prismatic'><origin xyz='0.5 0 0'/><parent link='base'/><child link='arm'/>"
    "<axis xyz='1 0 0'/><limit lower='-1' upper='2'/></joint>"
    "<joint name='up' type='prismatic'><parent link='arm'/><child link='hand'/>"
    "<axis xyz='0 0 1'/><limit lower='0' upper='2'/></joint>"
    "</robot>";

static void check(BvtStatus status) {
    if (status < 0) {
        fprintf(stderr, "%s: %s\n", bvt_status_name(status), bvt_last_error());
        exit(1);
    }
}

#define EXPECT(condition)                                                    \
    do {                                                                     \
        if (!(condition)) {                                                  \
            fprintf(stderr, "line %d: not so: %s\n", __LINE__, #condition);  \
            exit(1);                                                         \
        }                                                                    \
    } while (0)

int main(int count, char **arguments) {
    char path[1024];
    snprintf(path, sizeof path, "%s/crate.obj", count > 1 ? arguments[1] : "data");
    FILE *file = fopen("slides.urdf", "w");
    EXPECT(file != NULL && fputs(URDF, file) >= 0 && fclose(file) == 0);

    BvtMesh *mesh = NULL;
    BvtTree *crate = NULL;
    BvtRobot *robot = NULL;
    BvtRobot *other = NULL;
    check(bvt_mesh_open(path, NULL, &mesh));
    check(bvt_tree_build(mesh, NULL, &crate));
    bvt_mesh_free(mesh);
    check(bvt_robot_open("slides.urdf", NULL, NULL, 0, NULL, BVT_SIMD_DETECT, &robot));
    EXPECT(bvt_robot_value_count(robot) == 2 && strcmp(bvt_robot_value_name(robot, 1), "up") == 0);
    EXPECT(bvt_robot_value_name(robot, 2) == NULL);

    /* The crate is 1 m wide and hollow: its side is 1.5 m from the base, and there is room for the hand behind it. */
    BvtPose pose = bvt_pose_identity();
    pose.translation[0] = 2.0;
    check(bvt_robot_add_object(robot, "crate", crate, &pose));
    EXPECT(bvt_robot_add_object(robot, "crate", crate, &pose) == BVT_ERROR_ROBOT);
    bvt_tree_free(crate);

    const double configurations[] = {0.0, 0.0, 1.0, 0.0, 1.0, 1.9, -0.4, 0.0};
    bool is_free[4];
    check(bvt_robot_is_free(robot, configurations, 4, 0.0, is_free));
    EXPECT(is_free[0] && !is_free[1] && is_free[2] && !is_free[3]);

    const double from[] = {0.0, 0.0}, into[] = {1.2, 0.0}, above[] = {0.0, 1.5};
    size_t index = 0;
    EXPECT(bvt_robot_first_blocked(robot, from, into, 13, 0.0, &index) == BVT_OK && index == 10);
    EXPECT(bvt_robot_first_blocked(robot, from, above, 13, 0.0, &index) == BVT_NONE);
    EXPECT(bvt_robot_first_blocked(robot, from, into, 2, 0.0, &index) == BVT_NONE); /* both ends are free */

    BvtRobotImpact impact;
    const char *name = NULL;
    EXPECT(bvt_robot_first_impact(robot, from, above, 0.3, 0.0, &impact) == BVT_NONE); /* proven to keep 0.3 m */
    EXPECT(bvt_robot_first_impact(robot, from, into, 0.05, 0.0, &impact) == BVT_OK);
    check(bvt_robot_body_name(robot, impact.bodies[1], &name));
    printf("the hand is 50 mm from the %s after %g of the motion\n", name, impact.parameter);
    EXPECT(bvt_robot_first_blocked(robot, from, into, 1201, 0.05, &index) == BVT_OK);
    EXPECT(strcmp(name, "crate") == 0 && impact.parameter * 1200.0 <= (double)index);
    EXPECT(impact.parameter * 1200.0 > (double)index - 1.1 && impact.distance <= 0.05 + 2e-5);

    /* Another thread's copy has the same world, until either is changed. */
    check(bvt_robot_copy(robot, &other));
    check(bvt_robot_allow(other, "hand", "crate"));
    EXPECT(bvt_robot_first_impact(other, from, into, 0.05, 0.0, &impact) == BVT_NONE);
    EXPECT(bvt_robot_first_impact(robot, from, into, 0.05, 0.0, &impact) == BVT_OK);
    check(bvt_robot_allow(other, "base", "hand"));
    check(bvt_robot_is_free(other, configurations, 4, 0.0, is_free));
    EXPECT(is_free[1] && is_free[3]);

    const double lost[] = {0.0, 1e10};
    EXPECT(bvt_robot_is_free(robot, lost, 1, 0.0, is_free) == BVT_ERROR_ARGUMENT);
    EXPECT(strstr(bvt_last_error(), "configuration 0: joint value 1") != NULL);
    EXPECT(bvt_robot_first_impact(robot, from, into, -1.0, 0.0, &impact) == BVT_ERROR_ARGUMENT);
    EXPECT(bvt_robot_allow(robot, "arm", "crate") == BVT_ERROR_ROBOT); /* it has no geometry */
    EXPECT(bvt_robot_open("missing.urdf", NULL, NULL, 0, NULL, 0, &robot) == BVT_ERROR_IO);
    EXPECT(bvt_robot_is_free(NULL, from, 1, 0.0, is_free) == BVT_ERROR_ARGUMENT && bvt_robot_value_count(NULL) == 0);

    bvt_robot_free(robot);
    bvt_robot_free(other);
    bvt_robot_free(NULL);
    return 0;
}
