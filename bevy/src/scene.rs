//! The scene, kept in step with the app's entities.

use std::collections::HashSet;

use bevy_app::{App, FixedUpdate, Plugin, PostUpdate};
use bevy_asset::{AssetEvent, AssetEventSystems, AssetId, Assets};
use bevy_ecs::entity::{EntityHashMap, EntityHashSet};
use bevy_ecs::prelude::*;
use bevy_ecs::system::SystemParam;
use bevy_transform::TransformSystems;
use bevy_transform::components::GlobalTransform;
use bvtree::Pose;
use bvtree::character::CharacterError;
use bvtree::pose::PoseError;
use bvtree::scene::{BodyId, Scene, SceneError};
use thiserror::Error;
use tracing::warn;

use crate::character::{Motions, find_motions, step_characters};
use crate::pose::pose;
use crate::{CollisionBody, CollisionGeometry, TreeAsset};

/// The scene of the bodies of all entities with a [`CollisionBody`], for queries.
///
/// It follows `GlobalTransform`s in `PostUpdate` ([`CollisionSystems::Follow`]), so before that, systems see the poses
/// of the last frame; only a step of characters moves bodies earlier, in `FixedUpdate`. Bodies that a system adds by
/// [`CollisionScene::scene_mut`] belong to no entity and stay until a system removes them.
#[derive(Resource, Debug, Default)]
pub struct CollisionScene {
    scene: Scene,
    bodies: EntityHashMap<BodyId>,
    /// The entities whose body's error was reported and still holds.
    refused: EntityHashSet,
}

impl CollisionScene {
    /// The scene, for queries with rays, points and shapes.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// The scene, for queries about pairs of bodies, whose results it remembers.
    pub fn scene_mut(&mut self) -> &mut Scene {
        &mut self.scene
    }

    /// The body of an entity; `None` if the entity has no body, the body's tree is not loaded or the body was refused.
    pub fn body_of(&self, entity: Entity) -> Option<BodyId> {
        self.bodies.get(&entity).copied()
    }

    /// The entity of a body; `None` if the body was removed or belongs to no entity.
    pub fn entity_of(&self, body: BodyId) -> Option<Entity> {
        let entity = Entity::try_from_bits(self.scene.body(body)?.user)?;
        (self.body_of(entity) == Some(body)).then_some(entity)
    }

    /// Reports the error of an entity's body, unless one was reported since the body was last accepted.
    fn report(&mut self, errors: &mut Errors, entity: Entity, outcome: Result<(), CollisionErrorKind>) {
        if errors.report(self.refused.contains(&entity), entity, outcome) {
            self.refused.insert(entity);
        } else {
            self.refused.remove(&entity);
        }
    }

    /// Takes an entity's body out of the scene.
    fn remove(&mut self, entity: Entity) {
        if let Some(body) = self.bodies.remove(&entity) {
            // A system may have removed it.
            let _ = self.scene.remove(body);
        }
    }

    /// Adds an entity's body to the scene, or updates it. Removes it if its tree is not loaded.
    fn place(
        &mut self,
        entity: Entity,
        component: &CollisionBody,
        pose: Pose,
        trees: &Assets<TreeAsset>,
    ) -> Result<(), SceneError> {
        let Some(body) = component.body(entity, pose, trees) else {
            self.remove(entity);
            return Ok(());
        };
        let known = self.body_of(entity);
        let known = known.filter(|&id| {
            self.scene
                .body(id)
                .is_some_and(|known| (known.is_static, known.is_solid) == (body.is_static, body.is_solid))
        });
        match known {
            Some(id) => {
                // A pose may be out of range with the old geometry that is not with the new one: then the body is
                // refused.
                self.scene.set_pose(id, body.pose)?;
                self.scene.set_geometry(id, body.geometry)?;
                self.scene.set_groups(id, body.groups, body.mask)
            }
            None => {
                self.remove(entity);
                self.bodies.insert(entity, self.scene.add(body)?);
                Ok(())
            }
        }
    }
}

/// An entity that cannot be in the scene, or a character that cannot step. The error is written as a message and logged
/// once for each component, and not again until the body has been accepted, or the character has stepped, or the
/// component has been removed.
#[derive(Message, Clone, Copy, Debug, PartialEq)]
pub struct CollisionError {
    /// The entity.
    pub entity: Entity,
    /// What is wrong with the entity.
    pub kind: CollisionErrorKind,
}

/// What is wrong with an entity.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum CollisionErrorKind {
    /// The `GlobalTransform` is not rigid: it scales, shears or mirrors, or has a number that is not finite.
    #[error("the transform of a body is not rigid")]
    Transform(#[from] PoseError),
    /// The scene refuses the body.
    #[error("the scene refuses the body")]
    Scene(#[from] SceneError),
    /// The character cannot step, for example because its position is not finite.
    #[error("the character cannot step")]
    Character(#[from] CharacterError),
}

/// Writes and logs errors.
#[derive(SystemParam)]
pub(crate) struct Errors<'w> {
    messages: MessageWriter<'w, CollisionError>,
}

impl Errors<'_> {
    /// Reports the error of an outcome, unless the entity's error was reported before; returns whether there is one.
    pub(crate) fn report(
        &mut self,
        was_reported: bool,
        entity: Entity,
        outcome: Result<(), CollisionErrorKind>,
    ) -> bool {
        let Err(kind) = outcome else { return false };
        if !was_reported {
            let source = std::error::Error::source(&kind).map(ToString::to_string).unwrap_or_default();
            warn!("entity {entity}: {kind}: {source}");
            self.messages.write(CollisionError { entity, kind });
        }
        true
    }
}

/// Where the plugin's systems run.
#[derive(SystemSet, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CollisionSystems {
    /// Steps the characters, in `FixedUpdate`. Systems that move bodies in `FixedUpdate` should run before it.
    Characters,
    /// Makes the scene follow the entities, in `PostUpdate`, after transforms are propagated.
    Follow,
}

/// Adds the [`CollisionScene`] and its systems. It requires [`TreeAssetPlugin`](crate::TreeAssetPlugin) and Bevy's
/// `TransformPlugin` and, for characters, `TimePlugin`.
#[derive(Clone, Copy, Debug, Default)]
pub struct CollisionPlugin;

impl Plugin for CollisionPlugin {
    fn build(&self, app: &mut App) {
        let after = (TransformSystems::Propagate, AssetEventSystems);
        app.init_resource::<CollisionScene>()
            .init_resource::<Motions>()
            .add_message::<CollisionError>()
            .configure_sets(PostUpdate, CollisionSystems::Follow.after(after.0).after(after.1))
            .add_systems(PostUpdate, follow.in_set(CollisionSystems::Follow))
            .add_systems(FixedUpdate, (find_motions, step_characters).chain().in_set(CollisionSystems::Characters));
    }
}

type Parts = (Entity, Ref<'static, CollisionBody>, &'static GlobalTransform);

type HasChanged = Or<(Changed<CollisionBody>, Changed<GlobalTransform>)>;

/// Makes the scene follow entities and assets.
fn follow(
    mut collisions: ResMut<CollisionScene>,
    trees: Res<Assets<TreeAsset>>,
    mut events: MessageReader<AssetEvent<TreeAsset>>,
    mut removed: RemovedComponents<CollisionBody>,
    changed: Query<Parts, HasChanged>,
    all: Query<Parts>,
    mut errors: Errors,
) {
    let collisions = &mut *collisions;
    for entity in removed.read() {
        collisions.remove(entity);
        collisions.refused.remove(&entity);
    }
    let reloaded: HashSet<AssetId<TreeAsset>> = events
        .read()
        .filter_map(|event| match event {
            AssetEvent::Added { id } | AssetEvent::Modified { id } | AssetEvent::Removed { id } => Some(*id),
            _ => None,
        })
        .collect();
    let is_reloaded = |body: &CollisionBody| match &body.geometry {
        CollisionGeometry::Tree(handle) => reloaded.contains(&handle.id()),
        CollisionGeometry::Shape(_) => false,
    };
    let mut moved: Vec<(Entity, BodyId, Pose)> = Vec::new();
    let mut update = |(entity, body, transform): (Entity, Ref<CollisionBody>, &GlobalTransform), must_place: bool| {
        let known = collisions.body_of(entity).filter(|_| !must_place && !body.is_changed());
        let outcome = match (pose(transform), known) {
            (Ok(pose), Some(id)) => {
                moved.push((entity, id, pose));
                return;
            }
            (Ok(pose), None) => collisions.place(entity, &body, pose, &trees).map_err(CollisionErrorKind::from),
            (Err(error), _) => Err(error.into()),
        };
        if outcome.is_err() {
            collisions.remove(entity);
        }
        collisions.report(&mut errors, entity, outcome);
    };
    for parts in &changed {
        update(parts, false);
    }
    if !reloaded.is_empty() {
        for parts in all.iter().filter(|(_, body, _)| is_reloaded(body)) {
            update(parts, true);
        }
    }
    // Setting all poses together is faster; one by one shows which body is refused.
    if collisions.scene.set_poses(moved.iter().map(|(_, id, pose)| (*id, *pose))).is_err() {
        for (entity, id, pose) in moved {
            let outcome = collisions.scene.set_pose(id, pose).map_err(CollisionErrorKind::from);
            if outcome.is_err() {
                collisions.remove(entity);
            }
            collisions.report(&mut errors, entity, outcome);
        }
    }
}
