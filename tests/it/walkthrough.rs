//! `tests/data/walkthrough.json`: one call of each action, in an order in which each finds what it needs.
//!
//! An entry may have calls `before` it. `save` names values of the response's data, which later parameters
//! use as `$NAME`. `docs/actions.md` and the sweeps are made from the same file.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;
use toolcrib_engine::{CallResponse, Outcome};
use toolcrib_registry::PREFIX;
use toolcrib_testkit::Person;

use crate::world::packs;

/// The minimum number of phrases for an action. Search understands a new wording only if it knows many
/// others.
const PHRASES: usize = 40;

/// A call.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// Name of the action: without the prefix `platform_`, or in full for an action of a pack.
    pub action: String,
    /// Calls to make before this one.
    #[serde(default)]
    pub before: Vec<Step>,
    /// Parameters of the call.
    pub params: Value,
    /// Fields of the response's data to keep, by name.
    #[serde(default)]
    pub save: BTreeMap<String, String>,
}

/// Values of earlier responses, by name.
pub type Saved = BTreeMap<String, Value>;

/// The full name of a step's action.
pub fn full_name(action: &str) -> String {
    let of_pack = packs().iter().any(|pack| pack.info.bare(action).is_some());
    if of_pack { action.to_owned() } else { format!("{PREFIX}{action}") }
}

/// Every entry of the platform, in order.
pub fn entries() -> Vec<Step> {
    serde_json::from_str(include_str!("../data/walkthrough.json")).unwrap()
}

/// Every call, in order: the platform's, then those of each pack.
pub fn steps() -> Vec<Step> {
    let of_packs =
        packs().into_iter().flat_map(|pack| serde_json::from_str::<Vec<Step>>(pack.calls).unwrap());
    entries()
        .into_iter()
        .chain(of_packs)
        .flat_map(|mut step| [std::mem::take(&mut step.before), vec![step]].concat())
        .collect()
}

impl Step {
    /// The parameters, with saved values in place of `$NAME`.
    pub fn filled(&self, saved: &Saved) -> Value {
        let mut params = self.params.clone();
        self.fill(&mut params, saved);
        params
    }

    fn fill(&self, value: &mut Value, saved: &Saved) {
        match value {
            Value::Object(fields) => fields.values_mut().for_each(|value| self.fill(value, saved)),
            Value::Array(items) => items.iter_mut().for_each(|value| self.fill(value, saved)),
            Value::String(text) => {
                if let Some(name) = text.strip_prefix('$') {
                    *value =
                        saved.get(name).unwrap_or_else(|| panic!("`{}` needs `{name}`", self.action)).clone();
                }
            }
            _ => {}
        }
    }

    /// Makes the call, approves its confirmation if there is one, and saves values of the response.
    pub async fn run(&self, person: &Person<'_>, saved: &mut Saved) -> CallResponse {
        let mut answer = person.call(&self.action, self.filled(saved)).await;
        if let Outcome::Waiting(waiting) = &answer.outcome {
            answer = person.approve(waiting.confirmation.id).await.unwrap();
        }
        if let Outcome::Completed(done) = &answer.outcome {
            for (name, field) in &self.save {
                saved.insert(name.clone(), done.value()[field].clone());
            }
        }
        answer
    }
}

/// Runs all steps as one person. Every call must complete.
pub async fn walk(person: &Person<'_>) -> Saved {
    let mut saved = Saved::new();
    for step in steps() {
        let answer = step.run(person, &mut saved).await;
        assert!(
            matches!(answer.outcome, Outcome::Completed(_)),
            "`{}`: {}",
            step.action,
            answer.outcome.to_value()
        );
    }
    saved
}

/// What each new action lacks, in one line for each thing.
fn lacking(names: &[&str]) -> Vec<String> {
    let phrases = include_str!("../../crates/discovery/data/phrases.tsv");
    let called: Vec<String> = entries().into_iter().map(|step| step.action).collect();
    let mut lacking = Vec::new();
    for name in names {
        let short = name.trim_start_matches(PREFIX);
        if !called.iter().any(|action| action == short) {
            lacking
                .push(format!("`{name}`: add an example call of `{short}` to tests/data/walkthrough.json"));
        }
        let own = phrases.lines().filter(|line| line.split('\t').next() == Some(name)).count();
        if own < PHRASES {
            lacking.push(format!(
                "`{name}` has {own} phrases: add at least {PHRASES} to crates/discovery/data/phrases.tsv"
            ));
        }
    }
    lacking
}

#[test]
fn every_action_has_an_example_call_and_phrases() {
    let catalog = toolcrib_actions::catalog(&toolcrib_actions::Infrastructure::default())
        .map_err(|defects| format!("{defects:?}"))
        .unwrap();
    let names: Vec<&str> = catalog.registry().tools().map(|meta| &*meta.spec.name).collect();
    assert_eq!(lacking(&names), Vec::<String>::new(), "see docs/adding-an-action.md");
    assert_eq!(lacking(&["platform_new_action"]).len(), 2, "a new action lacks both");
}
