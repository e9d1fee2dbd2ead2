//! A database with its data directory, for the servers and commands of one test.

use std::path::{Path, PathBuf};

use toolcrib_model::Id;
use toolcrib_store::Db;
use toolcrib_testkit::{TestDb, change_workspace, open_pg_transaction, open_sqlite_transaction};

use crate::binary::{Server, done, refused};

pub struct Place {
    pub folder: PathBuf,
    /// The URL of PostgreSQL.
    pub url: Option<String>,
    /// The arguments that name the database.
    database: Vec<String>,
}

impl Place {
    pub fn new(folder: &Path, db: &TestDb) -> Self {
        Self::at(folder, (db.kind() != "sqlite").then(|| db.url()))
    }

    pub fn at(folder: &Path, url: Option<String>) -> Self {
        let database = url.iter().flat_map(|url| ["--database".into(), url.clone()]).collect();
        Self { folder: folder.to_owned(), url, database }
    }

    /// The same place for servers that name its database with these arguments.
    pub fn named(mut self, database: &[&str]) -> Self {
        self.database = database.iter().map(ToString::to_string).collect();
        self
    }

    pub fn data(&self) -> PathBuf {
        self.folder.join("data")
    }

    pub fn file(&self) -> PathBuf {
        self.data().join("toolcrib.db")
    }

    /// The arguments with those that name this place.
    pub fn args(&self, args: &[&str]) -> Vec<String> {
        let data = self.data().to_str().unwrap().to_owned();
        let args = args.iter().map(ToString::to_string).chain(["--data-dir".into(), data]);
        args.chain(self.database.clone()).collect()
    }

    pub fn done(&self, args: &[&str]) -> String {
        done(&strs(&self.args(args)))
    }

    pub fn refused(&self, args: &[&str], code: i32) -> String {
        refused(&strs(&self.args(args)), code)
    }

    pub fn start(&self, args: &[&str]) -> Server {
        self.start_as("log.txt", args)
    }

    /// Starts a server with a log file of its own, for one of several.
    pub fn start_as(&self, log: &str, args: &[&str]) -> Server {
        Server::start_as(log, &self.folder, &[args, &strs(&self.database)].concat())
    }

    pub async fn open(&self) -> Db {
        match &self.url {
            Some(url) => Db::open_pg(url, 4).await.unwrap(),
            None => Db::open_sqlite(&self.file()).await.unwrap(),
        }
    }

    /// Runs SQL past the store.
    pub async fn run(&self, sql: &str) {
        let transaction = match &self.url {
            Some(url) => open_pg_transaction(url, sql).await,
            None => open_sqlite_transaction(&self.file(), &format!("BEGIN; {sql}")).await,
        };
        transaction.commit().await;
    }

    /// Raises the rate limits of a workspace beyond what a test sends.
    pub async fn limits_off(&self, workspace: Id) {
        let db = self.open().await;
        change_workspace(&db, workspace, |row| {
            (row.settings.write_per_minute, row.settings.read_per_minute) = (1_000_000, 1_000_000);
        })
        .await;
        db.close().await;
    }

    /// Checks that every chain is intact. Returns what the command printed.
    pub fn verify(&self) -> String {
        let text = self.done(&["audit", "verify"]);
        // An indented line belongs to the chain above it: rows of the demo's story are sealed late.
        let mut chains = text.lines().filter(|line| !line.starts_with(' '));
        assert!(text.lines().count() >= 2 && chains.all(|line| line.contains(": intact: ")), "{text}");
        text
    }
}

pub fn strs(args: &[String]) -> Vec<&str> {
    args.iter().map(String::as_str).collect()
}
