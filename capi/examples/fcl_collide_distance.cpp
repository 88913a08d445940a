// The sample of FCL's README, collide and distance of two meshes, ported to bvtree. Comments quote FCL's calls and types above
// the code that replaces them.
//
//   std::vector<Vector3f> vertices; std::vector<Triangle> triangles;
//   typedef BVHModel<OBBRSSf> Model;
//   std::shared_ptr<Model> geom = std::make_shared<Model>();
//   geom->beginModel(); geom->addSubModel(vertices, triangles); geom->endModel();
//   CollisionObjectf* obj = new CollisionObjectf(geom, pose);
//   collide(o1, o2, request, result);
//   distance(o1, o2, request, result);
#include <cmath>
#include <cstdio>
#include <string>

#include <bvtree.hpp>

namespace {

// CollisionObject: a geometry and its pose in the world.
struct Object {
    const bvtree::Tree &geometry;
    bvtree::Pose pose;
};

// CollisionRequest::num_max_contacts, and CollisionResult: its contacts.
std::vector<bvtree::Contact> collide(bvtree::Query &query, const Object &a, const Object &b, std::size_t max_contacts) {
    std::vector<bvtree::Contact> contacts;
    // bvtree takes B's pose in A's frame, and results are in A's frame.
    const bvtree::Pose b_to_a = bvtree::relative(a.pose, b.pose);
    query.for_each_contact(a.geometry, b.geometry, b_to_a, [&](const bvtree::Contact &contact) {
        contacts.push_back(contact);
        return contacts.size() < max_contacts;
    });
    return contacts;
}

// DistanceResult: min_distance, nearest_points, b1 and b2 (the triangles).
bvtree::ClosestPair distance(bvtree::Query &query, const Object &a, const Object &b) {
    const bvtree::Pose b_to_a = bvtree::relative(a.pose, b.pose);
    return query.distance(a.geometry, b.geometry, b_to_a).value();
}

} // namespace

int main(int count, char **arguments) {
    const std::string data = count > 1 ? arguments[1] : "data";
    try {
        // addSubModel: arrays of points and triangles, which are read from a file here.
        const bvtree::Mesh file = bvtree::Mesh::open(data + "/torus_knot.obj");
        const std::vector<float> vertices(file.vertices().begin(), file.vertices().end());
        const std::vector<std::uint32_t> triangles(file.triangles().begin(), file.triangles().end());
        const bvtree::Tree knot = bvtree::Tree::build(bvtree::Mesh::of(vertices, triangles));

        bvtree::Query query = bvtree::Query::make();
        const double half = std::sqrt(0.5);
        const Object first{knot, bvtree::identity()};
        const Object near{knot, bvtree::from_quaternion({0.0, 0.0, half, half}, {0.5, 0.0, 0.0})};
        const Object far{knot, bvtree::from_quaternion({0.0, 0.0, half, half}, {100.0, 0.0, 0.0})};

        const bool hit = query.intersects(knot, knot, bvtree::relative(first.pose, near.pose));
        const auto contacts = collide(query, first, near, 10);
        std::printf("near: %s, the first of %zu contacts is between triangles %u and %u\n", hit ? "collide" : "apart",
                    contacts.size(), contacts.at(0).faces.face_a, contacts.at(0).faces.face_b);
        const bvtree::ClosestPair apart = distance(query, first, far);
        std::printf("far: distance %g between triangles %u and %u\n", apart.distance, apart.faces.face_a,
                    apart.faces.face_b);
        return hit && apart.distance > 0.0 && collide(query, first, far, 10).empty() ? 0 : 1;
    } catch (const std::exception &error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
