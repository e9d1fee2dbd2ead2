//! A server that does one thing to each connection.

use std::{
    io,
    sync::{Arc, Mutex},
};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    sync::Notify,
};

/// What the server does to a connection.
#[derive(Clone, Debug)]
pub enum Script {
    /// Closes it without reading.
    CloseAtOnce,
    /// Reads the request, and closes it.
    CloseAfterRequest,
    /// Reads the request, says this, and closes it.
    Say(Vec<u8>),
    /// Reads the request, says this, and keeps the connection open.
    SayAndHold(Vec<u8>),
    /// Says this after each request, and keeps the connection open for further ones.
    Keep(Vec<u8>),
    /// Says this after the first request, and closes the connection after the second one.
    CloseAtSecond(Vec<u8>),
    /// Reads the request, and says it as the body of a response with this status line.
    Echo(&'static str),
}

/// What reached the server.
#[derive(Debug, Default)]
pub struct Seen {
    /// How many connections there were.
    pub connections: usize,
    /// How many of them are open.
    pub open: usize,
    /// The requests, each with its head and body.
    pub requests: Vec<String>,
}

/// A running server.
pub struct Server {
    pub url: String,
    seen: Arc<Mutex<Seen>>,
    closing: Arc<Notify>,
}

impl Server {
    pub async fn start(script: Script) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/v2/tickets", listener.local_addr().unwrap());
        let seen = Arc::new(Mutex::new(Seen::default()));
        let closing = Arc::new(Notify::new());
        let (kept, closes) = (seen.clone(), closing.clone());
        tokio::spawn(async move {
            while let Ok((socket, _)) = listener.accept().await {
                kept.lock().unwrap().connections += 1;
                kept.lock().unwrap().open += 1;
                let (script, seen, closes) = (script.clone(), kept.clone(), closes.clone());
                tokio::spawn(async move {
                    tokio::select! {
                        _ = serve(socket, script, seen.clone()) => {}
                        () = closes.notified() => {}
                    }
                    seen.lock().unwrap().open -= 1;
                });
            }
        });
        Self { url, seen, closing }
    }

    /// Closes every connection.
    pub fn close_all(&self) {
        self.closing.notify_waiters();
    }

    pub fn open(&self) -> usize {
        self.seen.lock().unwrap().open
    }

    /// A server that says a response with this status line, these further headers and this body.
    pub async fn answering(status: &str, headers: &str, body: &[u8]) -> Self {
        Self::start(Script::Say(response(status, headers, body))).await
    }

    pub fn requests(&self) -> Vec<String> {
        self.seen.lock().unwrap().requests.clone()
    }

    pub fn connections(&self) -> usize {
        self.seen.lock().unwrap().connections
    }
}

/// A response with the right length.
pub fn response(status: &str, headers: &str, body: &[u8]) -> Vec<u8> {
    let head = format!("HTTP/1.1 {status}\r\n{headers}content-length: {}\r\n\r\n", body.len());
    [head.into_bytes(), body.to_vec()].concat()
}

async fn serve(mut socket: TcpStream, script: Script, seen: Arc<Mutex<Seen>>) -> io::Result<()> {
    if matches!(script, Script::CloseAtOnce) {
        return Ok(());
    }
    let request = read(&mut socket).await?;
    seen.lock().unwrap().requests.push(request.clone());
    match script {
        Script::CloseAtOnce | Script::CloseAfterRequest => {}
        Script::Say(text) => {
            socket.write_all(&text).await?;
            socket.shutdown().await?;
        }
        Script::SayAndHold(text) => {
            socket.write_all(&text).await?;
            // Until the client closes it.
            while socket.read(&mut [0; 64]).await? > 0 {}
        }
        Script::Keep(text) => loop {
            socket.write_all(&text).await?;
            let request = read(&mut socket).await?;
            seen.lock().unwrap().requests.push(request);
        },
        Script::CloseAtSecond(text) => {
            socket.write_all(&text).await?;
            let request = read(&mut socket).await?;
            seen.lock().unwrap().requests.push(request);
        }
        Script::Echo(status) => {
            socket.write_all(&response(status, "content-type: text/plain\r\n", request.as_bytes())).await?;
        }
    }
    Ok(())
}

/// Reads one request with its body.
async fn read(socket: &mut TcpStream) -> io::Result<String> {
    let mut bytes = Vec::new();
    loop {
        let mut part = [0; 4096];
        let count = socket.read(&mut part).await?;
        if count == 0 && bytes.is_empty() {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        bytes.extend_from_slice(&part[..count]);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let Some((head, body)) = text.split_once("\r\n\r\n") else {
            assert!(count > 0, "half a request: {text}");
            continue;
        };
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
        if body.len() >= length.map_or(0, |length| length.parse().unwrap()) {
            return Ok(text);
        }
    }
}
