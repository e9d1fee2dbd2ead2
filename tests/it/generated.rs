//! Generated inputs: sound ones never cause an internal error, and the schema always refuses broken ones.

use std::fmt::Write as _;

use toolcrib_engine::Outcome;
use toolcrib_model::ErrorCode;
use toolcrib_registry::Level;
use toolcrib_testkit::{TestDb, both_databases, soak};

use crate::{
    inputs::{Chance, broken, sound},
    world::world,
};

/// Number of inputs of each kind for each action.
fn count() -> usize {
    soak(6, 200)
}

#[both_databases]
async fn sound_inputs_never_fail_and_broken_ones_are_always_refused_soak(db: TestDb) {
    let app = world(db).await;
    let registry = app.engine.catalog().clone();
    let owner = app.owner();
    let mut table = String::new();
    for (seed, meta) in registry.registry().tools().enumerate() {
        let schema = meta.input.value();
        let mut chance = Chance::new(seed as u64);
        let (mut completed, mut refused) = (0, 0);
        for _ in 0..count() {
            // Refusals have a limit of their own.
            app.clock.advance(1);
            let input = sound(schema, &mut chance);
            let answer = owner.call(&meta.spec.name, input.clone()).await;
            assert!(
                answer.status() < 500 || answer.status() == 501,
                "{} {input}: {}",
                meta.spec.name,
                answer.outcome.to_value()
            );
            match &answer.outcome {
                Outcome::Completed(_) => completed += 1,
                Outcome::Waiting(waiting) => {
                    // Deny it, because a caller may have only ten open confirmations.
                    owner.deny(waiting.confirmation.id, "only a sweep").await.unwrap();
                    assert_ne!(meta.spec.level, Level::Read);
                }
                _ => refused += 1,
            }
        }
        let mistakes = broken(schema, &mut chance);
        for (what, input) in &mistakes {
            app.clock.advance(1);
            let problem = owner.call(&meta.spec.name, input.clone()).await;
            let Outcome::Refused(problem) = problem.outcome else {
                panic!("{} {what} {input}", meta.spec.name)
            };
            assert_eq!(problem.code, ErrorCode::InvalidArguments, "{} {what} {input}", meta.spec.name);
            assert!(!problem.errors.is_empty(), "{} {what}", meta.spec.name);
        }
        let rest = count() - completed - refused;
        writeln!(table, "{:38} {completed:5} {refused:5} {rest:5} {:5}", meta.spec.name, mistakes.len())
            .unwrap();
    }
    println!("{:38} {:>5} {:>5} {:>5} {:>5}\n{table}", "action", "ran", "4xx", "asked", "422");
}
