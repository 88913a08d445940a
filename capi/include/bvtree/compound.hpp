/* Compounds: several trees and convex shapes in one body of a scene. */
#ifndef BVTREE_COMPOUND_HPP
#define BVTREE_COMPOUND_HPP

#include "convex_shape.hpp"
#include "handle.hpp"
#include "pose.hpp"
#include "tree.hpp"

namespace bvtree {

using Part = BvtPart;

/* A part of a compound at a pose in the body's frame. The tree must exist until the compound is made. */
inline Part part(const Tree &tree, const Pose &to_body = identity()) { return {tree.get(), nullptr, to_body}; }

/* A part of a compound at a pose in the body's frame. The shape must exist until the compound is made. */
inline Part part(const ConvexShape &shape, const Pose &to_body = identity()) { return {nullptr, shape.get(), to_body}; }

/* Several trees and convex shapes that move as one body. It never changes: threads and bodies may share it. */
class Compound : public detail::Handle<BvtCompound, bvt_compound_free> {
public:
    using Handle::Handle;

    static Result<Compound> make(View<const Part> parts) {
        return detail::make<Compound>(
            [&](BvtCompound **compound) { return bvt_compound_new(parts.data(), parts.size(), compound); });
    }
};

} // namespace bvtree

#endif
