//! A workspace with a user of each role.

use toolcrib_engine::policy;
use toolcrib_model::{Clock, Id, IdGen, Role, Ts};
use toolcrib_store::{
    Db, StoreError, WriteTx,
    keys::KeyRow,
    members,
    users::{self, UserRow},
    workspaces::{self, WorkspaceRow},
};

use crate::{NOW, write};

/// A workspace and the user ids of its members, one for each role.
#[derive(Clone, Copy, Debug)]
pub struct World {
    pub workspace: Id,
    pub owner: Id,
    pub admin: Id,
    pub editor: Id,
    pub member: Id,
    pub viewer: Id,
}

impl World {
    pub fn user(&self, role: Role) -> Id {
        match role {
            Role::Viewer => self.viewer,
            Role::Member => self.member,
            Role::Editor => self.editor,
            Role::Admin => self.admin,
            Role::Owner => self.owner,
        }
    }
}

/// The issuer of all seeded users.
pub const ISSUER: &str = "test";

/// Inserts a workspace with the users `owner`, `admin`, `editor`, `member` and `viewer` of the issuer `test`.
pub async fn seed(db: &Db, clock: &dyn Clock, ids: &dyn IdGen) -> World {
    seed_named(db, clock, ids, "").await
}

/// Like [`seed`], with `prefix` before the workspace's name and the subjects: a second workspace with other
/// users.
pub async fn seed_named(db: &Db, clock: &dyn Clock, ids: &dyn IdGen, prefix: &str) -> World {
    let now = clock.now();
    let settings = policy::default_settings();
    let workspace = WorkspaceRow::new(ids.new_id(now), format!("{prefix}workspace"), None, settings, now);
    let done = write(db, workspace.id, async |tx| {
        workspaces::insert(tx, &workspace).await?;
        insert_members(tx, ids, ISSUER, prefix, now).await
    });
    let [viewer, member, editor, admin, owner] = done.await.expect("a workspace with its members is stored");
    World { workspace: workspace.id, owner, admin, editor, member, viewer }
}

/// Inserts a user of this issuer for each role, in the order of [`Role::ALL`], as a member of the workspace.
pub(crate) async fn insert_members(
    tx: &mut WriteTx,
    ids: &dyn IdGen,
    issuer: &str,
    prefix: &str,
    now: Ts,
) -> Result<[Id; 5], StoreError> {
    let mut inserted = [Id::nil(); 5];
    for (role, id) in Role::ALL.into_iter().zip(&mut inserted) {
        let person = UserRow {
            id: ids.new_id(now),
            issuer: issuer.into(),
            subject: format!("{prefix}{role}"),
            display_name: None,
            created_at: now,
        };
        *id = users::ensure(tx, &person).await?;
        members::insert(tx, *id, role.as_str(), None, now).await?;
    }
    Ok(inserted)
}

/// Returns a row of a key with default values, which tests override.
pub fn key_row(workspace_id: Id, id: Id, kind: &str) -> KeyRow {
    KeyRow {
        workspace_id,
        id,
        kind: kind.into(),
        name: "a key".into(),
        secret_hash: vec![0; 32],
        agent_id: None,
        runs_as: None,
        mission_id: None,
        role: None,
        scopes: "[]".into(),
        caller_types: "[]".into(),
        created_by: None,
        created_at: NOW,
        expires_at: None,
        revoked_at: None,
        last_used_at: None,
        parent_id: None,
        old_secret_hash: None,
        old_secret_until: None,
    }
}
