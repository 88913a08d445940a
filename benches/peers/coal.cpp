// Coal (formerly hpp-fcl): f64 models of oriented boxes with rectangle swept spheres (OBBRSS). Security margin and break
// distance are zero, as everything but the defaults of the rest: the margins are absolute and only cost time.
#include <coal/collision.h>
#include <coal/distance.h>

#include "coal_model.h"
#include "peer.h"

class Coal {
 public:
  Coal(const Mesh& a, const Mesh& b) { fill(a_, a), fill(b_, b); }

  static bool answers(Mode) { return true; }

  bool hit(const Pose& pose) { return collide(pose, 1) > 0; }
  size_t pairs(const Pose& pose) { return collide(pose, (size_t)1 << 40); }

  double distance(const Pose& pose) {
    const coal::DistanceRequest request(false, false, 0.0, 0.0);
    coal::DistanceResult result;
    return std::max(0.0, coal::distance(&a_, coal::Transform3s(), &b_, transform(pose), request, result));
  }

 private:
  static coal::Transform3s transform(const Pose& pose) {
    coal::Matrix3s rotation;
    coal::Vec3s translation;
    for (int i = 0; i < 3; i++) {
      for (int j = 0; j < 3; j++) rotation(i, j) = pose.rotation[i][j];
      translation(i) = pose.translation[i];
    }
    return coal::Transform3s(rotation, translation);
  }

  size_t collide(const Pose& pose, size_t most) {
    result_.clear();
    coal::CollisionRequest request(coal::NO_REQUEST, most);
    request.enable_contact = false;
    request.security_margin = 0;
    request.break_distance = 0;
    return coal::collide(&a_, coal::Transform3s(), &b_, transform(pose), request, result_);
  }

  Model a_, b_;
  coal::CollisionResult result_;
};

int main(int argc, char** argv) { return measure<Coal>(parse(argc, argv)); }
