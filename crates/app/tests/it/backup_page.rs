//! The commands of `docs/backup.md`, run as they stand, section by section.

use std::{
    collections::BTreeMap,
    fs,
    path::Path,
    process::{Command, Output},
};

use serde_json::json;
use toolcrib_testkit::{TestDb, postgres};

use crate::{
    api::Api,
    binary::{Server, demo, folder, toolcrib},
};

const PAGE: &str = include_str!("../../../../docs/backup.md");

/// The shell blocks of a section, such as those of `SQLite`, `Restore`.
fn blocks(chapter: &str, section: &str) -> Vec<String> {
    let chapter = PAGE.split("\n## ").find(|text| text.starts_with(&format!("{chapter}\n"))).unwrap();
    let section = chapter.split("\n### ").find(|text| text.starts_with(&format!("{section}\n"))).unwrap();
    section.split("```sh\n").skip(1).map(|rest| rest.split("\n```").next().unwrap().to_owned()).collect()
}

/// A shell with the variables that the page names.
struct Shell(BTreeMap<&'static str, String>);

impl Shell {
    fn run(&self, block: &str) -> Output {
        let binary = toolcrib();
        let program = Path::new(binary.get_program()).parent().unwrap();
        let mut command = Command::new("bash");
        command.args(["-euo", "pipefail", "-c", block]).env_clear().envs(&self.0);
        command.env("PATH", format!("{}:/usr/bin:/bin", program.display())).output().unwrap()
    }

    fn ok(&self, block: &str) -> String {
        let output = self.run(block);
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success(), "{block}: {text}{}", String::from_utf8_lossy(&output.stderr));
        text
    }
}

/// Copies the keys out of a data directory.
fn keys(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for key in ["audit.pem", "issuer.pem", "secret.key"] {
        let _ = fs::copy(from.join(key), to.join(key));
    }
}

/// Adds a member of the first workspace to a running demo, and removes the viewer.
async fn change(server: &Server, folder: &Path) {
    let owner = Api::new(&reqwest::Client::new(), server, folder, "owner");
    let viewer = demo(folder)["workspaces"][0]["viewer"]["user_id"].as_str().unwrap().to_owned();
    owner.ok("DELETE", &format!("/v1/members/{viewer}"), None, 200).await;
    owner.post("/v1/members", &json!({ "subject": "late", "role": "viewer" }), 201).await;
}

/// The last blocks of a restore: both list the removal, and the second workspace of the demo is unknown.
fn accept(shell: &Shell, list: Option<&str>, accept: &str, resume: &str) {
    if let Some(list) = list {
        let text = shell.ok(list);
        assert!(
            text.contains("would be taken away again: members.remove")
                && text.contains("lost: 1 members.add"),
            "{text}"
        );
    }
    let unknown = shell.run(accept);
    assert_eq!(unknown.status.code(), Some(1), "{}", String::from_utf8_lossy(&unknown.stdout));
    let text = shell.ok(&format!("{} --unknown-changes", accept.trim_end()));
    assert!(text.contains("taken away again: members.remove") && text.contains("accepted"), "{text}");
    assert!(shell.ok(resume).contains("webhooks and due work run"));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_commands_for_sqlite_run_as_they_stand() {
    let (folder, new) = (folder(), folder());
    let server = Server::start(folder.path(), &["--demo"]);
    let workspace = demo(folder.path())["workspaces"][0]["id"].as_str().unwrap().to_owned();
    let data = folder.path().join("data").to_str().unwrap().to_owned();
    let mut shell = Shell(BTreeMap::from([
        ("BACKUP", folder.path().to_str().unwrap().to_owned()),
        ("WORKSPACE", workspace),
        ("TOOLCRIB_DATA_DIR", data),
    ]));
    let [backup, export] = blocks("SQLite", "Back up").try_into().unwrap();
    assert!(shell.ok(&backup).contains("everybody needs a new one"));
    change(&server, folder.path()).await;
    shell.ok(&export);
    assert_eq!(server.stop(), Some(0));

    keys(&folder.path().join("data"), new.path());
    shell.0.insert("KEYS", new.path().to_str().unwrap().to_owned());
    let [restore, list, accepts, resume] = blocks("SQLite", "Restore").try_into().unwrap();
    assert!(shell.ok(&restore).contains("restored and held"));
    accept(&shell, Some(&list), &accepts, &resume);
    let server = Server::start(folder.path(), &[]);
    let ready = reqwest::get(format!("{}/readyz", server.base())).await.unwrap();
    assert_eq!(ready.status().as_u16(), 200);
    assert_eq!(server.stop(), Some(0));
}

/// The variables of the page for a database of the test server, with three logins of its own.
fn variables(db: &TestDb, folder: &Path, new: &Path) -> Shell {
    let url = db.url();
    let (server, name) = url.rsplit_once('/').unwrap();
    let host = server.rsplit_once('@').unwrap().1;
    let new_name = format!("{name}_new");
    let login = |what: &str| format!("postgres://{name}_{what}:hunter2@{host}/{new_name}");
    Shell(BTreeMap::from([
        ("ADMIN", format!("{server}/postgres")),
        ("ADMIN_NEW", format!("{server}/{new_name}")),
        ("NEW", new_name.clone()),
        ("OWNER", "postgres".to_owned()),
        ("BACKUP", folder.to_str().unwrap().to_owned()),
        ("BACKUP_PASSWORD", "hunter2".to_owned()),
        ("BACKUP_DATABASE", format!("postgres://toolcrib_backup@{host}/{name}")),
        ("WORKSPACE", demo(folder)["workspaces"][0]["id"].as_str().unwrap().to_owned()),
        ("TOOLCRIB_DATA_DIR", new.join("data").to_str().unwrap().to_owned()),
        ("TOOLCRIB_DATABASE", login("app")),
        ("TOOLCRIB_AUDIT_DATABASE", login("audit")),
        ("TOOLCRIB_WORKER_DATABASE", login("worker")),
        ("TOOLCRIB_OWNER_DATABASE", format!("{server}/{new_name}")),
    ]))
}

#[tokio::test(flavor = "multi_thread")]
async fn the_commands_for_postgresql_run_as_they_stand() {
    let (folder, new, db) = (folder(), folder(), postgres().await);
    db.raw_sql("DROP ROLE IF EXISTS toolcrib_backup").await;
    let server = Server::start(folder.path(), &["--demo", "--database", &db.url()]);
    let shell = variables(&db, folder.path(), new.path());
    let [prepare] = blocks("PostgreSQL", "Prepare").try_into().unwrap();
    shell.ok(&prepare);
    let [dump, export] = blocks("PostgreSQL", "Back up").try_into().unwrap();
    shell.ok(&dump);
    change(&server, folder.path()).await;
    let mut old = Shell(shell.0.clone());
    old.0.retain(|name, _| !name.starts_with("TOOLCRIB_"));
    old.0.insert("TOOLCRIB_DATABASE", db.url());
    old.0.insert("TOOLCRIB_DATA_DIR", folder.path().join("data").to_str().unwrap().to_owned());
    old.ok(&export);
    assert_eq!(server.stop(), Some(0));

    keys(&folder.path().join("data"), &new.path().join("data"));
    let [fill, restore, resume] = blocks("PostgreSQL", "Restore").try_into().unwrap();
    shell.ok(&fill);
    let (restores, accepts) = restore.split_once('\n').unwrap();
    assert!(shell.ok(restores).contains("restored and held"));
    accept(&shell, None, accepts, &resume);
    // The three logins work on the restored database.
    let doctor = String::from_utf8(shell.run("toolcrib doctor").stdout).unwrap();
    assert!(doctor.contains("owner's login") && doctor.contains("ok    postgres"), "{doctor}");
    let admin = &shell.0["ADMIN"];
    let drops = ["app", "audit", "worker"].map(|what| {
        let name = shell.0["NEW"].trim_end_matches("_new");
        format!("psql -q '{admin}' -c 'DROP ROLE {name}_{what}'")
    });
    shell.ok(&format!(
        "psql -q '{admin}' -c 'DROP DATABASE {} WITH (FORCE)'; {}",
        shell.0["NEW"],
        drops.join("; ")
    ));
    db.raw_sql("DROP ROLE toolcrib_backup").await;
}
