/* Robots read from URDF files, and the queries of motion planners. */
#ifndef BVTREE_ROBOT_HPP
#define BVTREE_ROBOT_HPP

#include <memory>
#include <string>
#include <vector>

#include "handle.hpp"
#include "pose.hpp"
#include "tree.hpp"

namespace bvtree {

using RobotImpact = BvtRobotImpact;

/* A robot, read from its URDF, in a world of its own. For one thread at a time: give each thread a copy, which shares
   all geometry. Lengths are in metres, angles in radians. */
class Robot : public detail::Handle<BvtRobot, bvt_robot_free> {
public:
    using Handle::Handle;

    /* Reads a robot from a URDF file. An empty `srdf` or `cache` stands for none; `package_dirs` are folders of
       packages, or folders that hold them, for package:// names of meshes. */
    static Result<Robot> open(const std::string &urdf, const std::string &srdf = {},
                              const std::vector<std::string> &package_dirs = {}, const std::string &cache = {},
                              BvtSimd simd = BVT_SIMD_DETECT) {
        std::vector<const char *> folders;
        for (const std::string &folder : package_dirs) folders.push_back(folder.c_str());
        return detail::make<Robot>([&](BvtRobot **robot) {
            return bvt_robot_open(urdf.c_str(), srdf.empty() ? nullptr : srdf.c_str(), folders.data(), folders.size(),
                                  cache.empty() ? nullptr : cache.c_str(), simd, robot);
        });
    }

    Result<Robot> copy() const {
        return detail::make<Robot>([&](BvtRobot **robot) { return bvt_robot_copy(get(), robot); });
    }

    /* The number of values of a configuration. */
    std::size_t value_count() const noexcept { return bvt_robot_value_count(get()); }

    /* The name of a value: the name of its joint; null if there is no such value. */
    const char *value_name(std::size_t value) const noexcept { return bvt_robot_value_name(get(), value); }

    /* The name of a body. Bodies are the links in the URDF's order, then the objects of the world. */
    Result<std::string> body_name(std::size_t body) const {
        const char *name = "";
        const Status status = bvt_robot_body_name(get(), body, &name);
        return detail::answer(status, std::string(name));
    }

    /* Adds an object that stands still, at a pose in the frame of the root link. */
    Result<void> add_object(const std::string &name, const Tree &tree, const Pose &pose_in_root) {
        return detail::done(bvt_robot_add_object(get(), name.c_str(), tree.get(), &pose_in_root));
    }

    /* Excludes two links, or a link and an object, from comparison, so that they may touch. */
    Result<void> allow(const std::string &link, const std::string &other) {
        return detail::done(bvt_robot_allow(get(), link.c_str(), other.c_str()));
    }

    /* Whether a configuration is free: whether all bodies that are compared are farther apart than the margin. */
    Result<bool> is_free(View<const double> configuration, double margin = 0.0) {
        bool is_free = false;
        if (!fits(configuration)) return detail::answer(BVT_ERROR_ARGUMENT, bool(is_free), wrong_size);
        const Status status = bvt_robot_is_free(get(), configuration.data(), 1, margin, &is_free);
        return detail::answer(status, bool(is_free));
    }

    /* Whether each of many configurations, one after the other in memory, is free; see is_free(). */
    Result<std::vector<bool>> free(View<const double> configurations, double margin = 0.0) {
        const std::size_t width = value_count(), count = width == 0 ? 0 : configurations.size() / width;
        if (count * width != configurations.size()) {
            return detail::answer(BVT_ERROR_ARGUMENT, std::vector<bool>(), wrong_size);
        }
        const std::unique_ptr<bool[]> found(new bool[count]());
        const Status status = bvt_robot_is_free(get(), configurations.data(), count, margin, found.get());
        return detail::answer(status, std::vector<bool>(found.get(), found.get() + count));
    }

    /* The index of the first configuration that is not free, of `steps` evenly spaced ones that include both ends. */
    Result<std::optional<std::size_t>> first_blocked(View<const double> from, View<const double> to, std::size_t steps,
                                                     double margin = 0.0) {
        std::size_t index = 0;
        if (!fits(from) || !fits(to)) return detail::optional(BVT_ERROR_ARGUMENT, index, wrong_size);
        const Status status = bvt_robot_first_blocked(get(), from.data(), to.data(), steps, margin, &index);
        return detail::optional(status, index);
    }

    /* Where the joints' motion first brings two bodies nearer than the clearance; an empty result is a proof that it
       never does. */
    Result<std::optional<RobotImpact>> first_impact(View<const double> from, View<const double> to,
                                                    double clearance = 0.0, double tolerance = 0.0) {
        RobotImpact impact{};
        if (!fits(from) || !fits(to)) return detail::optional(BVT_ERROR_ARGUMENT, impact, wrong_size);
        const Status status = bvt_robot_first_impact(get(), from.data(), to.data(), clearance, tolerance, &impact);
        return detail::optional(status, impact);
    }

private:
    static constexpr const char *wrong_size = "a configuration does not have as many values as the robot";

    bool fits(View<const double> configuration) const noexcept { return configuration.size() == value_count(); }
};

} // namespace bvtree

#endif
