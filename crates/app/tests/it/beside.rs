//! The tests run beside a demo that was started as `README.md` says, with the default address and folder.

use std::{fs, net::TcpListener, process::Command};

use crate::binary::folder;

/// The default of `--bind`, and the default of `--data-dir` in the folder where a command runs.
const ADDRESS: &str = "127.0.0.1:8787";
const DATA: &str = ".toolcrib";

/// Tests that run the binary without `Server`, which would name an address and a folder.
const IN_DANGER: [&str; 3] = ["settings::", "alerts::a_connector", "administration::a_token"];

#[test]
fn the_default_address_and_folder_are_left_to_a_running_demo() {
    // If a demo has the address already, the address is held as well.
    let held = TcpListener::bind(ADDRESS);
    let home = folder();
    // Nothing can use a file in place of the folder, so a test that tries to will fail.
    fs::write(home.path().join(DATA), "held").unwrap();
    let output = Command::new(std::env::current_exe().unwrap())
        .args(IN_DANGER)
        .args(["--test-threads", "2"])
        .current_dir(home.path())
        .env_remove("UPDATE_GOLDEN")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}\n{}", String::from_utf8_lossy(&output.stderr));
    let run = text.lines().filter(|line| line.starts_with("test ") && line.ends_with(" ok")).count();
    assert!(run >= IN_DANGER.len(), "each of the names stands for a test: {text}");
    assert_eq!(fs::read_to_string(home.path().join(DATA)).unwrap(), "held");
    drop(held);
}
