//! Shares an entry in the field of a mission.

use toolcrib_engine::prelude::*;
use toolcrib_registry::CallerDefault;
use toolcrib_store::{
    field::{self, FieldRow, FieldWrite},
    text,
};

use super::view::{EntryView, mission};

pub struct FieldInject;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Key of the entry. An existing key is reinforced.
    pub key: String,
    /// Value to share.
    #[schemars(length(min = 1, max = 4000))]
    pub value: String,
    /// Strength to add to the remaining strength. Default: 1.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub strength: Option<f64>,
    /// ID of the mission. Default: the caller's mission.
    pub mission: Option<Id>,
}

/// Result of `platform_field_inject`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Entry after the call.
    #[serde(flatten)]
    pub entry: EntryView,
    /// Whether the key is new.
    pub created: bool,
    /// Whether the value changed; false if the entry was only reinforced.
    pub changed: bool,
}

impl WriteAction for FieldInject {
    type Input = Input;
    type Output = Output;

    fn spec() -> Spec {
        Spec::write("platform_field_inject", Category::Field, Permission::FIELD_USE).creates()
            .promoted()
            .always_offered()
            .caller_default(CallerDefault::Mission)
            .describe(
                "Share a finding with the agents of this mission under a key. The same key again reinforces it.",
            )
            .tags(&["field", "mission", "share", "signal", "context", "broadcast"])
            .examples(&["Tell the other agents that the API limit is 500 per hour"])
    }

    async fn resolve(&self, cx: &mut ReadCx<'_>, input: &mut Input) -> Result<Target, ActionError> {
        let mission_id = mission(cx.tx, cx.caller, input.mission).await?;
        input.mission = Some(mission_id);
        let known = field::by_key(cx.tx, mission_id, &input.key).await?;
        Ok(Target {
            id: known.map(|row| row.id),
            label: format!("field entry `{}`", input.key),
            ..Target::default()
        })
    }

    async fn run(&self, cx: &mut WriteCx<'_>, input: &Input) -> Result<Output, ActionError> {
        let mission_id = mission(cx.tx, cx.caller, input.mission).await?;
        let (row, created) = known_or_new(cx, mission_id, input).await?;
        let changed = created || row.value != input.value;
        let row = if created { row } else { reinforce(cx, row, input).await? };
        let written_by = cx.caller.principal.user();
        let id = cx.new_id();
        let write = FieldWrite { id, mission_id, entry_id: row.id, changed, written_by, written_at: cx.now };
        field::log(cx.tx, &write).await?;
        cx.emit(
            "field.injected",
            "field:read",
            json!({ "id": row.id, "mission_id": mission_id, "key": row.key, "changed": changed }),
        );
        Ok(Output { entry: EntryView::at(row, cx.now), created, changed })
    }

    fn describe(_: &Input, output: &Output) -> String {
        let did = match (output.created, output.changed) {
            (true, _) => "Shared",
            (false, true) => "Replaced and reinforced",
            (false, false) => "Reinforced",
        };
        format!("{did} `{}`", output.entry.key)
    }
}

fn tokens(input: &Input) -> String {
    text::tokens(&format!("{} {}", input.key, input.value))
}

/// Returns the entry with this key, and whether it is new. Other calls that write it wait until this one ends.
async fn known_or_new(
    cx: &mut WriteCx<'_>,
    mission_id: Id,
    input: &Input,
) -> Result<(FieldRow, bool), ActionError> {
    if let Some(row) = field::lock(cx.tx, mission_id, &input.key).await? {
        return Ok((row, false));
    }
    let row = FieldRow {
        id: cx.new_id(),
        mission_id,
        key: input.key.clone(),
        value: input.value.clone(),
        tokens: tokens(input),
        strength: input.strength.unwrap_or(1.0),
        reinforced_at: cx.now,
        version: 1,
        created_by: cx.caller.principal.user(),
        created_at: cx.now,
    };
    if field::insert(cx.tx, &row).await? {
        return Ok((row, true));
    }
    // Another call has inserted it since.
    let found = field::lock(cx.tx, mission_id, &input.key).await?;
    found.map(|row| (row, false)).ok_or_else(|| raced(&input.key))
}

/// Adds strength to the remaining strength of an entry, up to 1.
async fn reinforce(cx: &mut WriteCx<'_>, mut row: FieldRow, input: &Input) -> Result<FieldRow, ActionError> {
    row.strength = (row.strength_at(cx.now) + input.strength.unwrap_or(1.0)).min(1.0);
    row.reinforced_at = cx.now;
    row.value.clone_from(&input.value);
    row.tokens = tokens(input);
    if !field::update(cx.tx, &row).await? {
        return Err(raced(&input.key));
    }
    row.version += 1;
    Ok(row)
}

fn raced(key: &str) -> ActionError {
    ActionError::conflict(format!("the entry `{key}` was changed by another call at the same time"))
        .hint("repeat the call")
}
