/* Meshes from arrays and files. */
#ifndef BVTREE_MESH_HPP
#define BVTREE_MESH_HPP

#include "handle.hpp"
#include "pose.hpp"

namespace bvtree {

using MeshReport = BvtMeshReport;
using MassProperties = BvtMassProperties;

/* An immutable triangle mesh. Threads may share it. */
class Mesh : public detail::Handle<BvtMesh, bvt_mesh_free> {
public:
    using Handle::Handle;

    /* Creates a mesh from vertex and index buffers of any layout; struct_size is set here. */
    static Result<Mesh> of(BvtMeshArrays arrays) {
        arrays.struct_size = sizeof arrays;
        return detail::make<Mesh>([&](BvtMesh **mesh) { return bvt_mesh_new(&arrays, mesh); });
    }

    /* Creates a mesh from packed coordinates, three for each vertex, and three indices for each triangle. An incomplete
     * triple at the end is ignored. */
    static Result<Mesh> of(View<const float> vertices, View<const std::uint32_t> triangles) {
        return of(arrays(vertices.data(), vertices.size(), BVT_F32, triangles.data(), triangles.size(), BVT_U32));
    }
    static Result<Mesh> of(View<const double> vertices, View<const std::uint32_t> triangles) {
        return of(arrays(vertices.data(), vertices.size(), BVT_F64, triangles.data(), triangles.size(), BVT_U32));
    }
    static Result<Mesh> of(View<const float> vertices, View<const std::uint16_t> triangles) {
        return of(arrays(vertices.data(), vertices.size(), BVT_F32, triangles.data(), triangles.size(), BVT_U16));
    }

    /* Reads a mesh file: OBJ, STL, PLY, OFF, glTF. */
    static Result<Mesh> open(const std::string &path, const BvtReadOptions *options = nullptr) {
        return detail::make<Mesh>([&](BvtMesh **mesh) { return bvt_mesh_open(path.c_str(), options, mesh); });
    }

    /* Reads a mesh file in memory; the name's extension may determine the format. */
    static Result<Mesh> read(View<const std::uint8_t> bytes, const std::string &name,
                             const BvtReadOptions *options = nullptr) {
        return detail::make<Mesh>([&](BvtMesh **mesh) {
            return bvt_mesh_read(bytes.data(), bytes.size(), name.c_str(), options, mesh);
        });
    }

    std::size_t vertex_count() const { return bvt_mesh_vertex_count(get()); }
    std::size_t triangle_count() const { return bvt_mesh_triangle_count(get()); }
    /* The coordinates, three for each vertex, valid while the mesh lives. */
    View<const float> vertices() const { return {bvt_mesh_vertices(get()), 3 * vertex_count()}; }
    /* The vertex indices, three for each triangle, valid while the mesh lives. */
    View<const std::uint32_t> triangles() const { return {bvt_mesh_triangles(get()), 3 * triangle_count()}; }
    Aabb bounds() const { return bvt_mesh_bounds(get()); }

    Result<MeshReport> report() const {
        MeshReport report{};
        report.struct_size = sizeof report;
        const Status status = bvt_mesh_report(get(), &report);
        return detail::answer(status, MeshReport(report));
    }

    Result<MassProperties> mass_properties() const {
        MassProperties mass{};
        const Status status = bvt_mesh_mass_properties(get(), &mass);
        return detail::answer(status, MassProperties(mass));
    }

private:
    static BvtMeshArrays arrays(const void *vertices, std::size_t coordinates, std::uint32_t vertex_type,
                                const void *indices, std::size_t corners, std::uint32_t index_type) {
        static const std::uint32_t none[3] = {0, 0, 0};
        BvtMeshArrays arrays{};
        arrays.vertices = vertices;
        arrays.vertex_count = coordinates / 3;
        arrays.vertex_type = vertex_type;
        // Null would make triangles of the vertices.
        arrays.indices = indices != nullptr ? indices : none;
        arrays.triangle_count = corners / 3;
        arrays.index_type = index_type;
        return arrays;
    }
};

} // namespace bvtree

#endif
