// FCL (Flexible Collision Library, Pan, Chitta and Manocha 2012): f64 models of oriented boxes with (OBBRSS) or without
// (OBB) rectangle swept spheres, two trees descended at once. Its AABB models are left out: they are copied, posed and
// refitted for every query. No contact geometry, no nearest points, no tolerances.
#include <fcl/geometry/bvh/BVH_model.h>
#include <fcl/narrowphase/collision.h>
#include <fcl/narrowphase/distance.h>

#include <type_traits>

#include "peer.h"

template <class Volume>
class Fcl {
 public:
  Fcl(const Mesh& a, const Mesh& b) { fill(a_, a), fill(b_, b); }

  // Distances between trees of OBBs alone are not implemented there.
  static bool answers(Mode mode) { return mode != Mode::distance || std::is_same<Volume, fcl::OBBRSSd>::value; }

  bool hit(const Pose& pose) { return collide(pose, 1) > 0; }
  size_t pairs(const Pose& pose) { return collide(pose, (size_t)1 << 40); }

  double distance(const Pose& pose) {
    const fcl::DistanceRequestd request(false, false, 0.0, 0.0);
    fcl::DistanceResultd result;
    return std::max(0.0, fcl::distance(&a_, fcl::Transform3d::Identity(), &b_, transform(pose), request, result));
  }

 private:
  using Model = fcl::BVHModel<Volume>;

  static void fill(Model& model, const Mesh& mesh) {
    std::vector<fcl::Vector3d> vertices;
    std::vector<fcl::Triangle> triangles;
    for (const auto& [x, y, z] : mesh.vertices) vertices.emplace_back(x, y, z);
    for (const auto& [i, j, k] : mesh.triangles) triangles.emplace_back(i, j, k);
    model.beginModel((int)triangles.size(), (int)vertices.size());
    model.addSubModel(vertices, triangles);
    model.endModel();
  }

  static fcl::Transform3d transform(const Pose& pose) {
    fcl::Transform3d transform = fcl::Transform3d::Identity();
    for (int i = 0; i < 3; i++) {
      for (int j = 0; j < 3; j++) transform.linear()(i, j) = pose.rotation[i][j];
      transform.translation()(i) = pose.translation[i];
    }
    return transform;
  }

  size_t collide(const Pose& pose, size_t most) {
    result_.clear();
    const fcl::CollisionRequestd request(most, false);
    return fcl::collide(&a_, fcl::Transform3d::Identity(), &b_, transform(pose), request, result_);
  }

  Model a_, b_;
  fcl::CollisionResultd result_;
};

int main(int argc, char** argv) {
  const Arguments given = parse(argc, argv);
  if (given.variant == "OBBRSS") return measure<Fcl<fcl::OBBRSSd>>(given);
  if (given.variant == "OBB") return measure<Fcl<fcl::OBBd>>(given);
  fail("VARIANT must be OBBRSS or OBB");
}
