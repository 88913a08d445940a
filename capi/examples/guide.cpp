// The code of the guide, docs/engines.md, as one program: each piece there is quoted from here.
#include <cstdio>
#include <vector>

#include <bvtree.hpp>

namespace {

// A vertex of an engine: other attributes follow the position.
struct Vertex {
    float position[3];
    float normal[3], uv[2];
};

// A cooked tree of vertex and index buffers.
std::vector<std::uint8_t> cook(const std::vector<Vertex> &vertices, const std::vector<std::uint16_t> &indices) {
    BvtMeshArrays arrays{};
    arrays.vertices = vertices[0].position;        // floats or doubles, at any alignment
    arrays.vertex_count = vertices.size();
    arrays.vertex_stride = sizeof(Vertex);         // other attributes between them
    arrays.indices = indices.data();               // 16 or 32 bits
    arrays.index_type = BVT_U16;
    arrays.triangle_count = indices.size() / 3;

    bvtree::Tree tree = bvtree::Tree::build(bvtree::Mesh::of(arrays), bvtree::build_options(BVT_KIND_OBB, BVT_PRESET_TIGHT));
    std::vector<std::uint8_t> bytes = tree.to_bytes(); // for the pak file; or tree.save("gear.bvt")
    return bytes;
}

struct Entry {
    std::size_t offset, size;
};

struct Level {
    bvtree::Scene scene;
};

std::size_t hits = 0;

void job(const Level &level, const std::vector<bvtree::Ray> &rays) {
    thread_local bvtree::Probe probe = bvtree::Probe::make();
    for (const bvtree::Ray &ray : rays) {
        if (auto hit = level.scene.closest_hit(probe, ray)) { hits++; /* hit->body, hit->hit.point, hit->hit.face */ }
    }
}

// A square of two triangles in the plane z = 0.
std::vector<std::uint8_t> square() {
    const std::vector<Vertex> vertices{{{0, 0, 0}, {}, {}}, {{1, 0, 0}, {}, {}}, {{1, 1, 0}, {}, {}}, {{0, 1, 0}, {}, {}}};
    return cook(vertices, {0, 1, 2, 0, 2, 3});
}

} // namespace

int main() {
    try {
        const std::vector<std::uint8_t> bytes = square();
        const std::uint8_t *pak = bytes.data();
        const Entry entry{0, bytes.size()};
        bvtree::Tree gear = bvtree::Tree::from_buffer({pak + entry.offset, entry.size});

        Level level{bvtree::Scene::make()};
        level.scene.add(gear, bvtree::from_translation(0.0, 0.0, 2.0));
        job(level, {{{0.5, 0.25, 9.0}, {0.0, 0.0, -1.0}}, {{3.0, 0.25, 9.0}, {0.0, 0.0, -1.0}}});
        std::printf("%zu of 2 rays hit\n", hits);
        return hits == 1 ? 0 : 1;
    } catch (const std::exception &error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
