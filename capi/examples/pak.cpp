// Opens trees in place, without a copy, in one large blob such as an engine's pak file, and queries them from several threads
// at once.
#include <atomic>
#include <cstdio>
#include <cstring>
#include <map>
#include <new>
#include <string>
#include <thread>

#include <bvtree.hpp>

namespace {

// A blob in memory whose entries begin at multiples of 16 bytes; a mapped file works too.
struct Pak {
    struct Entry {
        std::size_t begin, size;
    };
    std::map<std::string, Entry> entries;
    std::size_t size = 0;
    std::uint8_t *memory = nullptr;

    explicit Pak(const std::map<std::string, std::vector<std::uint8_t>> &files) {
        for (const auto &[name, bytes] : files) {
            entries[name] = {size, bytes.size()};
            size += (bytes.size() + BVT_BUFFER_ALIGNMENT - 1) / BVT_BUFFER_ALIGNMENT * BVT_BUFFER_ALIGNMENT;
        }
        memory = static_cast<std::uint8_t *>(::operator new(size, std::align_val_t{BVT_BUFFER_ALIGNMENT}));
        for (const auto &[name, bytes] : files) std::memcpy(memory + entries[name].begin, bytes.data(), bytes.size());
    }
    Pak(const Pak &) = delete;
    Pak &operator=(const Pak &) = delete;
    ~Pak() { ::operator delete(memory, std::align_val_t{BVT_BUFFER_ALIGNMENT}); }

    bvtree::View<const std::uint8_t> at(const std::string &name) const {
        const Entry &entry = entries.at(name);
        return {memory + entry.begin, entry.size};
    }
};

std::vector<std::uint8_t> cooked(const std::string &path) {
    return bvtree::Tree::build(bvtree::Mesh::open(path)).to_bytes();
}

} // namespace

int main(int count, char **arguments) {
    const std::string data = count > 1 ? arguments[1] : "data";
    try {
        // Offline.
        std::map<std::string, std::vector<std::uint8_t>> files;
        for (const char *name : {"gear", "sword"}) files[name] = cooked(data + "/" + name + ".obj");
        auto pak = std::make_shared<const Pak>(files);

        // At run time: the trees keep the blob alive.
        const bvtree::Tree gear = bvtree::Tree::from_buffer(pak->at("gear"), pak);
        const bvtree::Tree sword = bvtree::Tree::from_buffer(pak->at("sword"), pak);
        const std::weak_ptr<const Pak> watched = pak;
        pak.reset();

        // Each job takes the next pose; each thread has its own query object.
        constexpr std::size_t poses = 2000;
        std::vector<double> distances(poses);
        std::atomic<std::size_t> next{0};
        const auto work = [&] {
            bvtree::Query query = bvtree::Query::make();
            for (std::size_t i; (i = next++) < poses;) {
                const bvtree::Pose pose = bvtree::from_translation(0.05 * static_cast<double>(i), 3.0, 0.0);
                distances[i] = query.distance(gear, sword, pose).value().distance;
            }
        };
        std::vector<std::thread> threads;
        for (int i = 0; i < 4; i++) threads.emplace_back(work);
        for (std::thread &thread : threads) thread.join();

        bvtree::Query query = bvtree::Query::make();
        std::size_t touching = 0;
        for (std::size_t i = 0; i < poses; i++) {
            const bvtree::Pose pose = bvtree::from_translation(0.05 * static_cast<double>(i), 3.0, 0.0);
            if (query.distance(gear, sword, pose).value().distance != distances[i]) return 1;
            touching += distances[i] == 0.0;
        }
        std::printf("%zu of %zu poses touch; the farthest is %g apart\n", touching, poses, distances.back());
        return watched.expired() ? 1 : 0;
    } catch (const std::exception &error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
