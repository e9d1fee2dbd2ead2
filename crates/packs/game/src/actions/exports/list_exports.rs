//! Lists the exports of a project, or shows the content of one.

use toolcrib_engine::prelude::*;
use toolcrib_model::Paged;

use crate::{
    permissions, project,
    shared::{Ref, not_in_project, page},
    tables::exports::{self, ExportRow},
};

pub struct ListExports;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// ID or exact name.
    pub project: Option<Ref>,
    /// ID: only this export, with its content.
    pub export: Option<Id>,
    /// Page size. Default: 20.
    #[schemars(range(min = 1, max = 100))]
    pub limit: Option<i64>,
    /// `next_cursor` of the previous page.
    pub cursor: Option<String>,
}

/// Exports.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    #[serde(flatten)]
    pub page: Page<ExportRow>,
    /// Content of the export; null for a list.
    #[schemars(extend("x-untrusted" = "game designs"))]
    pub content: Option<String>,
}

impl Paged for Output {
    fn ends(&self) -> &[Cursor] {
        self.page.ends()
    }
}

impl ReadAction for ListExports {
    type Input = Input;
    type Output = Output;

    fn spec() -> Spec {
        permissions::read("game_list_exports")
            .describe("List the exports of a game project, newest first. With `export`, get the content of that one.")
            .tags(&["game", "export", "document", "download", "gdd"])
            .examples(&["Which documents were exported?", "Show the design document", "Get the last export"])
    }

    async fn run(&self, cx: &mut ReadCx<'_>, input: &Input) -> Result<Output, ActionError> {
        let (cursor, limit) = page(input.limit, input.cursor.as_deref())?;
        let project = project::of(cx, input.project.as_ref()).await?.id;
        let (rows, content) = match input.export {
            None => (exports::list(cx.tx, project, cursor, limit + 1).await?, None),
            Some(id) => {
                let row = exports::get(cx.tx, project, id).await?;
                let row = row.ok_or_else(|| {
                    not_in_project("export", &id.to_string()).hint("`game_list_exports` lists them")
                })?;
                (vec![row], exports::content(cx.tx, project, id).await?)
            }
        };
        let page = Page::from_rows(rows, limit, |row| Cursor { at: row.created_at, id: row.id });
        Ok(Output { page, content })
    }

    fn describe(_: &Input, output: &Output) -> String {
        match (&output.content, output.page.items.first()) {
            (Some(_), Some(row)) => format!("Read export `{}`", row.title),
            _ => format!("Found {}", count(output.page.items.len(), "export")),
        }
    }
}
