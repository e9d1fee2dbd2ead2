//! A client that sends raw bytes, and what the kernel reports about the server's end of the connection.

use std::{fs, time::Duration};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    time::timeout,
};
use toolcrib_testkit::eventually;

use crate::binary::Server;

/// A client that sends exactly the given bytes.
pub struct Raw(TcpStream);

impl Raw {
    pub async fn send(base: &str, bytes: &[u8]) -> Self {
        let address = base.trim_start_matches("http://");
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(bytes).await.unwrap();
        Self(stream)
    }

    /// Some bytes of the response, or `None` if none arrived within this time.
    pub async fn hears(&mut self, within: Duration) -> Option<String> {
        let mut bytes = [0; 1024];
        let read = timeout(within, self.0.read(&mut bytes)).await.ok()?.unwrap();
        Some(String::from_utf8(bytes[..read].to_vec()).unwrap())
    }

    /// Waits until the server has read everything. Returns the inode of the server's socket.
    pub async fn is_read(&self) -> u64 {
        let ends = [self.0.peer_addr().unwrap(), self.0.local_addr().unwrap()].map(|end| end.port());
        eventually("the server reads", async || {
            let sockets = fs::read_to_string("/proc/net/tcp").unwrap();
            sockets.lines().skip(1).find_map(|socket| read_from(socket, ends))
        })
        .await
    }

    /// Waits until the server has read everything, closes the connection (with a reset if `hard`), and waits
    /// until the server has closed it too.
    pub async fn hang_up(self, hard: bool, server: &Server) {
        let socket = format!("socket:[{}]", self.is_read().await);
        self.cut(hard);
        eventually("the server lets go", async || !server.holds(&socket)).await;
    }

    /// Closes the connection at once, with a reset if `hard`.
    pub fn cut(self, hard: bool) {
        if hard {
            self.0.set_zero_linger().unwrap();
        }
    }
}

/// The inode in a line of `/proc/net/tcp`, if its socket connects these ports, was accepted, and has nothing
/// left to read.
fn read_from(line: &str, ends: [u16; 2]) -> Option<u64> {
    let fields: Vec<&str> = line.split_whitespace().collect();
    let behind = |at: usize| u32::from_str_radix(fields[at].split_once(':')?.1, 16).ok();
    let between = [behind(1)?, behind(2)?] == ends.map(u32::from);
    let number = fields[9].parse().ok()?;
    (between && behind(4)? == 0 && number > 0).then_some(number)
}
