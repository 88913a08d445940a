// CGAL's AABB tree over A's triangles (exact predicates), asked about each posed triangle of B: it has no descent of two
// trees. Triangles outside the box of A are skipped first.
#include <CGAL/AABB_traits.h>
#include <CGAL/AABB_tree.h>
#include <CGAL/AABB_triangle_primitive.h>
#include <CGAL/Exact_predicates_inexact_constructions_kernel.h>

#include <iterator>

#include "peer.h"

class Cgal {
 public:
  Cgal(const Mesh& a, const Mesh& b) : a_(triangles(a)), b_(b), tree_(a_.cbegin(), a_.cend()) { tree_.build(); }

  static bool answers(Mode mode) { return mode != Mode::distance; }

  bool hit(const Pose& pose) {
    pose_vertices(pose);
    for (size_t i = 0; i < b_.triangles.size(); i++)
      if (near(i) && tree_.do_intersect(posed(i))) return true;
    return false;
  }

  size_t pairs(const Pose& pose) {
    pose_vertices(pose);
    hits_.clear();
    for (size_t i = 0; i < b_.triangles.size(); i++)
      if (near(i)) tree_.all_intersected_primitives(posed(i), std::back_inserter(hits_));
    return hits_.size();
  }

  double distance(const Pose&) { return NAN; }

 private:
  using Kernel = CGAL::Exact_predicates_inexact_constructions_kernel;
  using Triangle = Kernel::Triangle_3;
  using Place = std::vector<Triangle>::const_iterator;
  using Tree = CGAL::AABB_tree<CGAL::AABB_traits<Kernel, CGAL::AABB_triangle_primitive<Kernel, Place>>>;

  static std::vector<Triangle> triangles(const Mesh& mesh) {
    std::vector<Kernel::Point_3> points;
    std::vector<Triangle> triangles;
    for (const auto& [x, y, z] : mesh.vertices) points.emplace_back(x, y, z);
    for (const auto& [i, j, k] : mesh.triangles) triangles.emplace_back(points[i], points[j], points[k]);
    return triangles;
  }

  // By the operations that bvtree's verdicts are defined on: plain f64 in this order (compile without contraction).
  void pose_vertices(const Pose& pose) {
    posed_.resize(b_.vertices.size());
    for (size_t v = 0; v < posed_.size(); v++) {
      const double x = b_.vertices[v][0], y = b_.vertices[v][1], z = b_.vertices[v][2];
      for (int i = 0; i < 3; i++) {
        const double* row = pose.rotation[i];
        posed_[v][i] = ((row[0] * x + row[1] * y) + row[2] * z) + pose.translation[i];
      }
    }
  }

  bool near(size_t triangle) const {
    const CGAL::Bbox_3 box = tree_.bbox();
    const auto [i, j, k] = b_.triangles[triangle];
    for (int c = 0; c < 3; c++) {
      const auto [low, high] = std::minmax({posed_[i][c], posed_[j][c], posed_[k][c]});
      if (high < box.min(c) || low > box.max(c)) return false;
    }
    return true;
  }

  Triangle posed(size_t triangle) const {
    const auto point = [&](uint32_t v) { return Kernel::Point_3(posed_[v][0], posed_[v][1], posed_[v][2]); };
    const auto [i, j, k] = b_.triangles[triangle];
    return Triangle(point(i), point(j), point(k));
  }

  std::vector<Triangle> a_;
  const Mesh& b_;
  Tree tree_;
  std::vector<std::array<double, 3>> posed_;
  std::vector<Place> hits_;
};

int main(int argc, char** argv) { return measure<Cgal>(parse(argc, argv)); }
