//! Keys of agents, services and operators.

use toolcrib_access::Special;
use toolcrib_auth::{
    Credential,
    secret::{format_key, hash},
};
use toolcrib_model::{ErrorCode, Id, IdGen as _, SystemIds, Ts};
use toolcrib_store::{
    keys::{self, KeyRow, OperatorKeyRow},
    lookup::{self, StoredKey},
};
use toolcrib_testkit::{NOW, eventually, key_row, write};

use crate::bench::Bench;

const SECRET: [u8; 32] = [3; 32];

fn row(bench: &Bench, kind: &str) -> KeyRow {
    let agent = kind == "agent";
    KeyRow {
        secret_hash: hash(&SECRET).to_vec(),
        agent_id: agent.then(|| Id::from_u128(5)),
        runs_as: agent.then_some(bench.world.owner),
        role: (!agent).then(|| "editor".into()),
        scopes: r#"["*:read"]"#.into(),
        caller_types: r#"["mission","chat"]"#.into(),
        ..key_row(bench.world.workspace, SystemIds.new_id(NOW), kind)
    }
}

async fn store(bench: &Bench, row: KeyRow) -> String {
    let text = format_key(row.id, &SECRET);
    write(&bench.db, row.workspace_id, async |tx| keys::insert(tx, &row).await).await.unwrap();
    text
}

#[tokio::test]
async fn an_agents_key_and_a_service_key_say_what_they_were_given() {
    let bench = Bench::new().await;
    let (agent, service) = (row(&bench, "agent"), row(&bench, "service"));
    let Ok(Credential::Agent(key)) = bench.call(&store(&bench, agent.clone()).await).await else { panic!() };
    assert_eq!((key.key_id, key.workspace), (agent.id, bench.world.workspace));
    assert_eq!((key.agent_id, key.runs_as), (Id::from_u128(5), bench.world.owner));
    assert_eq!(key.scopes.words(), Some(vec!["*:read".to_owned()]));
    assert_eq!(key.caller_types, ["mission", "chat"]);
    let Ok(Credential::Service(key)) = bench.call(&store(&bench, service.clone()).await).await else {
        panic!()
    };
    assert_eq!((key.key_id, key.role.as_str()), (service.id, "editor"));
}

#[tokio::test]
async fn unknown_wrong_expired_and_revoked_keys_get_the_same_answer() {
    let bench = Bench::new().await;
    let good = store(&bench, row(&bench, "service")).await;
    let ended = store(&bench, KeyRow { expires_at: Some(NOW.as_micros()), ..row(&bench, "service") }).await;
    let revoked = row(&bench, "service");
    let revoked_text = store(&bench, revoked.clone()).await;
    let done = write(&bench.db, bench.world.workspace, async |tx| keys::revoke(tx, revoked.id, NOW).await)
        .await
        .unwrap();
    assert!(done);
    let id = Id::try_parse(&good[3..35]).unwrap();
    let mut answers = Vec::new();
    for bad in [
        format_key(SystemIds.new_id(NOW), &SECRET),
        format_key(id, &[4; 32]),
        good.to_uppercase().replacen("TC_", "tc_", 1),
        "tc_".to_owned(),
        "tc_' OR 1=1 --".replace(' ', "+"),
        ended,
        revoked_text,
    ] {
        let error = bench.call(&bad).await.expect_err(&bad);
        answers.push((error.code, error.detail, error.hint));
    }
    assert!(answers.iter().all(|answer| *answer == answers[0]), "{answers:?}");
    assert_eq!(answers[0].0, ErrorCode::Unauthenticated);
    assert!(bench.call(&good).await.is_ok());
}

#[tokio::test]
async fn a_valid_key_is_never_refused_for_failures_of_others_or_guesses_at_it() {
    let bench = Bench::new().await;
    let (known, new) = (store(&bench, row(&bench, "service")).await, row(&bench, "agent"));
    assert!(bench.call(&known).await.is_ok());
    let new_text = store(&bench, new.clone()).await;
    for n in 0..200_u8 {
        let expected = if n < 60 { ErrorCode::Unauthenticated } else { ErrorCode::RateLimited };
        assert_eq!(bench.code(&format_key(new.id, &[n.max(4); 32])).await, expected, "guess {n}");
    }
    assert!(bench.call(&new_text).await.is_ok(), "a new one, from the address of the guesses");
    assert!(bench.call(&known).await.is_ok());
    let elsewhere = bench.authenticate(Some(&format!("Bearer {new_text}")), [192, 0, 2, 9].into()).await;
    assert!(elsewhere.is_ok());
}

#[tokio::test]
async fn a_known_key_that_is_revoked_is_refused_at_once() {
    let bench = Bench::new().await;
    let key = row(&bench, "service");
    let text = store(&bench, key.clone()).await;
    assert!(bench.call(&text).await.is_ok());
    let done = write(&bench.db, bench.world.workspace, async |tx| keys::revoke(tx, key.id, NOW).await)
        .await
        .unwrap();
    assert!(done);
    for _ in 0..2 {
        assert_eq!(bench.code(&text).await, ErrorCode::Unauthenticated);
    }
}

#[tokio::test]
async fn a_key_is_good_until_its_expiry() {
    let bench = Bench::new().await;
    let text = store(
        &bench,
        KeyRow { expires_at: Some(NOW.plus_seconds(10).as_micros()), ..row(&bench, "service") },
    )
    .await;
    bench.clock.advance(9);
    assert!(bench.call(&text).await.is_ok());
    bench.clock.advance(1);
    assert!(bench.call(&text).await.is_err());
}

#[tokio::test]
async fn stored_scopes_never_mean_everything() {
    let bench = Bench::new().await;
    let text = store(&bench, KeyRow { scopes: "null".into(), ..row(&bench, "service") }).await;
    assert_eq!(bench.code(&text).await, ErrorCode::Internal);
}

#[tokio::test]
async fn the_last_use_is_noted_at_most_once_a_minute() {
    let bench = Bench::new().await;
    let key = row(&bench, "agent");
    let text = store(&bench, key.clone()).await;
    let used = async |wanted: Ts| {
        eventually("the use is noted", async || {
            let found = lookup::key_by_id(&bench.db, key.id).await.unwrap();
            let Some(StoredKey::Workspace(row)) = found else { panic!("{found:?}") };
            if row.last_used_at == Some(wanted.as_micros()) { Ok(()) } else { Err(format!("{row:?}")) }
        })
        .await;
    };
    assert!(bench.call(&text).await.is_ok());
    used(NOW).await;
    bench.clock.advance(59);
    assert!(bench.call(&text).await.is_ok());
    // A note would have gone through the same writer before this one.
    bench.db.begin_write(bench.world.workspace).await.unwrap().commit().await.unwrap();
    used(NOW).await;
    bench.clock.advance(1);
    assert!(bench.call(&text).await.is_ok());
    used(NOW.plus_seconds(60)).await;
}

#[tokio::test]
async fn an_operator_key_belongs_to_no_workspace() {
    let bench = Bench::new().await;
    let row = OperatorKeyRow {
        id: SystemIds.new_id(NOW),
        name: "op".into(),
        secret_hash: hash(&SECRET).to_vec(),
        scopes: r#"["workspaces:create"]"#.into(),
        created_at: NOW,
        expires_at: Some(NOW.plus_seconds(5).as_micros()),
        revoked_at: None,
    };
    let text = format_key(row.id, &SECRET);
    write(&bench.db, Id::nil(), async |tx| keys::insert_operator(tx, &row).await).await.unwrap();
    let Ok(Credential::Operator(key)) = bench.call(&text).await else { panic!() };
    assert!(key.scopes.special(Special::WorkspacesCreate) && !key.scopes.special(Special::EventsAll));
    assert!(bench.call(&format_key(key.key_id, &[9; 32])).await.is_err());
    bench.clock.advance(5);
    assert!(bench.call(&text).await.is_err());
}
