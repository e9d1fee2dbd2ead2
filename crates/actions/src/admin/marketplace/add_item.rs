//! Adds an item to the marketplace.

use toolcrib_engine::prelude::*;
use toolcrib_store::marketplace::{self, ItemRow, NewItem};

use super::{
    Status,
    content::{self, Plugin, Skill, Template},
};
use crate::shared::{check_characters, or_conflict};

pub struct AddItem;

/// Exactly one of `template`, `skill` and `plugin`.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Slug: lower-case letters, digits and `-`. Unique among items of the same kind.
    #[schemars(length(min = 1, max = 80), regex(pattern = "^[a-z0-9][a-z0-9-]*$"))]
    pub slug: String,
    /// Display name.
    pub name: String,
    /// A tag, such as `support`.
    #[schemars(length(min = 1, max = 40))]
    pub category: String,
    /// Description.
    #[schemars(length(min = 1, max = 2_000))]
    pub description: String,
    /// Tags for search.
    #[schemars(length(max = 20), inner(length(min = 1, max = 40)))]
    pub tags: Option<Vec<String>>,
    /// Version of the content. Default: `1.0.0`.
    #[schemars(length(min = 1, max = 40))]
    pub version: Option<String>,
    /// Author.
    pub author: String,
    /// Status of the item. Default: `approved`.
    pub status: Option<Status>,
    /// Content of a template for agents.
    pub template: Option<Template>,
    /// Content of a skill.
    pub skill: Option<Skill>,
    /// For a plugin.
    pub plugin: Option<Plugin>,
}

impl WriteAction for AddItem {
    type Input = Input;
    type Output = ItemRow;

    fn spec() -> Spec {
        Spec::program("marketplace.add_item", Level::Write, Permission::MARKETPLACE_MANAGE)
            .system("marketplace:publish")
            .describe(
                "Publish an agent template, a skill or a plugin for every workspace. For system admins.",
            )
    }

    async fn resolve(&self, _: &mut ReadCx<'_>, input: &mut Input) -> Result<Target, ActionError> {
        check_characters("/name", &input.name)?;
        item(input)?;
        Ok(Target { label: format!("marketplace item `{}`", input.name), ..Target::default() })
    }

    async fn run(&self, cx: &mut WriteCx<'_>, input: &Input) -> Result<ItemRow, ActionError> {
        let item = NewItem { id: cx.new_id(), ..item(input)? };
        or_conflict(marketplace::publish(cx.tx, &item, cx.now).await, || {
            let text = format!("there is another {} with the slug `{}`", item.kind, item.slug);
            ActionError::conflict(text).hint("choose another slug, or change that one")
        })?;
        let data = json!({ "id": item.id, "kind": item.kind, "slug": item.slug, "status": item.status });
        cx.emit("marketplace.item_added", "marketplace:read", data);
        let row = marketplace::get(cx.tx, item.id).await?;
        row.ok_or_else(|| ActionError::internal("the new item is not there"))
    }

    fn describe(_: &Input, output: &ItemRow) -> String {
        format!("Added the {} `{}` ({})", output.kind, output.name, output.status)
    }
}

/// Returns the new item with a nil ID.
fn item(input: &Input) -> Result<NewItem, ActionError> {
    let content = content::given(input.template.as_ref(), input.skill.as_ref(), input.plugin.as_ref())?;
    let (kind, content) = content.ok_or_else(|| {
        ActionError::invalid("", "required", "one of `template`, `skill` and `plugin` is required")
    })?;
    Ok(NewItem {
        id: toolcrib_model::Id::nil(),
        kind: kind.as_str().to_owned(),
        slug: input.slug.clone(),
        name: input.name.clone(),
        category: input.category.to_lowercase(),
        description: input.description.clone(),
        tags: input.tags.clone().unwrap_or_default(),
        status: input.status.unwrap_or(Status::Approved).as_str().to_owned(),
        version: input.version.clone().unwrap_or_else(|| "1.0.0".to_owned()),
        author: input.author.clone(),
        content,
    })
}
