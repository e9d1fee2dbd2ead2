//! `serve --demo`: creates two workspaces with three weeks of realistic data, and credentials for them.
//!
//! The history is made by calls through the engine with a clock that is set to the past, so that every row
//! has its audit row. The same seed gives the same history.

mod command_model;
mod credentials;
mod demo_history;
mod history;
mod lines;
mod runs;
mod script;
mod seeded_random;
mod shop;
mod waiting;
mod workspaces;

use toolcrib_access::EnabledPacks;
use toolcrib_auth::issuer::{ISSUER, LocalIssuer};
use toolcrib_console::DemoPerson;
use toolcrib_model::{Id, Role};
use toolcrib_store::{ActorIds, Db, users};

use crate::{
    context::AppContext,
    failure::Failure,
    output,
    services::{Services, Tokens, login_link},
};
pub use command_model::provider as command_provider;
use credentials::Demo;
pub use credentials::FILE;

/// Creates the demo if there is none, and prints the link that signs in to the console, and its credentials.
/// Returns the demo's people.
pub async fn prepare(
    context: &AppContext,
    services: &Services,
    tokens: &Tokens,
    base: &str,
) -> Result<Vec<DemoPerson>, Failure> {
    let Tokens::Local(issuer) = tokens else {
        return Err(Failure::Usage("`--demo` needs the local issuer".into()));
    };
    let folder = &context.settings.data_dir;
    let demo = if let Some(mut demo) = credentials::read(folder)? {
        check(&services.db, &demo).await?;
        if demo.base_url != base {
            base.clone_into(&mut demo.base_url);
            credentials::write(folder, &demo)?;
        }
        demo
    } else {
        refuse_second(&services.db).await?;
        let demo = make(context, services, issuer, base).await?;
        credentials::write(folder, &demo)?;
        demo
    };
    if let Some(first) = demo.workspaces.first() {
        waiting::ask(context, services, first).await?;
    }
    let owner = workspaces::FIRST.subject(Role::Owner);
    output::print(&format!("\nopen {}\n", login_link(context, issuer, base, &owner)?))?;
    let people = people(services, &demo).await?;
    output::print(&lines::text(&demo, &people, folder))?;
    Ok(people)
}

/// Returns the members of both workspaces.
async fn people(services: &Services, demo: &Demo) -> Result<Vec<DemoPerson>, Failure> {
    let mut people = Vec::new();
    for (workspace, plan) in demo.workspaces.iter().zip([&workspaces::FIRST, &workspaces::SECOND]) {
        let packs = packs(services, workspace.id).await?;
        people.extend(workspace.members().map(|(role, user)| DemoPerson {
            user_id: user.user_id,
            name: Some(workspaces::display_name(role)),
            role: role.to_string(),
            workspace: workspace.name.clone(),
            packs: packs.clone(),
            issuer: ISSUER.to_owned(),
            subject: plan.subject(role),
        }));
    }
    Ok(people)
}

/// Returns the titles of the packs that are on in a workspace.
async fn packs(services: &Services, workspace: Id) -> Result<Vec<String>, Failure> {
    let row = services.db.access_row(workspace, ActorIds::default()).await?;
    let on = row.map(|row| EnabledPacks::of_stored(&row.packs)).unwrap_or_default();
    Ok(services.catalog.packs_on(&on).map(|pack| pack.pack.info.title.to_owned()).collect())
}

/// Returns whether there are demo credentials. Fails if they belong to another database. For `doctor`.
pub async fn check_file(folder: &std::path::Path, db: &Db) -> Result<bool, Failure> {
    match credentials::read(folder)? {
        Some(demo) => check(db, &demo).await.map(|()| true),
        None => Ok(false),
    }
}

/// Fails if the credentials belong to another database.
async fn check(db: &Db, demo: &Demo) -> Result<(), Failure> {
    for workspace in &demo.workspaces {
        if !exists(db, workspace.id).await? {
            return Err(Failure::CouldNotRun(format!(
                "`demo.json` in the data directory is of another database (there is no workspace `{}` here): remove \
                 it, or name another `--data-dir`",
                workspace.id
            )));
        }
    }
    Ok(())
}

/// Fails if the database contains the demo but its file is missing. The secrets of keys are not stored, so
/// the credentials cannot be printed again, and the demo must not be created twice.
async fn refuse_second(db: &Db) -> Result<(), Failure> {
    let owner = workspaces::SECOND.subject(Role::Owner);
    match users::find(db, ISSUER, &owner).await? {
        None => Ok(()),
        Some(_) => Err(Failure::CouldNotRun(
            "the demo is in this database already, but `demo.json` with its credentials is gone from the data directory: put \
             it back, or name another `--data-dir` or `--database`"
                .into(),
        )),
    }
}

async fn exists(db: &Db, id: Id) -> Result<bool, Failure> {
    let mut tx = db.read(id).await?;
    let found = toolcrib_store::workspaces::get(&mut tx).await?.is_some();
    tx.end().await?;
    Ok(found)
}

async fn make(
    context: &AppContext,
    services: &Services,
    issuer: &LocalIssuer,
    base: &str,
) -> Result<Demo, Failure> {
    let began = workspaces::began(context.now());
    let first = workspaces::create(context, &services.db, began, &workspaces::FIRST).await?;
    let second = workspaces::create(context, &services.db, began, &workspaces::SECOND).await?;
    for place in [&first, &second] {
        shop::make(context, place.id, began).await?;
    }
    history::make(context, services, [&first, &second], began).await?;
    credentials::issue(context, issuer, base, [&first, &second])
}
