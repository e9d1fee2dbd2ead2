//! Measures how settled the field of a mission is.

use std::collections::HashSet;

use toolcrib_engine::prelude::*;
use toolcrib_registry::CallerDefault;
use toolcrib_store::field;

use super::view::mission;
use crate::shared::score;

/// Number of last writes that are compared.
const WRITES: i64 = 5;

pub struct FieldStability;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// ID of the mission. Default: the caller's mission.
    pub mission: Option<Id>,
}

/// Result of `platform_field_stability`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// ID of the mission.
    pub mission_id: Id,
    /// Share of the strength in entries that the last writes did not change, 0 to 1; null without strength.
    pub stability: Option<f64>,
    /// Share of the last writes that added or changed a value, 0 to 1; null without writes.
    pub churn: Option<f64>,
    /// Number of entries in the field.
    pub entries: usize,
    /// Sum of the strengths now.
    pub strength: f64,
    /// Number of compared writes: the last 5, or all if there are fewer.
    pub samples: usize,
}

impl ReadAction for FieldStability {
    type Input = Input;
    type Output = Output;

    fn spec() -> Spec {
        Spec::read("platform_field_stability", Category::Field, Permission::FIELD_READ)
            .caller_default(CallerDefault::Mission)
            .describe("Measure how settled a mission's shared field is: stable share of strength, entries, churn of the last writes.")
            .tags(&["field", "mission", "stability", "churn", "convergence"])
            .examples(&["Have the agents settled on an answer?"])
    }

    #[expect(clippy::cast_precision_loss, reason = "at most five writes")]
    async fn run(&self, cx: &mut ReadCx<'_>, input: &Input) -> Result<Output, ActionError> {
        let mission_id = mission(cx.tx, cx.caller, input.mission).await?;
        let writes = field::writes(cx.tx, mission_id, WRITES).await?;
        let entries = field::strengths(cx.tx, mission_id).await?;
        let changes = writes.iter().filter(|write| write.changed);
        let changed: HashSet<Id> = changes.clone().map(|write| write.entry_id).collect();
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
                format!("{:.0} % of the field is stable, {}", share * 100.0, count(output.entries, "entry"))
            }
            None => "The field is empty".to_owned(),
        }
    }
}
