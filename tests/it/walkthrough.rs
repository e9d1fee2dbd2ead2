//! `tests/data/walkthrough.json`: one call of each action, in an order in which each finds what it needs.
//!
//! An entry may have calls `before` it. `save` names what an answer's data holds; `$NAME` in later parameters
//! stands for it. The same file makes `docs/actions.md` and feeds the sweeps.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;
use toolcrib_engine::{CallResponse, ResponseBody};
use toolcrib_testkit::Person;

/// One call.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// The action, without its prefix.
    pub action: String,
    /// What is called first.
    #[serde(default)]
    pub before: Vec<Step>,
    /// With what.
    pub params: Value,
    /// What of the answer's data is kept, by name.
    #[serde(default)]
    pub save: BTreeMap<String, String>,
}

/// What earlier answers gave, by name.
pub type Saved = BTreeMap<String, Value>;

/// Every entry, in order.
pub fn entries() -> Vec<Step> {
    serde_json::from_str(include_str!("../data/walkthrough.json")).unwrap()
}

/// Every call, in order.
pub fn steps() -> Vec<Step> {
    entries()
        .into_iter()
        .flat_map(|mut step| [std::mem::take(&mut step.before), vec![step]].concat())
        .collect()
}

impl Step {
    /// The parameters, with what was saved.
    pub fn filled(&self, saved: &Saved) -> Value {
        let mut params = self.params.clone();
        for value in params.as_object_mut().unwrap().values_mut() {
            if let Some(name) = value.as_str().and_then(|text| text.strip_prefix('$')) {
                *value =
                    saved.get(name).unwrap_or_else(|| panic!("`{}` needs `{name}`", self.action)).clone();
            }
        }
        params
    }

    /// Calls it, approves where it asks, and keeps what is to be kept.
    pub async fn run(&self, person: &Person<'_>, saved: &mut Saved) -> CallResponse {
        let mut answer = person.call(&self.action, self.filled(saved)).await;
        if let ResponseBody::Waiting(waiting) = &answer.body {
            answer = person.approve(waiting.confirmation.id).await.unwrap();
        }
        if let ResponseBody::Completed(done) = &answer.body {
            for (name, field) in &self.save {
                saved.insert(name.clone(), done.value()[field].clone());
            }
        }
        answer
    }
}

/// Runs all of it as one person; every call must complete.
pub async fn walk(person: &Person<'_>) -> Saved {
    let mut saved = Saved::new();
    for step in steps() {
        let answer = step.run(person, &mut saved).await;
        assert!(
            matches!(answer.body, ResponseBody::Completed(_)),
            "`{}`: {}",
            step.action,
            answer.to_value()
        );
    }
    saved
}
