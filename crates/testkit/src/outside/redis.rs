//! A Redis server for one test, which can be stopped and started.

use std::{
    process::{Child, Command, Stdio},
    time::Duration,
};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};

use super::process::free_port;
use crate::eventually::eventually;

/// A running `redis-server` that stores nothing on disk.
pub struct Redis {
    child: Option<Child>,
    port: u16,
}

impl Redis {
    /// Starts a server on a free port.
    pub async fn start() -> Self {
        // Another process may take the free port before the server does.
        for _ in 0..5 {
            let mut redis = Self { child: None, port: free_port() };
            if redis.run().await {
                return redis;
            }
        }
        panic!("`redis-server` does not start: scripts/test installs the package `redis-server`")
    }

    pub fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }

    /// Stops the server, which loses its data.
    pub fn stop(&mut self) {
        if let Some(mut child) = self.child.take() {
            drop(child.kill());
            drop(child.wait());
        }
    }

    /// Starts the server again, empty, on the same port.
    pub async fn again(&mut self) {
        self.stop();
        assert!(self.run().await, "redis-server starts again");
    }

    /// Makes the server answer no command for this time.
    pub async fn pause(&self, time: Duration) {
        let command = format!("CLIENT PAUSE {} ALL\r\n", time.as_millis());
        assert_eq!(self.say(&command, "+OK\r\n").await, Some(true), "Redis pauses");
    }

    /// Waits until a pause is over.
    pub async fn goes_on(&self) {
        assert_eq!(self.answers().await, Some(()), "Redis answers after its pause");
    }

    async fn run(&mut self) -> bool {
        let mut command = Command::new("redis-server");
        command.args([
            "--port",
            &self.port.to_string(),
            "--bind",
            "127.0.0.1",
            "--save",
            "",
            "--appendonly",
            "no",
        ]);
        let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        self.child = Some(child.expect("`redis-server` is on the PATH: scripts/test installs its package"));
        eventually("Redis answers or ends", async || {
            let ended = self.child.as_mut().is_some_and(|child| matches!(child.try_wait(), Ok(Some(_))));
            if ended { Some(false) } else { self.answers().await.map(|()| true) }
        })
        .await
    }

    async fn answers(&self) -> Option<()> {
        self.say("PING\r\n", "+PONG\r\n").await?.then_some(())
    }

    /// Sends a command and returns whether the response is `wanted`.
    async fn say(&self, command: &str, wanted: &str) -> Option<bool> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).await.ok()?;
        stream.write_all(command.as_bytes()).await.ok()?;
        let mut answer = vec![0; wanted.len()];
        stream.read_exact(&mut answer).await.ok()?;
        Some(answer == wanted.as_bytes())
    }
}

impl Drop for Redis {
    fn drop(&mut self) {
        self.stop();
    }
}
