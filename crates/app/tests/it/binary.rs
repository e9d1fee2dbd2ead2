//! Runs the binary in a folder of its own. Never ends another process.

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
    time::{Duration, Instant},
};

use serde_json::Value;
use tempfile::TempDir;
use toolcrib_testkit::eventually_blocking;

/// The binary, without this machine's settings. Unless a test names an address and a data directory, it gets
/// a free port and no data directory, because a process beside the tests, such as a demo, may use the
/// defaults.
pub fn toolcrib() -> Command {
    toolcrib_in(env!("CARGO_BIN_EXE_toolcrib"))
}

fn toolcrib_in(program: &str) -> Command {
    let mut command = Command::new(program);
    command.env_clear().env("PATH", "/usr/bin:/bin").env("COLUMNS", "100").stdin(Stdio::null());
    command.env("TOOLCRIB_BIND", "127.0.0.1:0").env("TOOLCRIB_DATA_DIR", "/dev/null/none");
    command
}

/// Runs the binary to its end.
pub fn run(args: &[&str]) -> Output {
    toolcrib().args(args).output().unwrap()
}

/// Runs the binary, which must succeed. Returns what it printed.
pub fn done(args: &[&str]) -> String {
    let output = run(args);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{args:?}: {text} {}", String::from_utf8_lossy(&output.stderr));
    text
}

/// Runs the binary, which must fail with this code and print one line. Returns the line.
pub fn refused(args: &[&str], code: i32) -> String {
    let output = run(args);
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(code), "{args:?}: {text}");
    assert_eq!(text.lines().count(), 1, "{text}");
    text.trim().to_owned()
}

/// What a command printed, and what it said beside.
pub fn said(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// JSON that a command printed.
pub fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// A process of `serve` in a folder.
pub struct Server {
    child: Child,
    log: PathBuf,
}

impl Server {
    /// Starts the process and waits until it listens.
    pub fn start(folder: &Path, args: &[&str]) -> Self {
        Self::start_as("log.txt", folder, args)
    }

    /// Starts the process with a log file of its own, for one of several in a folder.
    pub fn start_as(log: &str, folder: &Path, args: &[&str]) -> Self {
        Self::spawn(toolcrib(), &folder.join(log), folder, args)
    }

    /// Starts the process so that a file beyond the size limit is an error, and does not end the process.
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

    /// What the process has printed so far.
    pub fn text(&self) -> String {
        fs::read_to_string(&self.log).unwrap()
    }

    /// The base URL where the process listens.
    pub fn base(&self) -> String {
        let text = self.text();
        let line = text.lines().find(|line| line.starts_with("listening on ")).unwrap();
        line.trim_start_matches("listening on ").to_owned()
    }

    /// The id of the process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// The number of files and connections that the process has open.
    pub fn open_files(&self) -> usize {
        fs::read_dir(format!("/proc/{}/fd", self.id())).unwrap().count()
    }

    /// The memory that the process holds beside its files, in MiB.
    pub fn anonymous_mib(&self) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:")).unwrap();
        line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() / 1_024
    }

    /// The names of the threads of the process.
    pub fn threads(&self) -> Vec<String> {
        let tasks = fs::read_dir(format!("/proc/{}/task", self.id())).unwrap();
        // A thread that ends meanwhile has no name.
        let names = tasks.filter_map(|task| fs::read_to_string(task.ok()?.path().join("comm")).ok());
        names.map(|name| name.trim().to_owned()).collect()
    }

    /// Whether the process has this open, such as `socket:[4711]`.
    pub fn holds(&self, what: &str) -> bool {
        let open = fs::read_dir(format!("/proc/{}/fd", self.id())).unwrap();
        // A file that is closed meanwhile is not held.
        open.filter_map(|file| fs::read_link(file.ok()?.path()).ok()).any(|file| file == Path::new(what))
    }

    /// Kills the process with SIGKILL.
    pub fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Asks the process to stop. Returns its exit code.
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
        // A failed test leaves no process behind. After `stop` there is none to kill.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// A new temporary folder.
pub fn folder() -> TempDir {
    tempfile::tempdir().unwrap()
}

/// The content of `demo.json`.
pub fn demo(folder: &Path) -> Value {
    serde_json::from_slice(&fs::read(folder.join("data/demo.json")).unwrap()).unwrap()
}
