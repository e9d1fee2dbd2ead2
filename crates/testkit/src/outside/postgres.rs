//! A PostgreSQL server for one test, which can be stopped and started.

use std::{
    ffi::OsString,
    fs,
    os::unix::fs::{MetadataExt as _, PermissionsExt as _},
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use tempfile::TempDir;

use super::process::free_port;

/// How the server is stopped.
#[derive(Clone, Copy, Debug)]
pub enum Stop {
    /// Rolls back open transactions and writes everything to disk.
    Fast,
    /// Stops without writing, as if the server was killed, so that it recovers at the next start.
    Immediate,
}

/// A running server with an empty database. It acknowledges a commit when the operating system has the data
/// (`fsync` is off).
pub struct Postgres {
    folder: TempDir,
    programs: PathBuf,
    port: u16,
}

impl Postgres {
    /// Creates a cluster and starts a server on a free port.
    pub fn start() -> Self {
        Self::start_with("")
    }

    /// Like [`Postgres::start`], with passwords required from all logins but the superuser.
    pub fn start_with_passwords() -> Self {
        Self::start_with("host all postgres 127.0.0.1/32 trust\nhost all all 127.0.0.1/32 scram-sha-256\n")
    }

    /// Starts a server with these lines of `pg_hba.conf`. Without lines every login is trusted.
    fn start_with(access: &str) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        // The user `postgres` must pass through the folder.
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o711)).expect("it is ours");
        let mut server = Self { folder, programs: programs(), port: 0 };
        let data = server.data();
        fs::create_dir(&data).expect("the folder is empty");
        fs::set_permissions(&data, fs::Permissions::from_mode(0o700)).expect("it is ours");
        if root() {
            let owned = Command::new("chown").arg("postgres:").arg(&data).status();
            assert!(owned.is_ok_and(|status| status.success()), "there is no user `postgres`");
        }
        let options =
            "--username=postgres --auth=trust --encoding=UTF8 --locale=C.UTF-8 --no-sync --no-instructions";
        let arguments = [OsString::from("-D"), data.clone().into()];
        let done = server.run("initdb", arguments.into_iter().chain(options.split(' ').map(OsString::from)));
        assert!(done, "`initdb` failed");
        if !access.is_empty() {
            fs::write(data.join("pg_hba.conf"), access).expect("the cluster is ours");
        }
        // Another process may take the free port before the server does.
        for _ in 0..5 {
            server.port = free_port();
            if server.up() {
                return server;
            }
        }
        panic!("PostgreSQL does not start: {}", server.log())
    }

    /// Returns the URL of the database, with the superuser.
    pub fn url(&self) -> String {
        format!("postgres://postgres@127.0.0.1:{}/postgres", self.port)
    }

    pub fn stop(&self, how: Stop) {
        assert!(self.down(how), "PostgreSQL does not stop: {}", self.log());
    }

    /// Starts the server again, with its data and port.
    pub fn again(&self) {
        assert!(self.up(), "PostgreSQL does not start again: {}", self.log());
    }

    fn up(&self) -> bool {
        let folder = self.data();
        // `fsync` is not needed: tests stop the server, never the machine.
        let options = format!(
            "-p {} -c listen_addresses=127.0.0.1 -c unix_socket_directories={} -c fsync=off -c full_page_writes=off",
            self.port,
            folder.display()
        );
        let log = folder.join("log");
        let arguments = ["-w", "-t", "60", "-o", &options, "-l"].map(OsString::from);
        self.control(arguments.into_iter().chain([log.into(), "start".into()]))
    }

    fn down(&self, how: Stop) -> bool {
        let mode = if matches!(how, Stop::Fast) { "fast" } else { "immediate" };
        self.control(["-w", "-m", mode, "stop"].map(OsString::from))
    }

    fn control(&self, arguments: impl IntoIterator<Item = OsString>) -> bool {
        self.run("pg_ctl", [OsString::from("-D"), self.data().into()].into_iter().chain(arguments))
    }

    /// Runs a program, as the user `postgres` if this process is root, which PostgreSQL refuses.
    fn run(&self, program: &str, arguments: impl IntoIterator<Item = OsString>) -> bool {
        let program = self.programs.join(program);
        let mut command = if root() {
            let mut command = Command::new("runuser");
            command.args(["-u", "postgres", "--"]).arg(program);
            command
        } else {
            Command::new(program)
        };
        // The server outlives the command and would keep its pipes open.
        let command = command.args(arguments).current_dir("/").stdin(Stdio::null()).stdout(Stdio::null());
        command.stderr(Stdio::null()).status().is_ok_and(|status| status.success())
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("pg")
    }

    fn log(&self) -> String {
        fs::read_to_string(self.data().join("log")).unwrap_or_default()
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        self.down(Stop::Immediate);
    }
}

fn root() -> bool {
    fs::metadata("/proc/self").is_ok_and(|process| process.uid() == 0)
}

/// Returns the folder of the newest server's programs on Debian, or an empty path, which means the `PATH`.
fn programs() -> PathBuf {
    let found = fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let version = |path: &Path| path.file_name()?.to_str()?.parse::<u32>().ok();
    let bin = |path: PathBuf| path.join("bin");
    found
        .map(|entry| entry.path())
        .filter(|path| path.join("bin/initdb").exists())
        .max_by_key(|path| version(path))
        .map_or_else(PathBuf::new, bin)
}
