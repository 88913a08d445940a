/* Refitting trees to deforming meshes. */
#ifndef BVTREE_REFIT_HPP
#define BVTREE_REFIT_HPP

#include "tree.hpp"

namespace bvtree {

using Refitted = BvtRefitted;

/* A deforming mesh and a tree that is refitted to it. For one thread at a time. */
class DeformingTree : public detail::Handle<BvtDeformingTree, bvt_deforming_tree_free> {
public:
    using Handle::Handle;

    static Result<DeformingTree> of(const Tree &tree, const Mesh &mesh, const BvtRefitOptions *options = nullptr) {
        return detail::make<DeformingTree>([&](BvtDeformingTree **deforming) {
            return bvt_deforming_tree_new(tree.get(), mesh.get(), options, deforming);
        });
    }

    /* Moves all vertices: three coordinates for each vertex of the mesh. */
    Result<Refitted> refit(View<const float> positions) {
        return refit(positions.data(), positions.size() / 3, 0, BVT_F32);
    }
    Result<Refitted> refit(View<const double> positions) {
        return refit(positions.data(), positions.size() / 3, 0, BVT_F64);
    }
    Result<Refitted> refit(const void *positions, std::size_t count, std::size_t stride, BvtScalar scalar) {
        Refitted refitted{};
        const Status status = bvt_deforming_tree_refit(get(), positions, count, stride, scalar, &refitted);
        return detail::answer(status, Refitted(refitted));
    }

    /* Moves some vertices: three coordinates for each of them; an error if there are more or fewer. */
    Result<Refitted> refit_moved(View<const std::uint32_t> vertices, View<const float> positions) {
        Refitted refitted{};
        if (positions.size() % 3 != 0 || positions.size() / 3 != vertices.size()) {
            const char *text = "there are not three coordinates for each vertex";
            return detail::answer(BVT_ERROR_ARGUMENT, Refitted(refitted), text);
        }
        const Status status =
            bvt_deforming_tree_refit_moved(get(), vertices.data(), positions.data(), vertices.size(), &refitted);
        return detail::answer(status, Refitted(refitted));
    }

    /* Returns the current tree. While the handle exists, the next refit copies the tree first. */
    Result<Tree> tree() const {
        return detail::make<Tree>([&](BvtTree **tree) { return bvt_deforming_tree_tree(get(), tree); });
    }

    Result<double> cost_ratio() const {
        double ratio = 0.0;
        const Status status = bvt_deforming_tree_cost_ratio(get(), &ratio);
        return detail::answer(status, double(ratio));
    }

    Result<void> rebuild() { return detail::done(bvt_deforming_tree_rebuild(get())); }
};

} // namespace bvtree

#endif
