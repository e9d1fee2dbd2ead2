//! Shared fixtures of tests: a fresh database of either kind, a workspace with a user of each role, a clock
//! that the test sets.
//!
//! Only a dev-dependency. A test of the store is written once, with the attribute [`both_databases`], and
//! runs on SQLite and PostgreSQL. To add a builder, write a function that takes [`World`], in a separate
//! file.
#![expect(clippy::expect_used, reason = "a test may stop at the first surprise")]

// The attribute's output names this crate, also in the tests of this crate.
extern crate self as toolcrib_testkit;

mod app;
mod bad_toolsets;
mod database;
mod eventually;
mod fields;
mod http;
mod ids;
mod llm;
mod person;
mod postgres;
mod world;

pub mod outside;
pub mod provider;

pub use app::{App, change_workspace, user_identity};
pub use bad_toolsets::{BadToolset, bad_toolsets, valid_toolset};
pub use database::{
    OpenTransaction, TestDb, change_sqlite_file, migrate_later, open_pg_transaction, open_sqlite_transaction,
    pack_schema, postgres, sqlite, write,
};
pub use eventually::{Check, eventually, eventually_blocking, settled};
pub use fields::assert_has;
pub use http::{HttpApp, HttpClient, HttpParts, HttpReply, confirmation_path, openai_call};
pub use ids::TestIds;
pub use llm::{FakeModel, LlmAnswer, LlmReply, LlmRequest};
pub use person::{Person, decision_meta};
pub use postgres::pooler;
pub use toolcrib_model::TestClock;
pub use toolcrib_testkit_macros::both_databases;
pub use world::{ISSUER, World, key_row, seed, seed_named};

use toolcrib_model::Ts;

/// The time at which every test begins: 2026-01-15T10:00:00Z.
pub const NOW: Ts = Ts::from_micros(1_768_471_200_000_000);

/// Returns a clock that shows [`NOW`] until the test moves it.
pub fn clock() -> TestClock {
    TestClock::new(NOW)
}

/// Returns how often something is tried: `brief` in `scripts/test`, and `full` in `scripts/soak`, which sets `SOAK`.
/// `scripts/soak` runs the tests whose names contain `soak`.
pub fn soak<T>(brief: T, full: T) -> T {
    if std::env::var_os("SOAK").is_some() { full } else { brief }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[both_databases]
    async fn a_seeded_workspace_has_one_of_each_role(db: TestDb) {
        let world = seed(&db, &clock(), &TestIds::default()).await;
        let mut tx = db.read(world.workspace).await.unwrap();
        for (user, role) in [(world.owner, "owner"), (world.viewer, "viewer")] {
            let member = toolcrib_store::members::get(&mut tx, user).await.unwrap().unwrap();
            assert_eq!((member.role.as_str(), member.subject.as_str(), member.active), (role, role, true));
        }
        assert_eq!(NOW.to_string(), "2026-01-15T10:00:00.000000Z");
        tx.end().await.unwrap();
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn two_databases_share_nothing() {
        let (a, b) = (postgres().await, postgres().await);
        assert_ne!(a.url(), b.url());
        let world = seed(&a, &clock(), &TestIds::default()).await;
        let mut tx = b.read(world.workspace).await.unwrap();
        assert!(toolcrib_store::workspaces::get(&mut tx).await.unwrap().is_none());
        tx.end().await.unwrap();
    }
}
