//! `restore`: puts a backup back. The database is held until `--accept`, its webhooks and due work until `--resume`.
//!
//! A SQLite file is restored as a copy beside the database's name, which it gets in the last step. So a process that is
//! killed leaves no database or one that is held. On PostgreSQL `pg_restore` fills the database. The dump has no row of
//! `serving`, without which nothing is served.

mod accept;
mod begin;

use std::{
    fs::{self, File},
    os::unix::fs::PermissionsExt as _,
    path::Path,
};

use secrecy::ExposeSecret as _;
use toolcrib_config::Database;
use toolcrib_model::{Id, ServingState, count};
use toolcrib_store::{Db, pack_schemas, schema_owner, serving, serving::ServingRow, sqlite_file};

use super::backup;
use crate::{
    administration::audit_row,
    cli::RestoreArgs,
    context::AppContext,
    failure::{Failure, Ran},
    instance::Instance,
    output,
    private::{self, beside},
};

/// What SQLite has beside a file.
const BESIDE: [&str; 3] = ["-wal", "-shm", "-journal"];

pub async fn run(context: &AppContext, args: RestoreArgs) -> Result<Ran, Failure> {
    if let Some(from) = &args.from {
        return from_file(context, from).await;
    }
    if args.list || args.accept {
        let ran = accept::run(context, &args).await?;
        return if args.resume && ran == Ran::Done { resume(context).await } else { Ok(ran) };
    }
    if args.resume { resume(context).await } else { in_place(context, args.snapshot).await }
}

/// Restores a file of `backup` into a data directory that has no database.
async fn from_file(context: &AppContext, from: &Path) -> Result<Ran, Failure> {
    let Database::Sqlite(database) = &context.settings.database else {
        return Err(Failure::Usage(
            "PostgreSQL is filled by `pg_restore`; run `toolcrib restore` on it afterwards, without `--from`"
                .into(),
        ));
    };
    check(from).await?;
    private::make_folder(&context.settings.data_dir)?;
    private::make_folder_of(database)?;
    let _lock = Instance::acquire(database)?;
    refuse_existing(database)?;
    let copy = beside(database, ".restoring");
    remove_copy(&copy)?;
    if let Err(error) = restore_copy(context, from, &copy).await {
        remove_copy(&copy)?;
        return Err(error);
    }
    fs::rename(&copy, database)?;
    // An empty WAL may be left: `settle` has moved its pages into the file.
    remove_copy(&copy)?;
    private::sync_folder_of(database)?;
    tell_next(context)
}

/// Fails if the file can't be restored. Makes nothing.
async fn check(from: &Path) -> Result<(), Failure> {
    let named = |error: &dyn std::fmt::Display| {
        Failure::CouldNotRun(format!("`{}` can't be restored: {error}", from.display()))
    };
    if beside(from, "-wal").exists() {
        return Err(named(
            &"there is a `-wal` file beside it, so a process used it: restore a file of `toolcrib backup`",
        ));
    }
    let opened = File::open(from).and_then(|file| file.metadata()).map_err(|error| named(&error))?;
    if opened.is_dir() {
        return Err(named(&"it is a directory"));
    }
    sqlite_file::check(from).await.map_err(|error| named(&error))
}

/// Fails if there is a database of this name, or what SQLite would take for a part of it.
fn refuse_existing(database: &Path) -> Result<(), Failure> {
    let mut names = [""].iter().chain(&BESIDE).map(|end| beside(database, end));
    match names.find(|path| fs::symlink_metadata(path).is_ok()) {
        Some(there) => Err(Failure::Usage(format!(
            "`{}` exists: restore into a data directory without a database",
            there.display()
        ))),
        None => Ok(()),
    }
}

/// Copies the file, and makes what it holds ready in the copy.
async fn restore_copy(context: &AppContext, from: &Path, copy: &Path) -> Result<(), Failure> {
    fs::copy(from, copy)?;
    fs::set_permissions(copy, fs::Permissions::from_mode(0o600))?;
    let db = Db::open_sqlite(copy).await.map_err(|error| context.unopened(&error))?;
    let schemas = context.pack_schemas();
    pack_schemas::migrate_sqlite(copy, &schemas).await.map_err(|error| context.unopened(&error))?;
    let begun = begin::hold(context, &db).await;
    db.close().await;
    drop(db);
    begun?;
    sqlite_file::settle(copy).await?;
    Ok(File::open(copy)?.sync_all()?)
}

fn remove_copy(copy: &Path) -> Result<(), Failure> {
    for end in [""].iter().chain(&BESIDE) {
        match fs::remove_file(beside(copy, end)) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error.into()),
            _ => {}
        }
    }
    Ok(())
}

/// Restores the database that is there.
async fn in_place(context: &AppContext, snapshot: bool) -> Result<Ran, Failure> {
    let (db, _lock) = open_alone(context).await?;
    match (serving::state(&db).await?, snapshot) {
        (None, _) | (Some(ServingState::Open), true) => {}
        (Some(ServingState::Open), false) => {
            return Err(Failure::Usage(
                "this database is not put back from a backup. If it is an older state of itself, such as a snapshot of a \
                 disk, say `--snapshot`; a file of `toolcrib backup` is named with `--from`"
                    .into(),
            ));
        }
        (Some(ServingState::Restored), _) => {
            return Err(Failure::Usage("this database is restored already: go on with `--accept`".into()));
        }
        (Some(ServingState::Accepted), _) => {
            return Err(Failure::Usage(
                "this database is restored and accepted already: go on with `--resume`".into(),
            ));
        }
    }
    begin::hold(context, &db).await?;
    db.close().await;
    tell_next(context)
}

/// Opens the database as its owner. Fails while a process serves it.
async fn open_alone(context: &AppContext) -> Result<(Db, Option<Instance>), Failure> {
    let settings = &context.settings;
    let lock = match &settings.database {
        Database::Sqlite(path) => {
            context.refuse_missing()?;
            Some(Instance::acquire(path)?)
        }
        Database::Postgres(url) => {
            let owner = settings.owner_database.as_ref().unwrap_or(url);
            let found = schema_owner::sessions(owner.expose_secret()).await;
            let found = found.map_err(|error| context.unopened(&error))?;
            if found > 0 {
                return Err(Failure::CouldNotRun(format!(
                    "the database has {}: stop every `toolcrib serve`, and end the sessions",
                    count(found, "other session")
                )));
            }
            None
        }
    };
    Ok((context.open_existing().await?, lock))
}

fn tell_next(context: &AppContext) -> Result<Ran, Failure> {
    for line in backup::missing_keys(&context.settings) {
        output::line(&line)?;
    }
    output::line("the database is restored and held: `toolcrib restore --accept` lets callers in")?;
    Ok(Ran::Done)
}

/// Ends the hold of webhooks and due work.
async fn resume(context: &AppContext) -> Result<Ran, Failure> {
    let db = context.open_existing().await?;
    match serving::state(&db).await? {
        Some(ServingState::Accepted) => {}
        Some(ServingState::Open) => return Err(Failure::Usage("nothing is held in this database".into())),
        None | Some(ServingState::Restored) => {
            return Err(Failure::Usage("callers come first: `toolcrib restore --accept`".into()));
        }
    }
    let stamp = context.stamp();
    let mut tx = db.begin_write_as_owner().await?;
    let row = ServingRow { state: ServingState::Open, changed_at: stamp.now, heads: None };
    let done = serving::set(&mut tx, &row).await;
    tx.audit(audit_row(stamp, Id::nil(), "backups.resume", &serde_json::json!({}), None));
    tx.end(done).await?;
    db.close().await;
    output::line("webhooks and due work run")?;
    Ok(Ran::Done)
}
