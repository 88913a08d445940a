/* Trees: building, cooking and opening them. */
#ifndef BVTREE_TREE_HPP
#define BVTREE_TREE_HPP

#include <vector>

#include "mesh.hpp"

namespace bvtree {

using TreeInfo = BvtTreeInfo;

/* A run of triangles that belong to one object, group or node of the source file, up to the next group's first. */
struct Group {
    std::string name;
    /* Empty unless the mesh was read with group_by "both". */
    std::string material;
    std::uint32_t first_triangle = 0;
};

/* An id from 0 to `distinct` - 1 for each triangle, by face: equal for triangles with the same group name, or with the
 * same material. */
struct GroupIds {
    std::vector<std::uint32_t> ids;
    std::size_t distinct = 0;
};

/* Returns options with struct_size set; change the other fields as needed. */
inline BvtBuildOptions build_options(BvtKind kind = BVT_KIND_OBB, BvtPreset preset = BVT_PRESET_BALANCED) {
    BvtBuildOptions options{};
    options.struct_size = sizeof options;
    options.kind = kind;
    options.preset = preset;
    return options;
}

/* An immutable bounding-volume tree of a mesh, including the mesh's triangles. Threads may share it. */
class Tree : public detail::Handle<BvtTree, bvt_tree_free> {
public:
    using Handle::Handle;

    static Result<Tree> build(const Mesh &mesh, const BvtBuildOptions &options = build_options()) {
        return detail::make<Tree>([&](BvtTree **tree) { return bvt_tree_build(mesh.get(), &options, tree); });
    }

    /* Builds a tree directly into a file and opens it, with half the memory of building and saving. */
    static Result<Tree> cook(const Mesh &mesh, const std::string &path,
                             const BvtBuildOptions &options = build_options()) {
        return detail::make<Tree>(
            [&](BvtTree **tree) { return bvt_tree_cook(mesh.get(), &options, path.c_str(), tree); });
    }

    /* Opens a cooked file. Flags: BVT_OPEN_TRUSTED, BVT_OPEN_MAPPED. */
    static Result<Tree> open(const std::string &path, std::uint32_t flags = 0) {
        return detail::make<Tree>([&](BvtTree **tree) { return bvt_tree_open(path.c_str(), flags, tree); });
    }

    /* Opens the bytes of a cooked file, which are copied. */
    static Result<Tree> from_bytes(View<const std::uint8_t> bytes) {
        return detail::make<Tree>(
            [&](BvtTree **tree) { return bvt_tree_from_bytes(bytes.data(), bytes.size(), tree); });
    }

    /* Opens bytes in place, at a multiple of BVT_BUFFER_ALIGNMENT: they must stay unchanged as long as the tree and
     * everything made from it exist. */
    static Result<Tree> from_buffer(View<const std::uint8_t> bytes, std::uint32_t flags = 0) {
        return detail::make<Tree>([&](BvtTree **tree) {
            return bvt_tree_from_buffer(bytes.data(), bytes.size(), flags, nullptr, nullptr, tree);
        });
    }

    /* Opens bytes in place that `owner` keeps alive. The tree keeps a copy of `owner` until it no longer needs the
     * bytes. */
    template <class Owner>
    static Result<Tree> from_buffer(View<const std::uint8_t> bytes, std::shared_ptr<Owner> owner, std::uint32_t flags = 0) {
        auto kept = std::make_unique<std::shared_ptr<Owner>>(std::move(owner));
        const auto release = [](void *user) { delete static_cast<std::shared_ptr<Owner> *>(user); };
        return detail::make<Tree>([&](BvtTree **tree) {
            // Released even if opening fails.
            return bvt_tree_from_buffer(bytes.data(), bytes.size(), flags, +release, kept.release(), tree);
        });
    }

    /* Creates another handle of the same tree. */
    Result<Tree> share() const {
        return detail::make<Tree>([&](BvtTree **copy) { return bvt_tree_share(get(), copy); });
    }

    Result<void> save(const std::string &path) const { return detail::done(bvt_tree_save(get(), path.c_str())); }

    /* Writes a compact file: about 10 bytes per triangle in place of 40 to 70. Opening it takes about half the time of
     * a build. */
    Result<void> save_compact(const std::string &path) const {
        return detail::done(bvt_tree_save_compact(get(), path.c_str()));
    }

    /* Returns the bytes of the cooked file. A vector's memory is aligned for from_buffer() if `new` aligns to 16 bytes,
     * as on all 64-bit platforms. */
    Result<std::vector<std::uint8_t>> to_bytes() const {
        std::vector<std::uint8_t> bytes;
        const auto allocate = [](void *user, std::size_t size, std::size_t) -> void * {
            auto &memory = *static_cast<std::vector<std::uint8_t> *>(user);
#ifndef BVTREE_NO_EXCEPTIONS
            try {
                memory.resize(size);
            } catch (...) {
                return nullptr;
            }
#else
            memory.resize(size);
#endif
            return memory.data();
        };
        std::uint8_t *data = nullptr;
        std::size_t size = 0;
        const Status status = bvt_tree_to_bytes(get(), +allocate, &bytes, &data, &size);
        return detail::answer(status, std::move(bytes));
    }

    Result<TreeInfo> info() const {
        TreeInfo info{};
        info.struct_size = sizeof info;
        const Status status = bvt_tree_info(get(), &info);
        return detail::answer(status, TreeInfo(info));
    }

    Aabb bounds() const { return bvt_tree_bounds(get()); }

    Result<BvtWatertightness> watertightness() const {
        BvtWatertightness watertightness{};
        const Status status = bvt_tree_watertightness(get(), &watertightness);
        return detail::answer(status, BvtWatertightness(watertightness));
    }

    Result<void> validate() const { return detail::done(bvt_tree_validate(get())); }
    /* Assigns layers to all triangles, by face, once; see bvt_tree_set_layers. `one_sided` may be null. */
    Result<void> set_layers(const std::uint32_t *layers, const std::uint8_t *one_sided, std::size_t count) const {
        return detail::done(bvt_tree_set_layers(get(), layers, one_sided, count));
    }

    /* Returns a group of the source file; there are info().groups of them. */
    Result<Group> group(std::size_t number) const {
        const char *name = "", *material = "";
        std::size_t name_length = 0, material_length = 0;
        Group group;
        Status status = bvt_tree_group(get(), number, &name, &name_length, &group.first_triangle);
        if (status == BVT_OK) status = bvt_tree_group_material(get(), number, &material, &material_length);
        group.name.assign(name, name_length);
        group.material.assign(material, material_length);
        return detail::answer(status, std::move(group));
    }

    /* Returns the index of a triangle's group; none for a triangle before the first group. */
    Result<std::optional<std::size_t>> group_of(std::uint32_t face) const {
        std::size_t group = 0;
        const Status status = bvt_tree_group_of(get(), face, &group);
        return detail::optional(status, group);
    }

    /* Returns an id for the name of each triangle's group, by face; see bvt_tree_group_ids. */
    Result<GroupIds> group_ids() const { return ids(bvt_tree_group_ids); }

    /* Returns an id for each triangle's material, by face; see bvt_tree_material_ids. */
    Result<GroupIds> material_ids() const { return ids(bvt_tree_material_ids); }

    std::uint32_t polygon(std::uint32_t face) const { return bvt_tree_polygon(get(), face); }

    Result<Mesh> to_mesh() const {
        return detail::make<Mesh>([&](BvtMesh **mesh) { return bvt_tree_to_mesh(get(), mesh); });
    }

private:
    template <class Function>
    Result<GroupIds> ids(Function &&write) const {
        BvtTreeInfo info{};
        info.struct_size = sizeof info;
        Status status = bvt_tree_info(get(), &info);
        GroupIds found;
        if (status == BVT_OK) {
            found.ids.resize(info.triangles);
            status = write(get(), found.ids.data(), found.ids.size(), &found.distinct);
        }
        return detail::answer(status, std::move(found));
    }
};

} // namespace bvtree

#endif
