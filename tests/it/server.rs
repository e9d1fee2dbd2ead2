//! The real binary, started and stopped as an operator would.

use std::{
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::OnceLock,
};

use serde_json::Value;

/// The binary beside this test's own, built if it is not there.
fn binary() -> &'static Path {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(|| {
        let built = Command::new(env!("CARGO")).args(["build", "--quiet", "-p", "toolcrib"]).status().unwrap();
        assert!(built.success());
        let own = std::env::current_exe().unwrap();
        own.parent().and_then(Path::parent).unwrap().join("toolcrib")
    })
}

/// One running `serve --demo`.
pub struct Server {
    child: Child,
    /// Where it listens.
    pub base: String,
    /// What it wrote into `demo.json`.
    pub demo: Value,
}

impl Server {
    /// Starts on `folder`, and on PostgreSQL where a URL is given.
    pub fn start(folder: &Path, database: Option<&str>) -> Self {
        let mut command = Command::new(binary());
        command.args(["serve", "--demo", "--bind", "127.0.0.1:0", "--data-dir"]).arg(folder);
        if let Some(url) = database {
            command.args(["--database", url]);
        }
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let base = loop {
            let line = lines.next().expect("the server says that it listens").unwrap();
            if let Some((_, base)) = line.split_once("listening on ") {
                break base.trim().to_owned();
            }
        };
        // What follows on its output is read away, so that a full pipe never stops it.
        std::thread::spawn(move || lines.for_each(drop));
        let demo = std::fs::read(folder.join("demo.json")).unwrap();
        Self { child, base, demo: serde_json::from_slice(&demo).unwrap() }
    }

    /// The first workspace of the demo.
    pub fn workspace(&self) -> &Value {
        &self.demo["workspaces"][0]
    }

    /// Ends it without any warning.
    pub fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Already ended, in the good case.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
