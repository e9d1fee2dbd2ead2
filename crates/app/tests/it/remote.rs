//! The commands that work over the API of a service: the binary beside a served demo.

mod approvals;
mod audit;
mod foreign;
mod keys;
mod refusals;
mod toolsets;

use std::{
    path::Path,
    process::{Command, Output},
};

use serde_json::Value;

use crate::{
    api::Api,
    binary::{Server, demo, folder, json, said, toolcrib},
    place::Place,
};

#[tokio::test(flavor = "multi_thread")]
async fn commands_work_over_the_api_of_a_demo() {
    let folder = folder();
    let remote = Remote { server: Server::start(folder.path(), &["--demo"]), folder };
    let owner = Api::new(&reqwest::Client::new(), &remote.server, remote.folder.path(), "owner");
    Place::at(remote.folder.path(), None).limits_off(owner.workspace).await;
    // The rows of the demo come first, while they are the last ones.
    audit::the_last_rows_are_those_of_the_database(&remote);
    refusals::the_token_is_read_and_never_shown(&remote);
    toolsets::toolsets_and_packs_are_set(&remote);
    keys::keys_are_those_of_the_workspace(&remote);
    approvals::a_person_decides(&remote, &owner).await;
}

/// A demo, and a person whose commands go to it.
struct Remote {
    server: Server,
    folder: tempfile::TempDir,
}

impl Remote {
    fn workspace(&self) -> Value {
        demo(self.folder.path())["workspaces"][0].take()
    }

    fn workspace_id(&self) -> String {
        self.workspace()["id"].as_str().unwrap().to_owned()
    }

    fn token(&self, who: &str) -> String {
        self.workspace()[who]["token"].as_str().unwrap().to_owned()
    }

    fn data(&self) -> String {
        self.folder.path().join("data").display().to_string()
    }

    /// A command of one of the demo's people. Its token is in the environment.
    fn command(&self, who: &str, args: &[&str]) -> Command {
        let mut command = toolcrib();
        command.env("TOOLCRIB_TOKEN", self.token(who)).args(args);
        command.args(["--url", &self.server.base(), "--workspace", &self.workspace_id()]);
        command
    }

    /// Runs a command, which must end with this code. Returns what it printed, and what it said beside.
    fn ran(&self, who: &str, args: &[&str], code: i32) -> (String, String) {
        let output = self.command(who, args).output().unwrap();
        assert!(!said(&output).contains(&self.token(who)), "the token is shown by {args:?}");
        ended(output, args, code)
    }

    fn ok(&self, who: &str, args: &[&str]) -> String {
        self.ran(who, args, 0).0
    }

    /// A command that must fail with this code, and say why in one line, which is returned.
    fn refused(&self, who: &str, args: &[&str], code: i32) -> String {
        let (printed, why) = self.ran(who, args, code);
        assert!(printed.is_empty() && why.lines().count() == 1, "{printed}{why}");
        why
    }

    /// The same command, in the database.
    fn in_database(&self, args: &[&str]) -> Output {
        toolcrib()
            .args(args)
            .args(["--workspace", &self.workspace_id(), "--data-dir", &self.data()])
            .output()
            .unwrap()
    }
}

fn ended(output: Output, args: &[&str], code: i32) -> (String, String) {
    assert_eq!(output.status.code(), Some(code), "{args:?}: {}", said(&output));
    (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
}

/// Writes a file with a mode, and returns its path.
fn file(folder: &Path, name: &str, text: &str, mode: u32) -> String {
    use std::os::unix::fs::PermissionsExt as _;
    let path = folder.join(name);
    std::fs::write(&path, text).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
    path.display().to_string()
}
