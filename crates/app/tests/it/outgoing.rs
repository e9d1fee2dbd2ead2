//! Requests of the service go to the configured address, even if the environment names proxies.

use std::{
    io::{BufRead as _, BufReader},
    net::{SocketAddr, TcpListener},
    process::{Child, Stdio},
    sync::mpsc::{Receiver, channel},
    thread,
    time::Duration,
};

use crate::binary::{folder, toolcrib};

/// A process that ends with the test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A server that reports the first line of each request and never answers.
fn listener() -> (SocketAddr, Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let (send, receive) = channel();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut line = String::new();
            BufReader::new(stream.unwrap()).read_line(&mut line).unwrap();
            if send.send(line.trim().to_owned()).is_err() {
                return;
            }
        }
    });
    (address, receive)
}

/// Starts the service with an identity provider at `target`, in an environment that names `proxy` in every
/// way.
fn start(folder: &std::path::Path, target: SocketAddr, proxy: SocketAddr, more: &[&str]) -> Running {
    let mut command = toolcrib();
    for name in ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"] {
        command.env(name, format!("http://{proxy}"));
    }
    let keys = format!("http://{target}/keys");
    let data = folder.join("data");
    let child = command
        .args(["serve", "--bind", "127.0.0.1:0", "--data-dir", data.to_str().unwrap()])
        .args(["--jwks-url", &keys, "--issuer", "https://issuer.test", "--audience", "us"])
        .args(more)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    Running(child)
}

const PATIENCE: Duration = Duration::from_mins(1);

#[test]
fn proxies_of_the_environment_are_ignored() {
    let (folder, (target, asked), (proxy, proxied)) = (folder(), listener(), listener());
    let _running = start(folder.path(), target, proxy, &[]);
    assert_eq!(asked.recv_timeout(PATIENCE).unwrap(), "GET /keys HTTP/1.1");
    assert!(proxied.try_recv().is_err());
}

#[test]
fn the_operators_proxy_is_used() {
    let (folder, (target, asked), (proxy, proxied)) = (folder(), listener(), listener());
    let (other, _) = listener();
    let _running = start(folder.path(), target, other, &["--connector-proxy", &format!("http://{proxy}")]);
    assert_eq!(proxied.recv_timeout(PATIENCE).unwrap(), format!("GET http://{target}/keys HTTP/1.1"));
    assert!(asked.try_recv().is_err());
}
