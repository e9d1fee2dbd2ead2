//! The pack's own call of each action, with what earlier ones returned.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::place::{Place, text};

/// What earlier calls returned, by the names under which later ones use it.
type Saved = BTreeMap<String, String>;

/// A call of an action.
pub struct Call {
    pub action: String,
    pub params: Value,
}

impl Call {
    /// The project that it names.
    pub fn project(&self) -> Option<&str> {
        self.params["project"].as_str()
    }

    /// The parameters without the project.
    pub fn plain(&self) -> Value {
        let mut params = self.params.clone();
        params.as_object_mut().unwrap().remove("project");
        params
    }
}

/// Goes over the calls of all 34 actions. `make` makes each, and returns its output.
pub async fn walk(place: &Place, mut make: impl AsyncFnMut(&Call) -> Value) {
    let calls: Vec<Value> = serde_json::from_str(toolcrib_game::pack().calls).unwrap();
    assert_eq!(calls.len(), 34);
    let mut saved = Saved::new();
    for entry in &calls {
        for before in entry["before"].as_array().into_iter().flatten() {
            let Call { action, params } = filled(before, &saved);
            save(before, &place.owner().done(&action, params).await, &mut saved);
        }
        let output = make(&filled(entry, &saved)).await;
        save(entry, &output, &mut saved);
    }
}

/// Replaces `$NAME` in the parameters of a call.
fn filled(entry: &Value, saved: &Saved) -> Call {
    let mut params = entry["params"].to_string();
    for (name, value) in saved {
        params = params.replace(&format!("\"${name}\""), &format!("\"{value}\""));
    }
    Call { action: text(&entry["action"]), params: serde_json::from_str(&params).unwrap() }
}

fn save(entry: &Value, output: &Value, saved: &mut Saved) {
    for (name, field) in entry["save"].as_object().into_iter().flatten() {
        saved.insert(name.clone(), text(&output[field.as_str().unwrap()]));
    }
}
