//! Removals of films and series: what both have in common.

mod find;
mod send;

use toolcrib_engine::{
    effect::{EffectCall, Ready, Resolved},
    prelude::*,
};

pub use find::Wanted;
pub use send::{TIMEOUT_SECONDS, look_up, send};

use crate::{
    READERS,
    add::named,
    server::{REMOTE, Server},
    settings::Kind,
    text::Text,
    title::Title,
};

/// What a call wants to remove.
pub struct Wish<'i> {
    pub kind: Kind,
    pub wanted: Wanted<'i>,
    pub delete_files: Option<bool>,
    pub exclude_from_lists: Option<bool>,
}

/// What a removal sends. An approval is bound to all of it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Plan {
    kind: Kind,
    address: String,
    library_id: i64,
    foreign_id: i64,
    title: String,
    year: Option<i64>,
    delete_files: bool,
    exclude_from_lists: bool,
}

/// What becomes of the files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Files {
    /// They stay where they are.
    Stay,
    /// The server deletes them after its answer.
    DeletedAfterwards,
}

/// What a call removed.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct Removed {
    /// Title.
    pub title: Text,
    /// Year; null if unknown.
    pub year: Option<i64>,
    /// ID that it had in the server's library.
    pub library_id: i64,
    /// What becomes of the files.
    pub files: Files,
    /// Whether import lists of the server can't add it again.
    pub excluded_from_lists: bool,
}

impl Removed {
    fn of(plan: &Plan) -> Self {
        Self {
            title: Text::name(&plan.title),
            year: plan.year,
            library_id: plan.library_id,
            files: if plan.delete_files { Files::DeletedAfterwards } else { Files::Stay },
            excluded_from_lists: plan.exclude_from_lists,
        }
    }

    /// Returns one sentence about it.
    pub fn describe(&self, kind: Kind) -> String {
        let files = match self.files {
            Files::Stay => "its files stay",
            Files::DeletedAfterwards => "its files are deleted afterwards",
        };
        let server = kind.server().title();
        format!(
            "Removed the {} {} from {server}; {files}",
            kind.noun(),
            named(self.title.as_str(), self.year)
        )
    }
}

/// Looks up what a call would remove. 404 if it is not there.
pub async fn resolve(cx: &ExternalCx<'_>, wish: Wish<'_>) -> Result<Resolved<Plan, Removed>, ActionError> {
    let kind = wish.kind;
    let reference = wish.wanted.reference(kind)?;
    let server = Server::of(cx, kind.server(), REMOTE).await?;
    let title = find::find(&server, kind, &reference).await?;
    let plan = Plan {
        kind,
        address: server.address().to_owned(),
        library_id: title.id,
        foreign_id: title.foreign_id(kind),
        title: title.name(),
        year: title.year(),
        delete_files: wish.delete_files.unwrap_or(false),
        exclude_from_lists: wish.exclude_from_lists.unwrap_or(false),
    };
    let target = Target {
        label: format!("{} {}", kind.noun(), named(&plan.title, plan.year)),
        detail: Some(detail(&plan, &title)),
        ..Target::default()
    };
    Ok(Resolved::Ready(Ready { target, key: kind.key(plan.foreign_id), plan }))
}

/// Says what a person is asked about. The size of the files may change until the approval.
fn detail(plan: &Plan, title: &Title) -> String {
    let server = plan.kind.server().title();
    let folder = title.root_folder_path.as_deref().map(Text::name);
    let folder = folder.map(|folder| format!(" in {}", folder.visible())).unwrap_or_default();
    let files = match (plan.delete_files, title.size()) {
        (false, _) => "its files stay".to_owned(),
        (true, 0) => format!("all its files{folder} are deleted"),
        (true, bytes) => format!("{} of files{folder} are deleted", size(bytes)),
    };
    let lists = if plan.exclude_from_lists { "; import lists can't add it again" } else { "" };
    format!("from {server}; {files}{lists}")
}

/// Returns a size as people write it, with one decimal.
fn size(bytes: i64) -> String {
    let (unit, name) = if bytes < 1_000_000_000 { (1_000_000, "MB") } else { (1_000_000_000, "GB") };
    let tenths = bytes.saturating_mul(10) / unit;
    format!("{}.{} {name}", tenths / 10, tenths % 10)
}

/// Records a removal: an event.
pub fn record(cx: &mut WriteCx<'_>, call: &EffectCall, plan: &Plan) {
    let about = json!({
        "call_id": call.call_id, "type": plan.kind, "foreign_id": plan.foreign_id.to_string(),
        "library_id": plan.library_id, "delete_files": plan.delete_files,
    });
    cx.emit("media.removed", READERS, about);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_one_decimal() {
        assert_eq!(
            [size(14_200_000_000), size(999_999_999), size(450_000)],
            ["14.2 GB", "999.9 MB", "0.4 MB"]
        );
    }
}
