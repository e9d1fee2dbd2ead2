//! The measured process: the service with people in ten workspaces.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use serde_json::Value;
use tempfile::TempDir;
use toolcrib_testkit::eventually;

/// A member with their workspace.
#[derive(Clone)]
pub struct Person {
    pub token: String,
    pub workspace: String,
}

/// A running service. It ends when this is dropped.
pub struct Process {
    binary: String,
    database: Option<String>,
    folder: TempDir,
    child: Child,
}

impl Process {
    pub fn start(binary: String, database: Option<String>, provider: &str) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let log = fs::File::create(folder.path().join("log.txt")).expect("a file");
        let mut command = Command::new(&binary);
        command.args(["serve", "--demo", "--bind", "127.0.0.1:0", "--assistant-models", "measured"]);
        command.args(["--assistant-context", "100000", "--assistant-provider", provider, "--data-dir"]);
        command.arg(data(folder.path())).stdout(log).stderr(Stdio::null());
        command.args(database.iter().flat_map(|url| ["--database", url]));
        let child = command.spawn().expect("it starts");
        Self { binary, database, folder, child }
    }

    /// Waits until the service listens. Returns its address.
    pub async fn base(&self) -> String {
        eventually("it listens", async || {
            let log = fs::read_to_string(self.folder.path().join("log.txt")).unwrap_or_default();
            let (_, rest) = log.split_once("listening on ")?;
            Some(rest.lines().next()?.trim().to_owned())
        })
        .await
    }

    /// Returns the demo's credentials.
    pub fn demo(&self) -> Value {
        let demo = fs::read(data(self.folder.path()).join("demo.json")).expect("the demo's credentials");
        serde_json::from_slice(&demo).expect("JSON")
    }

    /// Makes workspaces with so many people each.
    pub fn add_people(&self, workspaces: usize, people: usize) -> Vec<Person> {
        let mut added = Vec::new();
        for workspace in 0..workspaces {
            let name = format!("Measured {workspace}");
            let owner = format!("owner-{workspace}");
            let made = self.command(&["workspace", "create", &name, "--owner", &owner]);
            let id = made.split('"').find(|word| word.len() == 36).expect("an ID").to_owned();
            for person in 0..people {
                let user = if person == 0 { owner.clone() } else { format!("person-{workspace}-{person}") };
                if person > 0 {
                    let add = ["member", "add", "--workspace", &id, "--user", &user, "--role", "member"];
                    self.command(&add);
                }
                let token = self.command(&["token", "mint", "--user", &user]).trim().to_owned();
                added.push(Person { token, workspace: id.clone() });
            }
        }
        added
    }

    fn command(&self, arguments: &[&str]) -> String {
        let mut command = Command::new(&self.binary);
        command.args(arguments).arg("--data-dir").arg(data(self.folder.path()));
        command.args(self.database.iter().flat_map(|url| ["--database", url.as_str()]));
        let output = command.output().expect("it runs");
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("text")
    }

    /// Returns the resident memory of the process in KiB.
    pub fn memory(&self) -> u64 {
        let status = self.proc("status");
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("VmRSS");
        line.trim().trim_end_matches(" kB").parse().expect("a number")
    }

    /// Returns the processor time that the process has used. Linux counts it in hundredths of a second.
    pub fn cpu(&self) -> Duration {
        let stat = self.proc("stat");
        let (_, fields) = stat.rsplit_once(") ").expect("fields");
        let ticks = |field: usize| fields.split(' ').nth(field).and_then(|text| text.parse::<u64>().ok());
        Duration::from_millis(10 * (ticks(11).expect("utime") + ticks(12).expect("stime")))
    }

    fn proc(&self, file: &str) -> String {
        fs::read_to_string(format!("/proc/{}/{file}", self.child.id())).expect("Linux")
    }

    /// Returns how much of a processor the process uses since `begun`, when it had used `before`.
    pub fn cores(&self, begun: Instant, before: Duration) -> f64 {
        self.cpu().saturating_sub(before).as_secs_f64() / begun.elapsed().as_secs_f64()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill().and_then(|()| self.child.wait());
    }
}

fn data(folder: &Path) -> PathBuf {
    folder.join("data")
}
