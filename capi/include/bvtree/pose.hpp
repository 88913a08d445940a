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

/* The pose that leaves everything where it is. */
inline Pose identity() { return bvt_pose_identity(); }

/* A pose that moves and does not turn. */
inline Pose from_translation(double x, double y, double z) {
    Pose pose = bvt_pose_identity();
    pose.translation[0] = x;
    pose.translation[1] = y;
    pose.translation[2] = z;
    return pose;
}

/* A pose of a quaternion x, y, z, w, of any length but zero, and a translation. Turns about a coordinate axis leave that axis alone to the last bit, and
 * quarter and half turns have entries 0, 1 and -1 only. */
inline Result<Pose> from_quaternion(const std::array<double, 4> &xyzw, const Point &translation) {
    Pose pose{};
    const Status status = bvt_pose_from_quaternion(xyzw.data(), translation.data(), &pose);
    return detail::answer(status, Pose(pose));
}

/* A pose of a right-handed turn about an axis of any length but zero, by an angle in radians, and a translation. */
inline Result<Pose> from_axis_angle(const Point &axis, double angle, const Point &translation) {
    Pose pose{};
    const Status status = bvt_pose_from_axis_angle(axis.data(), angle, translation.data(), &pose);
    return detail::answer(status, Pose(pose));
}

/* A pose of turns in radians about x by roll, then about y by pitch, then about z by yaw, and a translation. */
inline Result<Pose> from_euler_angles(double roll, double pitch, double yaw, const Point &translation) {
    Pose pose{};
    const Status status = bvt_pose_from_euler_angles(roll, pitch, yaw, translation.data(), &pose);
    return detail::answer(status, Pose(pose));
}

/* A pose of a matrix of four columns of four floats, the last of which is the translation. */
inline Result<Pose> from_columns(const std::array<float, 16> &columns) {
    Pose pose{};
    const Status status = bvt_pose_from_columns(columns.data(), &pose);
    return detail::answer(status, Pose(pose));
}

/* Where B stands in A's frame, given where both stand in the world. */
inline Result<Pose> relative(const Pose &a_to_world, const Pose &b_to_world) {
    Pose pose{};
    const Status status = bvt_pose_relative(a_to_world, b_to_world, &pose);
    return detail::answer(status, Pose(pose));
}

/* First the second pose, then the first one. */
inline Result<Pose> product(const Pose &b_to_a, const Pose &c_to_b) {
    Pose pose{};
    const Status status = bvt_pose_product(b_to_a, c_to_b, &pose);
    return detail::answer(status, Pose(pose));
}

/* The pose that takes everything back. */
inline Result<Pose> inverse(const Pose &b_to_a) {
    Pose pose{};
    const Status status = bvt_pose_inverse(b_to_a, &pose);
    return detail::answer(status, Pose(pose));
}

} // namespace bvtree

#endif
