// Compiled with -fno-exceptions: functions return results, which contain a value or an error.
#include <cstdio>
#include <string>

#include <bvtree.hpp>

namespace {

bvtree::Result<double> distance_of(const std::string &path, double apart) {
    auto mesh = bvtree::Mesh::open(path);
    if (!mesh) return mesh.error();
    auto tree = bvtree::Tree::build(*mesh);
    if (!tree) return tree.error();
    auto query = bvtree::Query::make();
    if (!query) return query.error();
    auto closest = query->distance(*tree, *tree, bvtree::from_translation(apart, 0.0, 0.0));
    if (!closest) return closest.error();
    return (*closest)->distance;
}

} // namespace

int main(int count, char **arguments) {
    const std::string data = count > 1 ? arguments[1] : "data";
    const auto distance = distance_of(data + "/crate.obj", 100.0);
    const auto missing = distance_of(data + "/nothing.obj", 100.0);
    if (!distance || missing) return 1;
    std::printf("%g apart; and: %s\n", *distance, missing.error().what());
    return missing.error().status() == BVT_ERROR_IO ? 0 : 1;
}
