//! `serve` on PostgreSQL with three logins that own nothing, which `migrate` creates.

use std::path::Path;

use serde_json::json;
use toolcrib_model::{Clock as _, Id, IdGen as _, SystemClock, SystemIds};
use toolcrib_store::schedules;
use toolcrib_testkit::{TestDb, eventually, pooler, write};

use crate::{
    api::Api,
    binary::{Server, demo, done, folder, refused, run},
    demo::the_demo_runs_on_postgresql,
    due::{schedule, told},
};

/// Flags with three logins of the test's own, because all databases of a server share its logins.
pub struct Flags {
    serve: Vec<String>,
    owner: Vec<String>,
}

impl Flags {
    pub fn new(db: &TestDb) -> Self {
        let url = db.url();
        let (server, name) = url.rsplit_once('/').unwrap();
        let host = server.rsplit_once('@').unwrap().1;
        let login = |flag: &str, what: &str| {
            [flag.to_owned(), format!("postgres://{name}_{what}:hunter2@{host}/{name}")]
        };
        let logins = [("--database", "app"), ("--audit-database", "audit"), ("--worker-database", "worker")];
        let serve = logins.iter().flat_map(|(flag, what)| login(flag, what)).collect();
        Self { serve, owner: vec!["--owner-database".into(), url] }
    }

    /// The same logins through a pooler in transaction mode, with four connections to the server for each.
    pub fn pooled(db: &TestDb) -> Self {
        let mut flags = Self::new(db);
        let host = db.url().rsplit_once('@').unwrap().1.split('/').next().unwrap().to_owned();
        for url in &mut flags.serve {
            *url = url.replace(&format!("@{host}/"), &format!("@{}/", pooler()));
        }
        flags.serve.extend(["--pg-pooler".into(), "transaction".into()]);
        flags
    }

    pub fn serve<'f>(&'f self, more: &[&'f str]) -> Vec<&'f str> {
        more.iter().copied().chain(self.serve.iter().map(String::as_str)).collect()
    }

    pub fn all<'f>(&'f self, more: &[&'f str]) -> Vec<&'f str> {
        self.serve(more).into_iter().chain(self.owner.iter().map(String::as_str)).collect()
    }

    pub async fn drop(&self, db: &TestDb) {
        for url in self.serve.iter().filter(|text| text.starts_with("postgres://")) {
            let login = url.trim_start_matches("postgres://").split(':').next().unwrap();
            db.raw_sql(&format!("DROP OWNED BY {login}; DROP ROLE {login}")).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn everything_works_as_three_logins_that_own_nothing() {
    let db = toolcrib_testkit::postgres().await;
    everything_works(&db, Flags::new(&db)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn everything_works_behind_a_pooler() {
    let db = toolcrib_testkit::postgres().await;
    everything_works(&db, Flags::pooled(&db)).await;
}

async fn everything_works(db: &TestDb, flags: Flags) {
    let folder = folder();
    let data = folder.path().join("data").to_str().unwrap().to_owned();
    assert!(refused(&flags.serve(&["serve", "--demo", "--data-dir", &data]), 3).contains("--database"));
    assert!(done(&flags.all(&["migrate", "--data-dir", &data])).contains("three logins"));
    done(&flags.all(&["migrate", "--data-dir", &data]));
    assert!(refused(&flags.serve(&["migrate", "--data-dir", &data]), 2).contains("`--owner-database`"));

    let server = Server::start(folder.path(), &flags.serve(&["--demo"]));
    let api = Api::new(&reqwest::Client::new(), &server, folder.path(), "owner");
    let made = api
        .post("/v1/actions/platform_create_agent", &json!({ "name": "Walled", "role": "worker" }), 200)
        .await;
    assert_eq!(made["status"], "completed");
    let listed = api.post("/v1/actions/platform_list_agents", &json!({}), 200).await;
    assert!(listed["data"]["items"].as_array().unwrap().iter().any(|agent| agent["name"] == "Walled"));

    works_beside_the_requests(db, &api, folder.path()).await;
    let text = server.text();
    assert!(!text.contains("WARN") && !text.contains("ERROR") && !text.contains("hunter2"), "{text}");
    commands_know_the_logins(&flags, &data);
    assert_eq!(server.stop(), Some(0));
    flags.drop(db).await;
}

/// Schedules, sealing and query plans work. Retention and webhooks would log warnings if they did not.
async fn works_beside_the_requests(db: &TestDb, api: &Api, folder: &Path) {
    // The schedule is a worker's job, and the worker must find its workspace.
    let agent: Id = demo(folder)["workspaces"][0]["agent"]["agent_id"].as_str().unwrap().parse().unwrap();
    let now = SystemClock.now();
    write(db, api.workspace, async |tx| {
        schedules::insert(tx, &schedule(SystemIds.new_id(now), agent, now)).await
    })
    .await
    .unwrap();
    eventually("the schedule fires", async || {
        told(db, api.workspace).await.iter().any(|event| event.name == "schedule.due")
    })
    .await;
    eventually("the log is sealed", async || {
        let found = api.get("/v1/audit/verify").await;
        found["ok"] == true && found["sealed"].as_i64() > Some(40) && found["unsealed"] == 0
    })
    .await;
    // Tables that grew are analysed.
    let analysed =
        "SELECT COUNT(*) FROM pg_stat_all_tables WHERE schemaname = 'public' AND analyze_count > 0";
    eventually("plans are refreshed", async || db.number(analysed).await > 0).await;
}

fn commands_know_the_logins(flags: &Flags, data: &str) {
    let doctor = String::from_utf8(run(&flags.serve(&["doctor", "--data-dir", data])).stdout).unwrap();
    let ails: Vec<&str> = doctor.lines().filter(|line| line.starts_with("FAIL")).collect();
    assert!(ails.len() == 1 && ails[0].contains("`--jwks-url`"), "only a demo has its own tokens: {doctor}");
    assert!(doctor.contains("ok    three logins to PostgreSQL that own nothing"), "{doctor}");
    assert!(done(&flags.serve(&["audit", "verify", "--data-dir", data])).contains("intact"));
    let operator =
        ["key", "create", "--operator", "--name", "x", "--scopes", "workspaces:create", "--data-dir", data];
    assert!(refused(&flags.serve(&operator), 3).contains("`--owner-database`"));
    assert!(done(&flags.all(&operator)).contains("tc_"));
}

#[tokio::test(flavor = "multi_thread")]
async fn with_one_login_the_missing_wall_is_told() {
    let (folder, db) = (folder(), toolcrib_testkit::postgres().await);
    let (data, url) = (folder.path().join("data"), db.url());
    let server = Server::start(folder.path(), &["--demo", "--database", &url]);
    the_demo_runs_on_postgresql(folder.path(), &server);
    assert!(server.text().contains("PostgreSQL has one login"), "{}", server.text());
    let doctor = run(&["doctor", "--database", &url, "--data-dir", data.to_str().unwrap()]);
    let text = String::from_utf8(doctor.stdout).unwrap();
    assert!(text.contains("NOTE  PostgreSQL has one login"), "{text}");
    assert_eq!(server.stop(), Some(0));

    let flags = Flags::new(&db);
    done(&flags.all(&["migrate", "--data-dir", data.to_str().unwrap()]));
    let server = Server::start(folder.path(), &flags.all(&["--demo"]));
    assert!(
        server.text().contains("the owner's login (`--owner-database`) is among the settings"),
        "{}",
        server.text()
    );
    assert_eq!(server.stop(), Some(0));
    // `serve` refuses a login that has more rights than it should.
    let mut as_owner =
        flags.serve(&["serve", "--demo", "--bind", "127.0.0.1:0", "--data-dir", data.to_str().unwrap()]);
    let at = as_owner.iter().position(|flag| *flag == "--audit-database").unwrap();
    as_owner[at + 1] = &url;
    assert!(refused(&as_owner, 3).contains("superuser"));
    flags.drop(&db).await;
}
