//! The local issuer.

use std::{fs, os::unix::fs::PermissionsExt as _, sync::Arc};

use toolcrib_auth::{
    Authenticator, Credential, Resource,
    issuer::{FILE, IssuerError, LocalIssuer, MintRequest},
};
use toolcrib_model::{Clock, Id, SystemIds};
use toolcrib_testkit::NOW;

use crate::bench::{Bench, PEER};

fn request() -> MintRequest {
    MintRequest { subject: "ann".into(), workspace: Some("acme".into()), system_role: None, ttl_seconds: 60 }
}

#[tokio::test]
async fn its_tokens_are_accepted_and_say_what_was_asked() {
    let folder = tempfile::tempdir().unwrap();
    let first = LocalIssuer::load_or_create(folder.path(), &SystemIds, NOW).unwrap();
    let again = LocalIssuer::load_or_create(folder.path(), &SystemIds, NOW).unwrap();
    let bench = Bench::new().await;
    let clock = Arc::clone(&bench.clock) as Arc<dyn Clock>;
    let auth =
        Authenticator::new(bench.db.clone(), clock, LocalIssuer::settings(), Arc::new(again), Arc::default());
    let call =
        async |text: String| auth.authenticate(Resource::Api, Some(&format!("Bearer {text}")), PEER).await;
    let Ok(Credential::User(user)) = call(first.mint(&request(), NOW, Id::nil()).unwrap()).await else {
        panic!("the token is good");
    };
    assert_eq!((&*user.issuer, &*user.subject), ("toolcrib-local", "ann"));
    assert_eq!((user.workspace.as_deref(), user.system_admin), (Some("acme"), false));
    assert_eq!(user.expires_at, NOW.plus_seconds(60));
    let root = MintRequest { system_role: Some("admin".into()), workspace: None, ..request() };
    let Ok(Credential::User(user)) = call(first.mint(&root, NOW, Id::nil()).unwrap()).await else {
        panic!("the token is good");
    };
    assert_eq!((user.workspace, user.system_admin), (None, true));
    bench.clock.advance(66);
    assert!(call(first.mint(&request(), NOW, Id::nil()).unwrap()).await.is_err());
    let elsewhere = tempfile::tempdir().unwrap();
    let other = LocalIssuer::load_or_create(elsewhere.path(), &SystemIds, NOW).unwrap();
    assert!(call(other.mint(&request(), bench.clock.now(), Id::nil()).unwrap()).await.is_err());
    assert!(call(first.mint(&request(), bench.clock.now(), Id::nil()).unwrap()).await.is_ok());
}

#[test]
fn the_key_is_for_its_owner_alone_and_nothing_else_is_left() {
    let folder = tempfile::tempdir().unwrap();
    LocalIssuer::load_or_create(folder.path(), &SystemIds, NOW).unwrap();
    let names: Vec<_> =
        fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, [FILE]);
    let path = folder.path().join(FILE);
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    fs::write(&path, "not a key").unwrap();
    assert!(matches!(LocalIssuer::load_or_create(folder.path(), &SystemIds, NOW), Err(IssuerError::Key)));
}

#[test]
fn processes_that_start_together_share_one_key() {
    let folder = tempfile::tempdir().unwrap();
    let tokens: Vec<String> = std::thread::scope(|scope| {
        let start = || LocalIssuer::load_or_create(folder.path(), &SystemIds, NOW).unwrap();
        let running: Vec<_> =
            (0..8).map(|_| scope.spawn(move || start().mint(&request(), NOW, Id::nil()).unwrap())).collect();
        running.into_iter().map(|one| one.join().unwrap()).collect()
    });
    assert!(tokens.iter().all(|token| *token == tokens[0]));
}
