//! Starts the binary in a folder of its own and ends no other process.

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
    time::{Duration, Instant},
};

use serde_json::Value;
use tempfile::TempDir;
use toolcrib_testkit::eventually_blocking;

/// The binary with this machine's settings out of its sight. Where a test names no address it takes a free
/// port, and where it names no data directory there is none: what runs beside the tests, such as a demo,
/// holds the defaults.
pub fn toolcrib() -> Command {
    toolcrib_in(env!("CARGO_BIN_EXE_toolcrib"))
}

fn toolcrib_in(program: &str) -> Command {
    let mut command = Command::new(program);
    command.env_clear().env("PATH", "/usr/bin:/bin").env("COLUMNS", "100").stdin(Stdio::null());
    command.env("TOOLCRIB_BIND", "127.0.0.1:0").env("TOOLCRIB_DATA_DIR", "/dev/null/none");
    command
}

/// Runs it to its end.
pub fn run(args: &[&str]) -> Output {
    toolcrib().args(args).output().unwrap()
}

/// Runs it; it must succeed. What it printed.
pub fn done(args: &[&str]) -> String {
    let output = run(args);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{args:?}: {text} {}", String::from_utf8_lossy(&output.stderr));
    text
}

/// Runs it; it must end with this code and one line. The line.
pub fn refused(args: &[&str], code: i32) -> String {
    let output = run(args);
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(code), "{args:?}: {text}");
    assert_eq!(text.lines().count(), 1, "{text}");
    text.trim().to_owned()
}

/// `serve` in a folder.
pub struct Server {
    child: Child,
    log: PathBuf,
}

impl Server {
    /// Starts it and waits until it listens.
    pub fn start(folder: &Path, args: &[&str]) -> Self {
        Self::start_as("log.txt", folder, args)
    }

    /// The same with a log of its own: for one of several in a folder.
    pub fn start_as(log: &str, folder: &Path, args: &[&str]) -> Self {
        Self::spawn(toolcrib(), &folder.join(log), folder, args)
    }

    /// The same where a file that grows beyond the process' limit is an error to it, and not its end.
    pub fn start_limited(folder: &Path, args: &[&str]) -> Self {
        let mut command = toolcrib_in("sh");
        command.args(["-c", "trap '' XFSZ; exec \"$@\"", "sh", env!("CARGO_BIN_EXE_toolcrib")]);
        Self::spawn(command, &folder.join("log.txt"), folder, args)
    }

    fn spawn(mut command: Command, log: &Path, folder: &Path, args: &[&str]) -> Self {
        let log = log.to_owned();
        let file = File::create(&log).unwrap();
        let data = folder.join("data");
        let child = command
            .args(["serve", "--bind", "127.0.0.1:0", "--data-dir", data.to_str().unwrap()])
            .args(args)
            .stdout(file.try_clone().unwrap())
            .stderr(file)
            .spawn()
            .unwrap();
        let mut server = Self { child, log };
        eventually_blocking("it listens", || {
            let over = server.child.try_wait().unwrap();
            let text = server.text();
            if text.contains("listening on http://") {
                return Ok(());
            }
            assert!(over.is_none(), "{text}");
            Err(text)
        });
        server
    }

    /// What it printed so far.
    pub fn text(&self) -> String {
        fs::read_to_string(&self.log).unwrap()
    }

    /// Where it listens.
    pub fn base(&self) -> String {
        let text = self.text();
        let line = text.lines().find(|line| line.starts_with("listening on ")).unwrap();
        line.trim_start_matches("listening on ").to_owned()
    }

    /// The process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// How many files and connections it has open.
    pub fn open_files(&self) -> usize {
        fs::read_dir(format!("/proc/{}/fd", self.id())).unwrap().count()
    }

    /// Whether it has this open, such as `socket:[4711]`.
    pub fn holds(&self, what: &str) -> bool {
        let open = fs::read_dir(format!("/proc/{}/fd", self.id())).unwrap();
        // What is closed meanwhile is not held.
        open.filter_map(|file| fs::read_link(file.ok()?.path()).ok()).any(|file| file == Path::new(what))
    }

    /// Kills it without a word (SIGKILL).
    pub fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Asks it to stop; its exit code.
    pub fn stop(mut self) -> Option<i32> {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
        let begun = Instant::now();
        eventually_blocking("it stops", || {
            assert!(begun.elapsed() < Duration::from_secs(20), "{}", self.text());
            self.child.try_wait().unwrap().map(|status| status.code())
        })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // A test that failed leaves nobody behind; one that stopped it finds nobody.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// A new folder.
pub fn folder() -> TempDir {
    tempfile::tempdir().unwrap()
}

/// What `demo.json` holds.
pub fn demo(folder: &Path) -> Value {
    serde_json::from_slice(&fs::read(folder.join("data/demo.json")).unwrap()).unwrap()
}
