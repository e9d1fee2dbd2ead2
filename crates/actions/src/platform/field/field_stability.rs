//! Say how settled the field of a mission is.

use std::collections::HashSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolcrib_engine::{ActionError, ReadAction, ReadCx};
use toolcrib_model::Id;
use toolcrib_registry::{Category, Permission, Spec};
use toolcrib_store::field;

use super::mission::mission;
use crate::shared::score;

/// Writes that are looked at.
const WRITES: i64 = 5;

/// The action.
pub struct FieldStability;

/// What it takes.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The mission's id; the caller's own unless said.
    pub mission: Option<Id>,
}

/// What it gives.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The mission that was asked.
    pub mission_id: Id,
    /// Share of the strength in entries that the last writes did not change, 0 to 1; null where nothing has strength.
    pub stability: Option<f64>,
    /// Share of the last writes that changed a value or added one, 0 to 1; null where nothing was written.
    pub churn: Option<f64>,
    /// Entries of the field.
    pub entries: usize,
    /// The sum of their strengths now.
    pub strength: f64,
    /// How many writes were looked at: the last 5, or fewer where there are not so many.
    pub samples: usize,
}

impl ReadAction for FieldStability {
    const SPEC: Spec = Spec::read("platform_field_stability", Category::Field, Permission::FIELD_READ)
        .describe("Say how settled a mission's shared field is: stable share of strength, entries, churn of last writes.")
        .tags(&["field", "mission", "stability", "churn", "convergence"])
        .examples(&["Have the agents settled on an answer?"]);
    type Input = Input;
    type Output = Output;

    #[expect(clippy::cast_precision_loss, reason = "at most five writes")]
    async fn run(cx: &mut ReadCx<'_>, input: &Input) -> Result<Output, ActionError> {
        let mission_id = mission(cx.tx, cx.caller, input.mission).await?;
        let writes = field::writes(cx.tx, mission_id, WRITES).await?;
        let changes = writes.iter().filter(|write| write.changed);
        let changed: HashSet<Id> = changes.clone().map(|write| write.entry_id).collect();
        let entries = field::strengths(cx.tx, mission_id).await?;
        let (mut whole, mut stable) = (0.0, 0.0);
        for entry in &entries {
            let strength = entry.strength_at(cx.now);
            whole += strength;
            if !changed.contains(&entry.id) {
                stable += strength;
            }
        }
        Ok(Output {
            mission_id,
            stability: (whole > 0.0).then(|| score(stable / whole)),
            churn: (!writes.is_empty()).then(|| score(changes.count() as f64 / writes.len() as f64)),
            entries: entries.len(),
            strength: score(whole),
            samples: writes.len(),
        })
    }

    fn describe(_: &Input, output: &Output) -> String {
        match output.stability {
            Some(share) => {
                format!("{:.0} % of the field is stable, {} entries", share * 100.0, output.entries)
            }
            None => "The field is empty".to_owned(),
        }
    }
}
