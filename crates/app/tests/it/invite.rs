//! `invite`, and `workspace create --owner`: the first owner of a workspace, on both databases.

use serde_json::Value;
use toolcrib_testkit::{TestDb, both_databases};

use crate::binary::{done, folder, refused, run};

const PROVIDER: [&str; 10] = [
    "--jwks-url",
    "https://id.example/keys",
    "--issuer",
    "https://id.example",
    "--audience",
    "api",
    "--public-url",
    "https://tools.example",
    "--console-client-id",
    "console",
];

/// The command line over one database.
struct CommandLine {
    db: TestDb,
    _folder: tempfile::TempDir,
    place: [String; 4],
}

impl CommandLine {
    fn new(db: TestDb) -> Self {
        let folder = folder();
        let data = folder.path().join("data").to_str().unwrap().to_owned();
        let place = ["--database".into(), db.url(), "--data-dir".into(), data];
        Self { db, _folder: folder, place }
    }

    fn arguments<'a>(&'a self, arguments: &[&'a str]) -> Vec<&'a str> {
        arguments.iter().copied().chain(self.place.iter().map(String::as_str)).collect()
    }

    fn ok(&self, arguments: &[&str]) -> Value {
        serde_json::from_str(&done(&self.arguments(arguments))).unwrap()
    }

    fn no(&self, arguments: &[&str], code: i32) -> String {
        refused(&self.arguments(arguments), code)
    }

    /// Runs `invite` for a workspace, with the settings of a provider.
    fn invite(&self, workspace: &str, more: &[&str]) -> Value {
        self.ok(&[&["invite", "--workspace", workspace], more, &PROVIDER].concat())
    }

    fn workspace(&self) -> String {
        self.ok(&["workspace", "create", "Shop"])["id"].as_str().unwrap().to_owned()
    }
}

#[both_databases]
async fn the_operator_invites_the_first_owner(db: TestDb) {
    let line = CommandLine::new(db);
    let id = line.workspace();
    let made = line.invite(&id, &["--email", "ann@example.com"]);
    assert_eq!((&made["role"], &made["issuer"]), (&"owner".into(), &"https://id.example".into()));
    let url = made["url"].as_str().unwrap();
    let code = url.strip_prefix("https://tools.example/console/login#invitation=tci_").unwrap();
    let secret = code.split_once('_').unwrap().1;
    let stored = line.db.everything().await;
    assert!(!stored.windows(secret.len()).any(|bytes| bytes == secret.as_bytes()), "neither rows nor log");

    let invitation = made["id"].as_str().unwrap();
    let doctor = || String::from_utf8(run(&line.arguments(&["doctor"])).stdout).unwrap();
    let told = doctor();
    let note = told.lines().find(|line| line.contains(invitation)).unwrap();
    assert!(
        note.starts_with("NOTE") && note.contains("as owner for ann@example.com") && note.contains(&id),
        "{note}"
    );
    assert!(!told.contains(secret));

    let revoke = ["invite", "--workspace", &id, "--revoke", invitation];
    assert_eq!(line.ok(&revoke)["revoked"], true);
    assert_eq!(run(&line.arguments(&revoke)).status.code(), Some(1), "it had ended already");
    assert!(!doctor().contains(invitation));
    let unknown = "0190a000-0000-7000-8000-000000000000";
    assert!(line.no(&["invite", "--workspace", &id, "--revoke", unknown], 2).contains(unknown));

    let log = done(&line.arguments(&["audit", "export", "--workspace", &id]));
    let rows: Vec<Value> = log.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let actions: Vec<&str> = rows.iter().filter_map(|row| row["action"].as_str()).collect();
    assert_eq!(actions, ["workspaces.create", "invitations.create", "invitations.revoke"]);
    assert!(!log.contains(secret));
}

#[both_databases]
#[expect(clippy::unused_async, reason = "the attribute calls every test alike")]
async fn an_invitation_needs_a_provider_and_a_workspace_without_an_owner(db: TestDb) {
    let line = CommandLine::new(db);
    let id = line.workspace();
    assert!(line.no(&["invite", "--workspace", &id], 2).contains("`--console-client-id`"));
    let wrong = [&["invite", "--workspace", &id, "--email", "ann"], &PROVIDER[..]].concat();
    assert!(line.no(&wrong, 2).contains("`--email`"));
    let wrong = [&["invite", "--workspace", &id, "--role", "king"], &PROVIDER[..]].concat();
    assert!(line.no(&wrong, 2).contains("`king`"));

    line.invite(&id, &[]);
    line.ok(&["member", "add", "--workspace", &id, "--user", "ann", "--role", "owner"]);
    let late = [&["invite", "--workspace", &id], &PROVIDER[..]].concat();
    assert!(line.no(&late, 2).contains("has an owner"));
}

#[both_databases]
#[expect(clippy::unused_async, reason = "the attribute calls every test alike")]
async fn an_owner_by_subject_is_one_of_the_named_issuer(db: TestDb) {
    let line = CommandLine::new(db);
    let create = ["workspace", "create", "Shop", "--owner", "ann", "--jwks-url", "https://id.example/keys"];
    let named = ["--audience", "api", "--issuer", "https://id.example"];
    assert!(line.no(&[&create[..], &named[..2]].concat(), 2).contains("`--issuer`"));
    let made = line.ok(&[&create[..], &named[..]].concat());
    assert_eq!(made["owner_issuer"], "https://id.example");
    assert_eq!(line.ok(&["workspace", "create", "Other"])["owner_issuer"], Value::Null);
}
