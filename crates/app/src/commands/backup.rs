//! `backup`: copies the SQLite database into a file while processes use it.

use std::{
    fs::{self, File, OpenOptions},
    io,
    os::unix::fs::OpenOptionsExt as _,
    path::{Path, PathBuf},
};

use toolcrib_auth::{issuer, secret_cipher};
use toolcrib_config::{Database, Settings};
use toolcrib_engine::chain;
use toolcrib_store::sqlite_file;

use crate::{
    cli::BackupArgs,
    context::AppContext,
    failure::{Failure, Ran},
    output,
    private::{beside, sync_folder_of},
};

pub async fn run(context: &AppContext, args: &BackupArgs) -> Result<Ran, Failure> {
    let Database::Sqlite(database) = &context.settings.database else {
        return Err(Failure::Usage(
            "PostgreSQL is backed up with `pg_dump`, by a login that bypasses row level security and with \
             `--exclude-table-data=serving`: `docs/backup.md` has the commands"
                .into(),
        ));
    };
    let to = &args.to;
    context.refuse_missing()?;
    if fs::symlink_metadata(to).is_ok() {
        return Err(exists(to));
    }
    // The name appears with the last step, so that a file of this name is a whole backup.
    let partial = Partial::create(to)?;
    sqlite_file::back_up(database, &partial.0)
        .await
        .map_err(|error| Failure::could_not(&format!("the backup `{}`", to.display()), error))?;
    partial.publish(to)?;
    let bytes = fs::metadata(to)?.len();
    output::line(&format!("`{}` has a sound copy of `{}`: {bytes} bytes", to.display(), database.display()))?;
    output::print(&keys(&context.settings))?;
    Ok(Ran::Done)
}

fn exists(to: &Path) -> Failure {
    Failure::Usage(format!("`{}` exists: a backup replaces no file, name another", to.display()))
}

/// A file that is removed unless it is published.
struct Partial(PathBuf);

impl Partial {
    fn create(to: &Path) -> Result<Self, Failure> {
        let path = beside(to, ".partial");
        let made = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path);
        made.map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => Failure::Usage(format!(
                "`{}` exists: another backup runs, or did not end; then delete it",
                path.display()
            )),
            _ => Failure::could_not(&format!("`{}` can't be made", path.display()), error),
        })?;
        Ok(Self(path))
    }

    /// Gives the file its name, unless a file has it.
    fn publish(self, to: &Path) -> Result<(), Failure> {
        File::open(&self.0)?.sync_all()?;
        fs::hard_link(&self.0, to).map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => exists(to),
            _ => Failure::could_not(&format!("`{}` can't be made", to.display()), error),
        })?;
        Ok(sync_folder_of(to)?)
    }
}

impl Drop for Partial {
    fn drop(&mut self) {
        // What stays is named in the error of the next attempt.
        let _ = fs::remove_file(&self.0);
    }
}

/// A key that is in no backup.
struct KeptApart {
    file: &'static str,
    /// Whether its setting gives the key in place of the file.
    set: bool,
    setting: &'static str,
    /// What is lost without it.
    lost: &'static str,
}

fn kept_apart(settings: &Settings) -> Vec<KeptApart> {
    let mut keys = vec![
        KeptApart {
            file: secret_cipher::FILE,
            set: settings.secret_key.is_some(),
            setting: "--secret-key",
            lost: "the secrets of connections, datasources, upstreams and webhooks can't be read: each must be set again",
        },
        KeptApart {
            file: chain::FILE,
            set: settings.audit_key.is_some(),
            setting: "--audit-key",
            lost: "the audit log is signed with a new key: old signatures count only if `--audit-public-keys` names the old public key",
        },
    ];
    if settings.jwks_url.is_none() {
        keys.push(KeptApart {
            file: issuer::FILE,
            set: false,
            setting: "",
            lost: "all tokens of the local issuer are refused: everybody needs a new one",
        });
    }
    keys
}

/// Returns the list of the keys that are in no backup, with what is lost without each.
fn keys(settings: &Settings) -> String {
    let lines = kept_apart(settings).into_iter().map(|KeptApart { file, set, setting, lost }| {
        let path = settings.data_dir.join(file);
        let not_made = if set || path.exists() { "" } else { " (not made yet)" };
        let place = if set { format!("the key of `{setting}`") } else { format!("`{}`", path.display()) };
        format!("  {place}{not_made}: {lost}\n")
    });
    let lines: String = lines.collect();
    format!("The backup does not contain these keys. Keep them elsewhere; without one\n{lines}")
}

/// Returns a line for each key that is missing in the data directory.
pub fn missing_keys(settings: &Settings) -> Vec<String> {
    let missing =
        kept_apart(settings).into_iter().filter(|key| !key.set && !settings.data_dir.join(key.file).exists());
    missing
        .map(|KeptApart { file, lost, .. }| {
            format!("`{file}` is not in the data directory: without it {lost}")
        })
        .collect()
}
