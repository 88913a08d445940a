// Meshes and poses, read as bvtree reads them: f32 vertices, polygons cut into fans, f64 poses.
#pragma once

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

[[noreturn]] inline void fail(const std::string& message) {
  fprintf(stderr, "error: %s\n", message.c_str());
  exit(2);
}

struct Mesh {
  std::vector<std::array<float, 3>> vertices;
  std::vector<std::array<uint32_t, 3>> triangles;
};

struct Pose {
  std::string label;
  double rotation[3][3];
  double translation[3];
};

inline std::ifstream open_text(const std::string& path) {
  std::ifstream file(path);
  if (!file) fail("cannot open " + path);
  return file;
}

// Positions and faces of a Wavefront OBJ; a negative index counts back from the last vertex so far.
inline Mesh read_obj(const std::string& path) {
  std::ifstream file = open_text(path);
  Mesh mesh;
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("v ", 0) == 0) {
      char* at = &line[2];
      std::array<float, 3> vertex;
      for (float& x : vertex) x = strtof(at, &at);
      mesh.vertices.push_back(vertex);
    } else if (line.rfind("f ", 0) == 0) {
      std::istringstream fields(line.substr(2));
      std::vector<uint32_t> polygon;
      for (std::string field; fields >> field;) {
        const long index = strtol(field.c_str(), nullptr, 10);
        const long vertex = index > 0 ? index - 1 : (long)mesh.vertices.size() + index;
        if (vertex < 0 || vertex >= (long)mesh.vertices.size()) fail("index out of range in " + path + ": " + line);
        polygon.push_back((uint32_t)vertex);
      }
      for (size_t i = 2; i < polygon.size(); i++) mesh.triangles.push_back({polygon[0], polygon[i - 1], polygon[i]});
    }
  }
  if (mesh.triangles.empty()) fail("no faces in " + path);
  return mesh;
}

// Rows of mesh_a,mesh_b,label,r00,r01,r02,tx,r10,...,tz; lines that start with # are comments.
inline std::vector<Pose> read_poses(const std::string& path) {
  std::ifstream file = open_text(path);
  std::vector<Pose> poses;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream row(line);
    std::vector<std::string> fields;
    for (std::string field; std::getline(row, field, ',');) fields.push_back(field);
    if (fields.size() != 15) fail("bad row in " + path + ": " + line);
    Pose pose;
    pose.label = fields[2];
    for (int i = 0; i < 3; i++) {
      for (int j = 0; j < 3; j++) pose.rotation[i][j] = strtod(fields[3 + 4 * i + j].c_str(), nullptr);
      pose.translation[i] = strtod(fields[6 + 4 * i].c_str(), nullptr);
    }
    poses.push_back(pose);
  }
  if (poses.empty()) fail("no poses in " + path);
  return poses;
}
