//! Models of everything that remembers: random sequences of all its calls, each answer compared with the same question
//! asked of something that remembers nothing, and with brute force.
//!
//! What fails is shrunk by `proptest-state-machine`. `BVTREE_MODEL_CASES` multiplies the number of cases; the fuzz
//! targets `trackers` and `scenes` run the same models without end.

use std::marker::PhantomData;

use bvtree_test_support::model::character::Walk;
use bvtree_test_support::model::deforming::Deformed;
use bvtree_test_support::model::machine::{BYTES, Model};
use bvtree_test_support::model::scene::World;
use bvtree_test_support::model::tracker::Tracked;
use proptest::prelude::*;
use proptest_state_machine::{ReferenceStateMachine, StateMachineTest, prop_state_machine};

use crate::cases::cases;

/// A model as the library of state machines knows it.
struct Machine<M>(PhantomData<M>);

impl<M: Model> ReferenceStateMachine for Machine<M> {
    type State = M;
    type Transition = M::Op;

    fn init_state() -> BoxedStrategy<M> {
        any::<[u8; BYTES]>().prop_map(M::new).boxed()
    }

    fn transitions(_: &M) -> BoxedStrategy<M::Op> {
        any::<[u8; BYTES]>().prop_map(M::op).boxed()
    }

    fn apply(mut model: M, op: &M::Op) -> M {
        model.apply(op);
        model
    }

    fn preconditions(model: &M, op: &M::Op) -> bool {
        model.allows(op)
    }
}

impl<M: Model> StateMachineTest for Machine<M> {
    type SystemUnderTest = M::System;
    type Reference = Self;

    fn init_test(model: &M) -> M::System {
        model.system()
    }

    fn apply(mut system: M::System, model: &M, op: M::Op) -> M::System {
        model.run(&mut system, &op);
        system
    }
}

/// As many cases as the environment asks for, and ten times as many in release builds.
fn model_cases(debug: u32) -> ProptestConfig {
    let times = std::env::var("BVTREE_MODEL_CASES").map_or(1, |times| times.parse().expect("a whole number"));
    // An operation that a model doesn't allow is drawn again; many cases have many of them.
    ProptestConfig { max_local_rejects: u32::MAX, ..cases(debug * times, 10 * debug * times) }
}

prop_state_machine! {
    #![proptest_config(model_cases(60))]

    #[test]
    fn trackers_answer_as_if_they_knew_nothing(sequential 1..40 => Machine<Tracked>);
}

prop_state_machine! {
    #![proptest_config(model_cases(60))]

    #[test]
    fn scenes_answer_as_if_they_knew_nothing(sequential 1..50 => Machine<World>);
}

prop_state_machine! {
    #![proptest_config(model_cases(60))]

    #[test]
    fn deforming_trees_answer_as_new_ones(sequential 1..30 => Machine<Deformed>);
}

prop_state_machine! {
    #![proptest_config(model_cases(60))]

    #[test]
    fn characters_stay_out_of_what_stands_still(sequential 1..40 => Machine<Walk>);
}
