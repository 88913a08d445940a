/* Points and poses. */
#ifndef BVTREE_POSE_HPP
#define BVTREE_POSE_HPP

#include <array>

#include "result.hpp"

namespace bvtree {

using Point = std::array<double, 3>;
using Pose = BvtPose;
using Aabb = BvtAabb;
using Obb = BvtObb;
using Sphere = BvtSphere;
using Capsule = BvtCapsule;
using Ray = BvtRay;

/* Returns the identity pose. */
inline Pose identity() { return bvt_pose_identity(); }

/* Creates a pose without rotation from a translation. */
inline Pose from_translation(double x, double y, double z) {
    Pose pose = bvt_pose_identity();
    pose.translation[0] = x;
    pose.translation[1] = y;
    pose.translation[2] = z;
    return pose;
}

/* Creates a pose from a quaternion x, y, z, w of any nonzero length and a translation. Rotations about a coordinate
 * axis leave that axis unchanged to the last bit, and quarter and half turns have entries 0, 1 and -1 only. */
inline Result<Pose> from_quaternion(const std::array<double, 4> &xyzw, const Point &translation) {
    Pose pose{};
    const Status status = bvt_pose_from_quaternion(xyzw.data(), translation.data(), &pose);
    return detail::answer(status, Pose(pose));
}

/* Creates a pose from a right-handed rotation about an axis of any nonzero length, by an angle in radians, and a
 * translation. */
inline Result<Pose> from_axis_angle(const Point &axis, double angle, const Point &translation) {
    Pose pose{};
    const Status status = bvt_pose_from_axis_angle(axis.data(), angle, translation.data(), &pose);
    return detail::answer(status, Pose(pose));
}

/* Creates a pose from Euler angles in radians and a translation: it rotates about x by roll, then about y by pitch,
 * then about z by yaw, all about fixed axes. */
inline Result<Pose> from_euler_angles(double roll, double pitch, double yaw, const Point &translation) {
    Pose pose{};
    const Status status = bvt_pose_from_euler_angles(roll, pitch, yaw, translation.data(), &pose);
    return detail::answer(status, Pose(pose));
}

/* Creates a pose from a column-major 4x4 matrix of floats; the last column is the translation. */
inline Result<Pose> from_columns(const std::array<float, 16> &columns) {
    Pose pose{};
    const Status status = bvt_pose_from_columns(columns.data(), &pose);
    return detail::answer(status, Pose(pose));
}

/* Computes B's pose in A's frame (b_to_a) from the poses of both in the world. */
inline Result<Pose> relative(const Pose &a_to_world, const Pose &b_to_world) {
    Pose pose{};
    const Status status = bvt_pose_relative(a_to_world, b_to_world, &pose);
    return detail::answer(status, Pose(pose));
}

/* Composes two poses: the second is applied first. */
inline Result<Pose> product(const Pose &b_to_a, const Pose &c_to_b) {
    Pose pose{};
    const Status status = bvt_pose_product(b_to_a, c_to_b, &pose);
    return detail::answer(status, Pose(pose));
}

/* Computes the inverse of a pose. */
inline Result<Pose> inverse(const Pose &b_to_a) {
    Pose pose{};
    const Status status = bvt_pose_inverse(b_to_a, &pose);
    return detail::answer(status, Pose(pose));
}

} // namespace bvtree

#endif
