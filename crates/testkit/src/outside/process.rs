//! A server of another project, as a child process that ends with the test.

use std::{
    fs::{self, File},
    net::TcpListener,
    path::Path,
    process::{Child, Command, Stdio},
    sync::Arc,
};

use tempfile::TempDir;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};

use crate::eventually::eventually;

pub struct Server {
    child: Child,
    port: u16,
    _folder: Arc<TempDir>,
}

/// The program to start, and how to tell that it is ready.
pub struct Plan<'p> {
    /// The program's name on the `PATH`.
    pub program: &'p str,
    /// The Debian package that contains the program.
    pub package: &'p str,
    /// The path of a GET request that returns 200 when the server is ready.
    pub ready: &'p str,
    /// The folder for the server's files.
    pub folder: TempDir,
}

impl Server {
    /// Starts the server on a free port. `arguments` gets its address.
    pub async fn start(plan: Plan<'_>, arguments: impl Fn(&str) -> Vec<String>) -> Self {
        let log = plan.folder.path().join("log");
        let folder = Arc::new(plan.folder);
        // Another process may take the free port before the server does.
        for _ in 0..5 {
            let port = free_port();
            let out = File::create(&log).expect("the folder can be written");
            let child = Command::new(plan.program)
                .args(arguments(&format!("127.0.0.1:{port}")))
                .current_dir(folder.path())
                .stdout(Stdio::null())
                .stderr(out)
                .spawn();
            let child = child.unwrap_or_else(|error| {
                panic!(
                    "`{}` can't be started ({error}): scripts/test installs the package `{}`",
                    plan.program, plan.package
                )
            });
            let mut server = Self { child, port, _folder: folder.clone() };
            if server.becomes_ready(plan.ready, &log).await {
                return server;
            }
        }
        panic!("`{}` did not start: {}", plan.program, fs::read_to_string(&log).unwrap_or_default())
    }

    /// Returns the base URL.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Sends JSON and returns the status and the body of the response.
    pub async fn post(&self, path: &str, body: &str) -> (u16, String) {
        self.ask("POST", path, body).await.expect("the server answers")
    }

    /// Sends a GET request and returns the status and the body of the response.
    pub async fn get(&self, path: &str) -> (u16, String) {
        self.ask("GET", path, "").await.expect("the server answers")
    }

    async fn becomes_ready(&mut self, path: &str, log: &Path) -> bool {
        eventually("the server is ready or ends", async || {
            if matches!(self.child.try_wait(), Ok(Some(_))) {
                return Ok(false);
            }
            match self.ask("GET", path, "").await {
                Some((200, _)) => Ok(true),
                _ => Err(fs::read_to_string(log).unwrap_or_default()),
            }
        })
        .await
    }

    async fn ask(&self, method: &str, path: &str, body: &str) -> Option<(u16, String)> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).await.ok()?;
        let head = format!(
            "{method} {path} HTTP/1.0\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        stream.write_all(format!("{head}{body}").as_bytes()).await.ok()?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.ok()?;
        let (head, body) = answer.split_once("\r\n\r\n")?;
        Some((head.split(' ').nth(1)?.parse().ok()?, body.to_owned()))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

pub fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    listener.local_addr().expect("it is bound").port()
}
