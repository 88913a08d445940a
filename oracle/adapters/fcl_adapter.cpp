// FCL from C++: a program that reads questions and writes answers. Models of oriented boxes with swept spheres (OBBRSS)
// in double precision, contacts without limit. `g++ -O2 fcl_adapter.cpp -I/usr/include/eigen3 -lfcl -lccd -o fcl`
#include <fcl/geometry/bvh/BVH_model.h>
#include <fcl/narrowphase/collision.h>
#include <fcl/narrowphase/continuous_collision.h>
#include <fcl/narrowphase/distance.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <set>
#include <sstream>

using Model = fcl::BVHModel<fcl::OBBRSSd>;

std::shared_ptr<Model> model(const std::string& path) {
  static std::map<std::string, std::shared_ptr<Model>> models;
  auto& known = models[path];
  if (known) return known;
  known = std::make_shared<Model>();
  std::vector<fcl::Vector3d> vertices;
  std::vector<fcl::Triangle> triangles;
  std::ifstream file(path);
  for (std::string kind; file >> kind;) {
    double x, y, z;
    file >> x >> y >> z;
    if (kind == "v") vertices.emplace_back(x, y, z);
    else triangles.emplace_back(size_t(x) - 1, size_t(y) - 1, size_t(z) - 1);
  }
  known->beginModel(int(triangles.size()), int(vertices.size()));
  known->addSubModel(vertices, triangles);
  known->endModel();
  return known;
}

fcl::Transform3d transform(std::istream& words) {
  fcl::Transform3d transform = fcl::Transform3d::Identity();
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) words >> transform.linear()(i, j);
    words >> transform.translation()(i);
  }
  return transform;
}

void answer(const std::string& question, std::istream& words) {
  std::string a, b;
  words >> a >> b;
  const auto one = model(a), other = model(b);
  const auto still = fcl::Transform3d::Identity(), pose = transform(words);
  if (question == "hit") {
    fcl::CollisionResultd result;
    std::printf("%d", fcl::collide(one.get(), still, other.get(), pose, fcl::CollisionRequestd(), result) > 0);
  } else if (question == "pairs") {
    fcl::CollisionResultd result;
    fcl::collide(one.get(), still, other.get(), pose, fcl::CollisionRequestd(1 << 20, true), result);
    std::set<std::pair<long, long>> pairs;
    for (size_t i = 0; i < result.numContacts(); i++) pairs.emplace(result.getContact(i).b1, result.getContact(i).b2);
    for (auto pair = pairs.begin(); pair != pairs.end(); ++pair) {
      std::printf("%s%ld-%ld", pair == pairs.begin() ? "" : " ", pair->first, pair->second);
    }
  } else if (question == "distance") {
    fcl::DistanceResultd result;
    // -1 where they touch. No tolerances.
    const fcl::DistanceRequestd request(false, false, 0.0, 0.0);
    std::printf("%.17g", std::max(0.0, fcl::distance(one.get(), still, other.get(), pose, request, result)));
  } else if (question == "impact") {
    // By samples, as in fcl_adapter.py: the time lies between the sample that collides and the one before.
    const int samples = 100000;
    fcl::ContinuousCollisionRequestd request(samples, 1.0 / samples, fcl::CCDM_LINEAR, fcl::GST_LIBCCD, fcl::CCDC_NAIVE);
    fcl::ContinuousCollisionResultd result;
    fcl::continuousCollide(one.get(), still, still, other.get(), pose, transform(words), request, result);
    const double time = result.time_of_contact;
    if (result.is_collide) std::printf("%.17g %.17g", std::max(0.0, time - 1.0 / (samples - 1)), time);
    else std::printf("none");
  } else {
    std::printf("refused not offered");
  }
}

int main() {
  for (std::string line, name, question; std::getline(std::cin, line);) {
    std::istringstream words(line);
    words >> name >> question;
    std::printf("%s %s ", name.c_str(), question.c_str());
    answer(question, words);
    std::printf("\n");
    std::fflush(stdout);
  }
}
