// FCL's refit of a model whose vertices are all replaced: from below, as is quickest, without a rebuild.
//
//   peer_fcl_refit MESH.raw OBBRSS|OBB|AABB
//
// MESH.raw: the numbers of vertices and triangles, u32, then the vertices in f32 and the triangles in u32. Prints the seconds of the
// fastest of several refits.
// First: the model refers to its `fit`.
#include <fcl/math/bv/utility.h>

#include <fcl/geometry/bvh/BVH_model.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

template <class Volume>
double fastest_refit(const std::vector<fcl::Vector3d>& vertices, const std::vector<fcl::Triangle>& triangles) {
  fcl::BVHModel<Volume> model;
  model.beginModel((int)triangles.size(), (int)vertices.size());
  model.addSubModel(vertices, triangles);
  model.endModel();
  double best = 1e30;
  for (int round = 0; round < 5; round++) {
    const auto began = std::chrono::steady_clock::now();
    model.beginReplaceModel();
    model.replaceSubModel(vertices);
    model.endReplaceModel(true, true);
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count());
  }
  return best;
}

template <class T>
std::vector<T> numbers(std::ifstream& file, size_t count) {
  std::vector<T> all(count);
  file.read((char*)all.data(), (std::streamsize)(count * sizeof(T)));
  return all;
}

int main(int argc, char** argv) {
  if (argc != 3) return fputs("usage: peer_fcl_refit MESH.raw OBBRSS|OBB|AABB\n", stderr), 2;
  std::ifstream file(argv[1], std::ios::binary);
  const auto counts = numbers<uint32_t>(file, 2);
  const auto x = numbers<float>(file, 3 * counts[0]);
  const auto corners = numbers<uint32_t>(file, 3 * counts[1]);
  if (!file) return fprintf(stderr, "error: can't read %s\n", argv[1]), 2;
  std::vector<fcl::Vector3d> vertices;
  std::vector<fcl::Triangle> triangles;
  for (size_t i = 0; i < x.size(); i += 3) vertices.emplace_back(x[i], x[i + 1], x[i + 2]);
  for (size_t i = 0; i < corners.size(); i += 3) triangles.emplace_back(corners[i], corners[i + 1], corners[i + 2]);
  const std::string variant = argv[2];
  double seconds = 0;
  if (variant == "OBBRSS") seconds = fastest_refit<fcl::OBBRSSd>(vertices, triangles);
  else if (variant == "OBB") seconds = fastest_refit<fcl::OBBd>(vertices, triangles);
  else if (variant == "AABB") seconds = fastest_refit<fcl::AABBd>(vertices, triangles);
  else return fputs("error: OBBRSS, OBB or AABB\n", stderr), 2;
  printf("%.9f\n", seconds);
  return 0;
}
