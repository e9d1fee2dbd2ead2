//! kill -9 at any moment under mixed load: reads, writes, duplicate keyed calls, confirmations, duplicate
//! approvals, and denials. Nothing acknowledged is lost, each effect has its row, nothing runs twice, and the
//! chains verify.
//!
//! Two rounds on each database, or three hundred with `SOAK=1`. Prints the counts.

mod books;

use std::{path::Path, time::Duration};

use serde_json::{Value, json};
use tokio::task::JoinHandle;
use toolcrib_store::workspaces::WorkspaceRow;
use toolcrib_testkit::{TestDb, both_databases, change_workspace, eventually, soak};

use crate::{
    api::Api,
    binary::{Server, done, folder},
    load::cut_off,
    logins::Flags,
    place::Place,
};
use books::{Books, Decided, Keyed};

const CREATE: &str = "/v1/actions/platform_create_task";

fn rounds() -> u64 {
    soak(2, 300)
}

/// Clients of two workspaces of one process. Calls in the second workspace wait for a confirmation.
#[derive(Clone)]
struct Doors {
    plain: Api,
    asking: Api,
    books: Books,
}

impl Doors {
    fn new(client: &reqwest::Client, server: &Server, folder: &Path, books: &Books) -> Self {
        let at = |workspace| Api::of(client, server, folder, (workspace, "owner"));
        Self { plain: at(0), asking: at(1), books: books.clone() }
    }

    /// Starts all callers of a round.
    fn open(&self, round: u64) -> Vec<JoinHandle<()>> {
        let mut callers = Vec::new();
        for who in 0..4 {
            callers.push(tokio::spawn(self.clone().write(format!("mixed-write-{round}-{who}"))));
            callers.push(tokio::spawn(self.clone().read()));
            callers.push(tokio::spawn(self.clone().keyed(format!("mixed-key-{round}-{who}"))));
            let turn = round + who;
            callers.push(tokio::spawn(self.clone().ask(format!("mixed-ask-{round}-{who}"), turn)));
        }
        callers
    }

    async fn write(self, name: String) {
        for n in 0.. {
            let title = format!("{name}-{n}");
            match self.plain.ask("POST", CREATE, Some(&task(&title))).await {
                Some((200, _)) => self.books.note(|books| books.written.insert(title)),
                answer => return gone(answer),
            }
        }
    }

    async fn read(self) {
        loop {
            match self
                .plain
                .ask("POST", "/v1/actions/platform_list_tasks", Some(&json!({ "limit": 1 })))
                .await
            {
                Some((200, body)) => {
                    let call = body["call_id"].as_str().unwrap().parse().unwrap();
                    self.books.note(|books| books.read.insert(call));
                }
                answer => return gone(answer),
            }
        }
    }

    /// Sends each call twice at once, as a client does that retries too early.
    async fn keyed(self, name: String) {
        for n in 0.. {
            let title = format!("{name}-{n}");
            let api = self.plain.with("Idempotency-Key", &title);
            let body = task(&title);
            self.books.note(|books| books.keyed.insert(title.clone(), Keyed::default()));
            let both =
                tokio::join!(api.ask("POST", CREATE, Some(&body)), api.ask("POST", CREATE, Some(&body)));
            for answer in [&both.0, &both.1] {
                if let Some((200, body)) = answer {
                    let data = body["data"].to_string();
                    self.books.note(|books| books.keyed.get_mut(&title).unwrap().told(data));
                }
            }
            for answer in [both.0, both.1] {
                if !matches!(answer, Some((200, _))) {
                    return gone(answer);
                }
            }
        }
    }

    /// Makes calls that need a confirmation. Approves each twice at once, but denies every fourth.
    async fn ask(self, name: String, turn: u64) {
        for n in 0.. {
            let title = format!("{name}-{n}");
            let id = match self.asking.ask("POST", CREATE, Some(&task(&title))).await {
                Some((202, body)) => body["confirmation"]["id"].as_str().unwrap().to_owned(),
                answer => return gone(answer),
            };
            self.books.note(|books| books.asked.insert(id.parse().unwrap(), title));
            if (n + turn) % 4 == 3 {
                match self.decide(&id, "deny").await {
                    Some((200, _)) => self.decided(&id, Decided::Denied),
                    answer => return gone(answer),
                }
                continue;
            }
            let both = tokio::join!(self.decide(&id, "approve"), self.decide(&id, "approve"));
            let won = [&both.0, &both.1].iter().filter(|answer| matches!(answer, Some((200, _)))).count();
            assert!(won < 2, "two approvals of `{id}` count: {both:?}");
            if won == 1 {
                self.decided(&id, Decided::Approved);
            }
            for answer in [both.0, both.1] {
                match answer {
                    Some((200, _)) => {}
                    Some((409, body)) if body["code"] == "already_decided" => {}
                    answer => return gone(answer),
                }
            }
        }
    }

    async fn decide(&self, id: &str, what: &str) -> Option<(u16, Value)> {
        self.asking.ask("POST", &format!("/v1/confirmations/{id}/{what}"), Some(&json!({}))).await
    }

    fn decided(&self, id: &str, how: Decided) {
        self.books.note(|books| books.decided.insert(id.parse().unwrap(), how));
    }

    /// What clients do when the service is back: they repeat the last keyed calls, and approve every
    /// confirmation that is open or for which they were not told the decision.
    async fn resume(&self) {
        for (title, before) in self.books.unsettled_keys() {
            let api = self.plain.with("Idempotency-Key", &title);
            let body = api.post(CREATE, &task(&title), 200).await;
            let data = body["data"].to_string();
            if let Some(told) = before.told {
                assert_eq!(
                    (&data, &body["replayed"]),
                    (&told, &json!(true)),
                    "`{title}` was answered before"
                );
            }
            self.books.note(|books| {
                books.replayed += usize::from(body["replayed"] == true);
                books.keyed.get_mut(&title).unwrap().settled(data);
            });
        }
        for id in self.books.undecided() {
            match self.decide(&id.to_string(), "approve").await {
                Some((200, _)) => self.decided(&id.to_string(), Decided::Approved),
                // The decision was committed, but its response got lost.
                Some((409, body)) if body["code"] == "already_decided" => {
                    self.books.note(|books| books.lost_answers.insert(id));
                }
                answer => panic!("`{id}`: {answer:?}"),
            }
        }
        // Confirmations of which the client got no response are open too. Nobody waits for them, so they are
        // denied.
        let open = self.asking.get("/v1/confirmations?status=pending&limit=100").await;
        for item in open["items"].as_array().unwrap() {
            let (status, body) = self.decide(item["id"].as_str().unwrap(), "deny").await.unwrap();
            assert_eq!(status, 200, "{body}");
        }
    }
}

fn task(title: &str) -> Value {
    json!({ "title": title, "description": "made while the service is killed" })
}

/// Checks that the service was gone and did not refuse the call.
fn gone(answer: Option<(u16, Value)>) {
    assert!(answer.is_none(), "{answer:?}");
}

async fn one_round(server: Server, doors: &Doors, round: u64) {
    doors.resume().await;
    let before = doors.books.counts();
    let callers = doors.open(round);
    // The load is under way once a caller of each kind was answered.
    eventually("everybody is answered", async || {
        doors.books.counts().iter().zip(before).all(|(now, then)| *now > then)
    })
    .await;
    // The server is killed at a different moment in each round, so that all rounds together cover every
    // window.
    cut_off(callers, Duration::from_millis((round * 137) % 250), || server.kill()).await;
}

async fn survives(place: &Place) {
    let (client, books) = (reqwest::Client::new(), Books::default());
    let first = place.start(&["--demo"]);
    let doors = Doors::new(&client, &first, &place.folder, &books);
    for api in [&doors.plain, &doors.asking] {
        place.limits_off(api.workspace).await;
    }
    let db = place.open().await;
    let ask = |row: &mut WorkspaceRow| "confirm_writes".clone_into(&mut row.settings.approval_mode);
    change_workspace(&db, doors.asking.workspace, ask).await;
    db.close().await;
    one_round(first, &doors, 0).await;
    for round in 1..rounds() {
        let server = place.start(&["--demo"]);
        let doors = Doors::new(&client, &server, &place.folder, &books);
        one_round(server, &doors, round).await;
    }
    // The last process runs until it has sealed the remaining rows.
    let last = place.start(&["--demo"]);
    Doors::new(&client, &last, &place.folder, &books).resume().await;
    assert_eq!(last.stop(), Some(0));
    let db = place.open().await;
    let told = books.balance(&db, doors.plain.workspace, doors.asking.workspace).await;
    db.close().await;
    println!("kill -9, mixed, {}: {} rounds, {told}\n{}", db.kind(), rounds(), place.verify());
}

#[both_databases]
async fn mixed_load_survives_kills_soak(db: TestDb) {
    let folder = folder();
    survives(&Place::new(folder.path(), &db)).await;
}

/// Twenty clients, with four connections of the pooler to the server for their requests.
#[tokio::test(flavor = "multi_thread")]
async fn mixed_load_survives_kills_behind_a_pooler_soak() {
    let (folder, database) = (folder(), toolcrib_testkit::postgres().await);
    let flags = Flags::pooled(&database);
    done(&flags.all(&["migrate"]));
    survives(&Place::new(folder.path(), &database).named(&flags.serve(&[]))).await;
    flags.drop(&database).await;
}
