// Convex shapes against a mesh, asked of Coal: for each pose the time in microseconds and the answer.
//
//   peer_coal_shapes MESH.obj CASES hit|distance|contacts
//
// CASES has lines `shape NAME COUNT NUMBERS...` and `pose SHAPE ROTATION TRANSLATION`, as `--bench shape_ratio` writes them.
// One untimed pass over all poses, then a timed one. The answer is 1 for a hit, the distance (0 if they touch), or the least
// signed distance of a contact. Security margin and break distance are zero; all else is Coal's default.
#include <coal/collision.h>
#include <coal/distance.h>
#include <coal/shape/convex.h>
#include <coal/shape/geometric_shapes.h>

#include <chrono>
#include <memory>

#include "coal_model.h"

struct Case {
  size_t shape;
  coal::Transform3s at;
};

static std::unique_ptr<coal::CollisionGeometry> shape(const std::string& name, const std::vector<double>& of) {
  if (name == "box") return std::make_unique<coal::Box>(2 * of[0], 2 * of[1], 2 * of[2]);
  if (name == "sphere") return std::make_unique<coal::Sphere>(of[0]);
  if (name == "capsule") return std::make_unique<coal::Capsule>(of[1], 2 * of[0]);
  if (name == "cylinder") return std::make_unique<coal::Cylinder>(of[1], 2 * of[0]);
  if (name == "cone") return std::make_unique<coal::Cone>(of[1], 2 * of[0]);
  if (name != "hull") fail("unknown shape " + name);
  auto points = std::make_shared<std::vector<coal::Vec3s>>();
  for (size_t i = 0; i + 2 < of.size(); i += 3) points->emplace_back(of[i], of[i + 1], of[i + 2]);
  return std::unique_ptr<coal::CollisionGeometry>(coal::ConvexBase::convexHull(points, (unsigned)points->size(), true));
}

static double ask(const Model& model, const coal::CollisionGeometry& geometry, const coal::Transform3s& at, const std::string& question) {
  if (question == "distance") {
    const coal::DistanceRequest request(true, false);
    coal::DistanceResult result;
    return std::max(0.0, coal::distance(&model, coal::Transform3s(), &geometry, at, request, result));
  }
  const bool all = question == "contacts";
  coal::CollisionRequest request(all ? coal::CONTACT : coal::NO_REQUEST, all ? 10'000'000 : 1);
  request.security_margin = 0;
  request.break_distance = 0;
  coal::CollisionResult result;
  const size_t found = coal::collide(&model, coal::Transform3s(), &geometry, at, request, result);
  if (!all) return found > 0;
  double deepest = 0;
  for (const coal::Contact& contact : result.getContacts()) deepest = std::min(deepest, contact.penetration_depth);
  return deepest;
}

int main(int argc, char** argv) {
  if (argc != 4) fail(std::string("usage: ") + argv[0] + " MESH.obj CASES hit|distance|contacts");
  Model model;
  fill(model, read_obj(argv[1]));
  const std::string question = argv[3];
  std::vector<std::unique_ptr<coal::CollisionGeometry>> shapes;
  std::vector<Case> cases;
  std::ifstream file = open_text(argv[2]);
  for (std::string word; file >> word;) {
    if (word == "shape") {
      std::string name;
      size_t count;
      file >> name >> count;
      std::vector<double> numbers(count);
      for (double& x : numbers) file >> x;
      shapes.push_back(shape(name, numbers));
      shapes.back()->computeLocalAABB();
    } else {
      Case one;
      coal::Matrix3s rotation;
      coal::Vec3s translation;
      file >> one.shape;
      for (int i = 0; i < 9; i++) file >> rotation(i / 3, i % 3);
      for (int i = 0; i < 3; i++) file >> translation(i);
      one.at = coal::Transform3s(rotation, translation);
      cases.push_back(one);
    }
  }
  std::vector<double> answers;
  for (const Case& one : cases) answers.push_back(ask(model, *shapes[one.shape], one.at, question));
  using Clock = std::chrono::steady_clock;
  for (size_t i = 0; i < cases.size(); i++) {
    const auto began = Clock::now();
    const volatile double answer = ask(model, *shapes[cases[i].shape], cases[i].at, question);
    (void)answer;
    printf("%.4f %.17g\n", std::chrono::duration<double, std::micro>(Clock::now() - began).count(), answers[i]);
  }
}
