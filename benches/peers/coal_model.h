// A mesh as Coal keeps it.
#pragma once

#include <coal/BVH/BVH_model.h>

#include "inputs.h"

using Model = coal::BVHModel<coal::OBBRSS>;

inline void fill(Model& model, const Mesh& mesh) {
  std::vector<coal::Vec3s> vertices;
  std::vector<coal::Triangle> triangles;
  for (const auto& [x, y, z] : mesh.vertices) vertices.emplace_back(x, y, z);
  for (const auto& [i, j, k] : mesh.triangles) triangles.emplace_back(i, j, k);
  model.beginModel((unsigned)triangles.size(), (unsigned)vertices.size());
  model.addSubModel(vertices, triangles);
  model.endModel();
}
