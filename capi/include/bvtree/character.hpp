/* A kinematic character controller. */
#ifndef BVTREE_CHARACTER_HPP
#define BVTREE_CHARACTER_HPP

#include "scene.hpp"

namespace bvtree {

using CharacterOptions = BvtCharacterOptions;
using CharacterStep = BvtCharacterStep;
using CharacterPush = BvtCharacterPush;
using Ground = BvtGround;
using Surroundings = BvtSurroundings;
using SurfaceVelocity = BvtSurfaceVelocity;

/* A character controller: an upright capsule that walks among the bodies of a scene. For one thread at a time. */
class Character : public detail::Handle<BvtCharacter, bvt_character_free> {
public:
    using Handle::Handle;

    static CharacterOptions defaults() { return bvt_character_defaults(); }

    static Result<Character> at(const Point &feet, const CharacterOptions &options = defaults()) {
        return detail::make<Character>(
            [&](BvtCharacter **character) { return bvt_character_new(&options, feet.data(), character); });
    }

    /* Advances by a time step in seconds: first the bodies of the scene move, then the character. */
    Result<CharacterStep> step(const Surroundings &surroundings, const Point &walk, double jump, double time) {
        CharacterStep step{};
        const Status status = bvt_character_step(get(), &surroundings, walk.data(), jump, time, &step);
        return detail::answer(status, CharacterStep(step));
    }

    /* Calls `visit(const CharacterPush &)` with each body that was in the character's way in the last step. */
    template <class Function>
    Result<void> for_each_push(Function &&visit) const {
        return detail::for_each<CharacterPush>(visit, [&](BvtVisitCharacterPush call, void *user) {
            return bvt_character_for_each_push(get(), call, user);
        });
    }

    Result<void> teleport(const Point &feet) { return detail::done(bvt_character_teleport(get(), feet.data())); }

    /* Changes the velocity, in the world: the character leaves the ground and flies. */
    Result<void> set_velocity(const Point &velocity) {
        return detail::done(bvt_character_set_velocity(get(), velocity.data()));
    }

    /* Changes sizes and limits, such as the height in order to crouch. */
    Result<void> set_options(const CharacterOptions &options) {
        return detail::done(bvt_character_set_options(get(), &options));
    }

    /* Whether the character would be free of the bodies if it had other options: for example, if it stood up. */
    Result<bool> has_room(const Surroundings &surroundings, const CharacterOptions &options) {
        bool has_room = false;
        const Status status = bvt_character_has_room(get(), &surroundings, &options, &has_room);
        return detail::answer(status, bool(has_room));
    }

    Result<Capsule> capsule() const {
        Capsule capsule{};
        const Status status = bvt_character_capsule(get(), &capsule);
        return detail::answer(status, Capsule(capsule));
    }

    Result<std::optional<Ground>> ground() const {
        Ground ground{};
        const Status status = bvt_character_ground(get(), &ground);
        return detail::optional(status, ground);
    }
};

} // namespace bvtree

#endif
