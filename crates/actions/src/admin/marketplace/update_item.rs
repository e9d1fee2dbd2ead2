//! Changes an item, publishes it, or withdraws it.

use toolcrib_engine::prelude::*;
use toolcrib_store::{
    Tx,
    marketplace::{self, ItemRow},
};

use super::{
    Status,
    content::{self, Plugin, Skill, Template},
};
use crate::shared::check_characters;

pub struct UpdateItem;

/// Arguments of the operation. An omitted field keeps its value.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The item.
    pub id: Id,
    /// New status. `approved` publishes the item.
    pub status: Option<Status>,
    /// Display name.
    pub name: Option<String>,
    /// A tag, such as `support`.
    #[schemars(length(min = 1, max = 40))]
    pub category: Option<String>,
    /// Description.
    #[schemars(length(min = 1, max = 2_000))]
    pub description: Option<String>,
    /// Tags for search.
    #[schemars(length(max = 20), inner(length(min = 1, max = 40)))]
    pub tags: Option<Vec<String>>,
    /// Version of the content.
    #[schemars(length(min = 1, max = 40))]
    pub version: Option<String>,
    /// New content of a template for agents.
    pub template: Option<Template>,
    /// New content of a skill.
    pub skill: Option<Skill>,
    /// New content of a plugin.
    pub plugin: Option<Plugin>,
}

/// Result of the operation.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The item as it is now.
    #[serde(flatten)]
    pub item: ItemRow,
    /// Whether anything changed.
    pub changed: bool,
}

impl WriteAction for UpdateItem {
    type Input = Input;
    type Output = Output;

    fn spec() -> Spec {
        Spec::program("marketplace.update_item", Level::Write, Permission::MARKETPLACE_MANAGE)
            .system("marketplace:publish")
            .describe("Change an item of the marketplace, publish it or withdraw it. For system admins.")
    }

    async fn resolve(&self, cx: &mut ReadCx<'_>, input: &mut Input) -> Result<Target, ActionError> {
        check_characters("/name", input.name.as_deref().unwrap_or_default())?;
        let row = find(cx.tx, input.id).await?;
        after(&row, input)?;
        Ok(Target {
            id: Some(row.id),
            label: format!("marketplace item `{}`", row.name),
            ..Target::default()
        })
    }

    async fn run(&self, cx: &mut WriteCx<'_>, input: &Input) -> Result<Output, ActionError> {
        let row = find(cx.tx, input.id).await?;
        let wanted = after(&row, input)?;
        let changed = wanted != row;
        if changed {
            marketplace::update(cx.tx, &wanted, cx.now).await?;
            let data = json!({ "id": row.id, "kind": row.kind, "slug": row.slug, "status": wanted.status });
            cx.emit("marketplace.item_updated", "marketplace:read", data);
        }
        Ok(Output { item: wanted, changed })
    }

    fn describe(_: &Input, output: &Output) -> String {
        let item = &output.item;
        if output.changed {
            format!("Changed the {} `{}` ({})", item.kind, item.name, item.status)
        } else {
            format!("Nothing to change: the {} `{}` is so already ({})", item.kind, item.name, item.status)
        }
    }
}

async fn find(tx: &mut Tx, id: Id) -> Result<ItemRow, ActionError> {
    marketplace::get(tx, id).await?.ok_or_else(|| {
        ActionError::new(
            toolcrib_model::ErrorCode::NotFound,
            format!("there is no item `{id}` in the marketplace"),
        )
    })
}

/// Returns the item with the given fields replaced.
fn after(row: &ItemRow, input: &Input) -> Result<ItemRow, ActionError> {
    let mut row = row.clone();
    let content = content::given(input.template.as_ref(), input.skill.as_ref(), input.plugin.as_ref())?;
    if let Some((kind, content)) = content {
        if kind.as_str() != row.kind {
            let pointer = if input.template.is_some() { "template" } else { kind.as_str() };
            let text = format!("is for another kind: this item is of the kind `{}`", row.kind);
            return Err(ActionError::invalid(&format!("/{pointer}"), "foreign", text));
        }
        row.content = content;
    }
    if let Some(status) = input.status {
        status.as_str().clone_into(&mut row.status);
    }
    let set = |field: &mut String, given: &Option<String>| {
        if let Some(given) = given {
            field.clone_from(given);
        }
    };
    set(&mut row.name, &input.name);
    set(&mut row.category, &input.category.as_ref().map(|word| word.to_lowercase()));
    set(&mut row.description, &input.description);
    set(&mut row.version, &input.version);
    if let Some(tags) = &input.tags {
        row.tags.clone_from(tags);
    }
    Ok(row)
}
