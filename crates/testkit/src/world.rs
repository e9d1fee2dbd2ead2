//! A workspace with a user of each role.

use toolcrib_engine::policy;
use toolcrib_model::{Clock, Id, IdGen, Role};
use toolcrib_store::{
    Db, StoreError, members,
    users::{self, UserRow},
    workspaces::{self, WorkspaceRow},
};

use crate::write;

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
    let people = Role::ALL.map(|role| UserRow {
        id: ids.new_id(now),
        issuer: ISSUER.into(),
        subject: format!("{prefix}{role}"),
        display_name: None,
        created_at: now,
    });
    let [viewer, member, editor, admin, owner] = insert(db, &workspace, &people).await;
    World { workspace: workspace.id, owner, admin, editor, member, viewer }
}

async fn insert(db: &Db, workspace: &WorkspaceRow, people: &[UserRow; 5]) -> [Id; 5] {
    let done = write::<_, StoreError>(db, workspace.id, async |tx| {
        workspaces::insert(tx, workspace).await?;
        let mut found = [Id::nil(); 5];
        for ((person, role), id) in people.iter().zip(Role::ALL).zip(&mut found) {
            *id = users::ensure(tx, person).await?;
            members::insert(tx, *id, role.as_str(), None, workspace.created_at).await?;
        }
        Ok(found)
    });
    done.await.expect("a workspace with its members is stored")
}
