//! Why a scene can't do what it is asked.

use thiserror::Error;

use super::BodyId;
use crate::refit::RefitError;

/// Why a scene can't do what it is asked.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum SceneError {
    /// The body was removed, or is of another scene.
    #[error("there is no body {} in the scene", .0.place)]
    NoSuchBody(BodyId),
    /// A coordinate of the body in the world exceeds [`Scene::MAX_COORDINATE`](super::Scene::MAX_COORDINATE).
    #[error("a body reaches farther than {:e} from the world's origin", super::Scene::MAX_COORDINATE)]
    TooFar,
    /// A body's mesh can't deform as it should.
    #[error("a body can't deform")]
    Refit(#[from] RefitError),
    /// There is no number for another body.
    #[error("more than {} bodies", super::Scene::MAX_BODIES)]
    TooMany,
    /// A solid body's mesh is not closed, so that it has no inside
    /// ([`BvTree::watertightness`](crate::BvTree::watertightness)).
    #[error("a solid body's mesh is not closed: it has no inside")]
    OpenSolid,
    /// A body is to take two motions at once.
    #[error("body {} has two motions", .0.place)]
    TwoMotions(BodyId),
    /// Two bodies pass each other in less time than f64 can resolve.
    #[error("a motion is more than 1e12 times as long as the bodies are large")]
    MotionTooLong,
}
