// PQP (Gottschalk, Lin and Manocha 1996; Larsen et al. 1999): f64 models of OBB and RSS, two trees traversed at once. Its licence forbids
// commercial use, so its source is not here: `git clone https://github.com/GammaUNC/PQP` and pass `PQP=.../PQP/src` to make.
#include <PQP.h>

#include "peer.h"

class Pqp {
 public:
  Pqp(const Mesh& a, const Mesh& b) { fill(a_, a), fill(b_, b); }

  static bool answers(Mode) { return true; }

  bool hit(const Pose& pose) { return collide(pose, PQP_FIRST_CONTACT) > 0; }
  size_t pairs(const Pose& pose) { return collide(pose, PQP_ALL_CONTACTS); }

  double distance(const Pose& pose) {
    set(pose);
    PQP_DistanceResult result;
    PQP_Distance(&result, identity_, zero_, &a_, rotation_, translation_, &b_, 0, 0);
    return result.Distance();
  }

 private:
  static void fill(PQP_Model& model, const Mesh& mesh) {
    model.BeginModel((int)mesh.triangles.size());
    int face = 0;
    for (const auto& triangle : mesh.triangles) {
      PQP_REAL corners[3][3];
      for (int k = 0; k < 3; k++)
        for (int j = 0; j < 3; j++) corners[k][j] = mesh.vertices[triangle[k]][j];
      model.AddTri(corners[0], corners[1], corners[2], face++);
    }
    model.EndModel();
  }

  void set(const Pose& pose) {
    for (int i = 0; i < 3; i++) {
      for (int j = 0; j < 3; j++) rotation_[i][j] = pose.rotation[i][j];
      translation_[i] = pose.translation[i];
    }
  }

  size_t collide(const Pose& pose, int flag) {
    set(pose);
    PQP_Collide(&result_, identity_, zero_, &a_, rotation_, translation_, &b_, flag);
    return (size_t)result_.NumPairs();
  }

  PQP_Model a_, b_;
  PQP_CollideResult result_;
  PQP_REAL identity_[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, zero_[3] = {0, 0, 0}, rotation_[3][3], translation_[3];
};

int main(int argc, char** argv) { return measure<Pqp>(parse(argc, argv)); }
