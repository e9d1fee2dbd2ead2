//! `demo.json`: the demo's credentials for scripts and tests, readable by its owner only.

use std::{
    fs,
    io::{self, Write as _},
    os::unix::fs::OpenOptionsExt as _,
    path::Path,
};

use serde::{Deserialize, Serialize};
use toolcrib_auth::issuer::{LocalIssuer, MintRequest};
use toolcrib_model::{Id, Role};

use super::workspaces::{AGENT_SCOPES, CONNECTED_APP, DemoWorkspace, SERVICE_SCOPES};
use crate::{context::AppContext, failure::Failure};

/// The file in the data directory.
pub const FILE: &str = "demo.json";
/// The lifetime of the tokens in seconds: one year.
const TTL: u32 = 365 * 86_400;
/// The name of the datasource that `query_data` reads.
pub const DATASOURCE: &str = "shop";

/// The contents of the file.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Demo {
    pub base_url: String,
    /// The workspaces. The printed commands use the first one.
    pub workspaces: Vec<Workspace>,
    /// A system admin who is not a member of any workspace.
    pub system_admin: Bearer,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Workspace {
    pub id: Id,
    pub name: String,
    pub owner: User,
    pub admin: User,
    pub editor: User,
    pub member: User,
    pub viewer: User,
    pub agent: Agent,
    pub service: Service,
    pub datasource: String,
    pub connected_app: String,
}

impl Workspace {
    /// Returns the members with their roles, from most to least permissions.
    pub fn members(&self) -> [(Role, &User); 5] {
        [
            (Role::Owner, &self.owner),
            (Role::Admin, &self.admin),
            (Role::Editor, &self.editor),
            (Role::Member, &self.member),
            (Role::Viewer, &self.viewer),
        ]
    }
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Bearer {
    /// For `Authorization: Bearer`.
    pub token: String,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct User {
    pub user_id: Id,
    /// For `Authorization: Bearer`.
    pub token: String,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Agent {
    pub agent_id: Id,
    /// For `Authorization: Bearer`.
    pub key: String,
    /// The member whose role limits the agent's permissions.
    pub runs_as: Id,
    pub scopes: Vec<String>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Service {
    /// For `Authorization: Bearer`.
    pub key: String,
    pub scopes: Vec<String>,
}

/// Reads the file in `folder`. Returns `None` if there is none.
pub fn read(folder: &Path) -> Result<Option<Demo>, Failure> {
    let text = match fs::read_to_string(folder.join(FILE)) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(Failure::could_not("`demo.json` can't be read", error)),
    };
    let demo = serde_json::from_str(&text);
    demo.map(Some)
        .map_err(|error| Failure::could_not("`demo.json` is not what was written; remove it", error))
}

/// Writes a temporary file and renames it, so that no reader sees an incomplete file.
pub fn write(folder: &Path, demo: &Demo) -> Result<(), Failure> {
    let beside = folder.join(format!(".{FILE}.{}", std::process::id()));
    let text = serde_json::to_string_pretty(demo)
        .map_err(|error| Failure::could_not("`demo.json` can't be written", error))?;
    let written = fs::OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(&beside)
        .and_then(|mut file| writeln!(file, "{text}").and_then(|()| file.sync_all()))
        .and_then(|()| fs::rename(&beside, folder.join(FILE)));
    written.map_err(|error| Failure::could_not("`demo.json` can't be written", error))
}

/// Signs a token for every user and returns all credentials.
pub fn issue(
    context: &AppContext,
    issuer: &LocalIssuer,
    base: &str,
    founded: [&DemoWorkspace; 2],
) -> Result<Demo, Failure> {
    let now = context.now();
    let sign = |subject: String, system_role: Option<&str>| {
        let system_role = system_role.map(str::to_owned);
        let request = MintRequest { subject, system_role, ttl_seconds: TTL, ..MintRequest::default() };
        issuer.mint(&request, now, context.ids.new_id(now))
    };
    let workspaces = founded.map(|founded| {
        let user = |role: Role| -> Result<User, Failure> {
            Ok(User { user_id: founded.user(role), token: sign(founded.plan.subject(role), None)? })
        };
        Ok(Workspace {
            id: founded.id,
            name: founded.plan.name.to_owned(),
            owner: user(Role::Owner)?,
            admin: user(Role::Admin)?,
            editor: user(Role::Editor)?,
            member: user(Role::Member)?,
            viewer: user(Role::Viewer)?,
            agent: Agent {
                agent_id: founded.agent,
                key: founded.agent_key.clone(),
                runs_as: founded.user(Role::Editor),
                scopes: AGENT_SCOPES.map(str::to_owned).into(),
            },
            service: Service {
                key: founded.service_key.clone(),
                scopes: SERVICE_SCOPES.map(str::to_owned).into(),
            },
            datasource: DATASOURCE.into(),
            connected_app: CONNECTED_APP.into(),
        })
    });
    Ok(Demo {
        base_url: base.to_owned(),
        workspaces: workspaces.into_iter().collect::<Result<_, Failure>>()?,
        system_admin: Bearer { token: sign("system-admin".into(), Some("admin"))? },
    })
}
