//! Lists the connected apps of the workspace and the agents that use each.

use toolcrib_engine::prelude::*;
use toolcrib_store::connections::{self, ConnectionRow};

use crate::shared::page;

pub struct ListConnectedApps;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Page size. Default: 20.
    #[schemars(range(min = 1, max = 100))]
    pub limit: Option<i64>,
    /// `next_cursor` of the previous page.
    pub cursor: Option<String>,
}

/// A connected app.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct AppView {
    /// ID of the connection.
    pub id: Id,
    /// The app, such as `slack`.
    #[schemars(extend("x-untrusted" = "names of connections"))]
    pub app: String,
    /// Display name.
    #[schemars(extend("x-untrusted" = "names of connections"))]
    pub name: String,
    /// Time of connection.
    pub created_at: Ts,
    /// The agents that may use it, by name.
    pub agents: Vec<AppUser>,
}

/// An agent that may use an app.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct AppUser {
    /// The agent.
    pub id: Id,
    /// The agent's name.
    #[schemars(extend("x-untrusted" = "agents"))]
    pub name: String,
}

impl ReadAction for ListConnectedApps {
    type Input = Input;
    type Output = Page<AppView>;

    fn spec() -> Spec {
        Spec::read("platform_list_connected_apps", Category::Integrations, Permission::INTEGRATIONS_READ)
            .describe("List the apps connected in this workspace and which agents use each.")
            .tags(&["app", "integration", "connection", "slack", "email"])
            .examples(&["Which apps are connected?", "Who may use Slack?"])
    }

    async fn run(&self, cx: &mut ReadCx<'_>, input: &Input) -> Result<Page<AppView>, ActionError> {
        let (cursor, limit) = page(input.limit, input.cursor.as_deref())?;
        let rows = connections::list(cx.tx, cursor, limit + 1).await?;
        let uses = connections::uses(cx.tx).await?;
        let key = |row: &ConnectionRow| Cursor { at: row.created_at, id: row.id };
        Ok(Page::from_rows(rows, limit, key).map(|row| {
            let users = uses.iter().filter(|one| one.connection_id == row.id);
            let agents =
                users.map(|one| AppUser { id: one.agent_id, name: one.agent_name.clone() }).collect();
            AppView { id: row.id, app: row.app, name: row.name, created_at: row.created_at, agents }
        }))
    }

    fn describe(_: &Input, page: &Page<AppView>) -> String {
        format!("Found {}", count(page.items.len(), "connected app"))
    }
}
