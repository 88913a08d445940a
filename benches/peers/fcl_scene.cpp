// FCL's DynamicAABBTreeCollisionManager over bodies that share OBBRSS models: which pairs touch, at first and after steps.
//
//   peer_fcl_scene SCENE.raw
//
// SCENE.raw, little-endian: u32 meshes; each u32 vertices, u32 triangles, f32 x y z of each vertex, u32 corners of each triangle; u32
// bodies; each u32 mesh, f64 rotation row by row and translation; f64 shift. Prints CSV, `what,seconds,touching`: all bodies put into the
// manager; the first question; a step in which all bodies move by the shift along x, asked about; the same of each hundredth body.
#include <fcl/broadphase/broadphase_dynamic_AABB_tree.h>
#include <fcl/geometry/bvh/BVH_model.h>
#include <fcl/narrowphase/collision.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <memory>
#include <vector>

namespace {

template <class T>
std::vector<T> numbers(std::ifstream& file, size_t count) {
  std::vector<T> all(count);
  file.read((char*)all.data(), (std::streamsize)(count * sizeof(T)));
  return all;
}

bool count_touching(fcl::CollisionObjectd* a, fcl::CollisionObjectd* b, void* count) {
  const fcl::CollisionRequestd request(1, false);
  fcl::CollisionResultd result;
  fcl::collide(a, b, request, result);
  *(size_t*)count += result.isCollision();
  return false;
}

double seconds_since(std::chrono::steady_clock::time_point began) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return fputs("usage: peer_fcl_scene SCENE.raw\n", stderr), 2;
  std::ifstream file(argv[1], std::ios::binary);
  std::vector<std::shared_ptr<fcl::BVHModel<fcl::OBBRSSd>>> models;
  for (uint32_t mesh = numbers<uint32_t>(file, 1)[0]; mesh > 0; mesh--) {
    const auto counts = numbers<uint32_t>(file, 2);
    const auto x = numbers<float>(file, 3 * counts[0]);
    const auto corners = numbers<uint32_t>(file, 3 * counts[1]);
    std::vector<fcl::Vector3d> vertices;
    std::vector<fcl::Triangle> triangles;
    for (size_t i = 0; i < x.size(); i += 3) vertices.emplace_back(x[i], x[i + 1], x[i + 2]);
    for (size_t i = 0; i < corners.size(); i += 3) triangles.emplace_back(corners[i], corners[i + 1], corners[i + 2]);
    models.push_back(std::make_shared<fcl::BVHModel<fcl::OBBRSSd>>());
    models.back()->beginModel((int)triangles.size(), (int)vertices.size());
    models.back()->addSubModel(vertices, triangles);
    models.back()->endModel();
  }
  std::vector<std::unique_ptr<fcl::CollisionObjectd>> bodies;
  for (uint32_t body = numbers<uint32_t>(file, 1)[0]; body > 0; body--) {
    const uint32_t mesh = numbers<uint32_t>(file, 1)[0];
    const auto pose = numbers<double>(file, 12);
    fcl::Transform3d transform = fcl::Transform3d::Identity();
    for (int i = 0; i < 3; i++) {
      for (int j = 0; j < 3; j++) transform.linear()(i, j) = pose[3 * i + j];
      transform.translation()(i) = pose[9 + i];
    }
    bodies.push_back(std::make_unique<fcl::CollisionObjectd>(models.at(mesh), transform));
  }
  const double shift = numbers<double>(file, 1)[0];
  if (!file) return fprintf(stderr, "error: can't read %s\n", argv[1]), 2;

  puts("what,seconds,touching");
  std::vector<fcl::CollisionObjectd*> all;
  for (const auto& body : bodies) all.push_back(body.get());
  auto began = std::chrono::steady_clock::now();
  fcl::DynamicAABBTreeCollisionManagerd manager;
  manager.registerObjects(all);
  manager.setup();
  printf("put,%.6f,0\n", seconds_since(began));

  const auto ask = [&](const char* what) {
    size_t touching = 0;
    manager.collide(&touching, count_touching);
    printf("%s,%.6f,%zu\n", what, seconds_since(began), touching);
  };
  began = std::chrono::steady_clock::now();
  ask("first");
  const auto step = [&](const char* what, size_t each) {
    began = std::chrono::steady_clock::now();
    std::vector<fcl::CollisionObjectd*> moved;
    for (size_t i = 0; i < all.size(); i += each) {
      all[i]->setTranslation(all[i]->getTranslation() + fcl::Vector3d(shift, 0, 0));
      all[i]->computeAABB();
      moved.push_back(all[i]);
    }
    if (each == 1) manager.update();
    else manager.update(moved);
    ask(what);
  };
  for (int round = 0; round < 3; round++) step("all moved", 1);
  for (int round = 0; round < 3; round++) step("1% moved", 100);
  return 0;
}
