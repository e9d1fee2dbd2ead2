//! The tests run beside a demo that was started as `README.md` says: on the default address, in the default
//! folder.

use std::{fs, net::TcpListener, process::Command};

use crate::binary::folder;

/// The default of `--bind`, and of `--data-dir` in the folder where a command runs.
const ADDRESS: &str = "127.0.0.1:8787";
const DATA: &str = ".toolcrib";

/// Tests that run the binary without `Server`, which names its own address and folder.
const IN_DANGER: [&str; 3] = ["settings::", "alerts::a_connector", "administration::a_token"];

#[test]
fn the_default_address_and_folder_are_left_to_a_running_demo() {
    // Whoever has it already holds it as well.
    let held = TcpListener::bind(ADDRESS);
    let home = folder();
    // A folder that was used would hold other files; a file in its place can't be used.
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
