//! Makes a brainstorm of threads.

use std::collections::{BTreeMap, BTreeSet};

use toolcrib_engine::prelude::*;
use toolcrib_store::{Tx, display_names};

use super::conversation;
use crate::{
    actions::brainstorms::{MAX_CONTENT, store},
    find, permissions, project,
    shared::{Ref, actor, number},
    tables::{
        brainstorms::{Brainstorm, BrainstormRow, BrainstormSource},
        projects::Lock,
        threads::{self, FIRST, MessageRow},
    },
};

/// The number of threads that a card names.
const MAX_SHOWN: usize = 5;

pub struct FinalizeThreadsToBrainstorm;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// ID or exact name.
    pub project: Option<Ref>,
    /// IDs of the threads, in this order.
    #[schemars(length(min = 1, max = 100))]
    pub threads: Vec<Id>,
    /// Title of the brainstorm. Default: the title of the first thread.
    pub title: Option<String>,
    /// Who wrote it.
    pub author: Option<String>,
}

impl WriteAction for FinalizeThreadsToBrainstorm {
    type Input = Input;
    type Output = BrainstormRow;

    fn spec() -> Spec {
        let warning = "The threads are kept as a brainstorm, which never changes and everyone in the workspace can read.";
        permissions::manage("game_finalize_threads_to_brainstorm")
            .creates()
            .confirm_simple(warning)
            .describe(
                "Make a brainstorm of idea threads, with all messages and their authors. The threads stay.",
            )
            .tags(&["game", "idea", "thread", "brainstorm", "summary"])
            .examples(&[
                "Turn these threads into a brainstorm",
                "Collect the ideas about combat",
                "Close the discussion",
            ])
    }

    async fn resolve(&self, cx: &mut ReadCx<'_>, input: &mut Input) -> Result<Target, ActionError> {
        let project = project::to_change(cx, &mut input.project).await?;
        let unique: BTreeSet<Id> = input.threads.iter().copied().collect();
        if unique.len() < input.threads.len() {
            return Err(ActionError::invalid("/threads", "duplicate", "names a thread twice"));
        }
        let (mut messages, mut names) = (0, Vec::new());
        for thread in &input.threads {
            let thread = find::thread(cx.tx, project.id, *thread).await?;
            messages += thread.message_count;
            names.push(format!("`{}`", thread.name()));
        }
        let more = if names.len() > MAX_SHOWN { " and others" } else { "" };
        names.truncate(MAX_SHOWN);
        let (threads, messages) = (count(input.threads.len(), "thread"), count(messages, "message"));
        let detail = format!("{threads} with {messages}: {}{more}", names.join(", "));
        let title = title(cx.tx, project.id, input).await?;
        Ok(project::bound_to_card(project::target("brainstorm", &title, &project, Some(&detail)), 0))
    }

    async fn run(&self, cx: &mut WriteCx<'_>, input: &Input) -> Result<BrainstormRow, ActionError> {
        // One after another: each updates its threads in their order.
        let project = project::lock(cx, input.project.as_ref(), Lock::Change).await?.id;
        let content = content(cx.tx, project, &input.threads).await?;
        let row = BrainstormRow {
            id: cx.new_id(),
            title: title(cx.tx, project, input).await?,
            author: input.author.clone(),
            source: BrainstormSource::IdeaStream,
            tags: vec![],
            bytes: number(content.len()),
            created_by: actor(cx.caller),
            created_at: cx.now,
        };
        let brainstorm = Brainstorm { row, content };
        store(cx.tx, project, &brainstorm).await?;
        for thread in &input.threads {
            threads::set_brainstorm(cx.tx, project, *thread, brainstorm.row.id).await?;
        }
        Ok(brainstorm.row)
    }

    fn describe(input: &Input, row: &BrainstormRow) -> String {
        format!("Made brainstorm `{}` of {}", row.title, count(input.threads.len(), "thread"))
    }
}

async fn title(tx: &mut Tx, project: Id, input: &Input) -> Result<String, ActionError> {
    match (&input.title, input.threads.first()) {
        (Some(title), _) => Ok(title.clone()),
        (None, Some(first)) => Ok(find::thread(tx, project, *first).await?.name().to_owned()),
        (None, None) => Err(ActionError::invalid("/threads", "minItems", "must name a thread")),
    }
}

/// Renders the threads. 422 if the text is larger than a brainstorm may be.
async fn content(tx: &mut Tx, project: Id, ids: &[Id]) -> Result<String, ActionError> {
    let mut all = Vec::new();
    let mut bytes = 0;
    for id in ids {
        let thread = find::thread(tx, project, *id).await?;
        let messages = messages(tx, project, *id, MAX_CONTENT - bytes).await?.ok_or_else(too_large)?;
        bytes += messages.iter().map(|message| message.content.len()).sum::<usize>();
        all.push((thread, messages));
    }
    let writers = all.iter().flat_map(|(thread, messages)| {
        messages.iter().map(|message| message.created_by).chain([thread.created_by])
    });
    let names = display_names::find(tx, &writers.collect()).await?;
    let named = names
        .into_iter()
        .filter_map(|one| Some((one.id, one.user_name.or(one.agent_name).or(one.key_name)?)));
    let names: BTreeMap<Id, String> = named.collect();
    let texts: Vec<String> =
        all.iter().map(|(thread, messages)| conversation::render(thread, messages, &names)).collect();
    let text = texts.join("\n");
    if text.len() > MAX_CONTENT { Err(too_large()) } else { Ok(text) }
}

/// Reads the messages of a thread by pages; `None` once they have more than `most` bytes.
async fn messages(
    tx: &mut Tx,
    project: Id,
    thread: Id,
    most: usize,
) -> Result<Option<Vec<MessageRow>>, ActionError> {
    /// The number of messages of a page.
    const PAGE: i64 = 100;
    let (mut all, mut bytes, mut after): (Vec<MessageRow>, _, _) = (Vec::new(), 0, Some(FIRST));
    while let Some(cursor) = after {
        let page = threads::messages(tx, project, thread, cursor, PAGE).await?;
        bytes += page.iter().map(|message| message.content.len()).sum::<usize>();
        if bytes > most {
            return Ok(None);
        }
        after = page.last().map(MessageRow::position);
        all.extend(page);
    }
    Ok(Some(all))
}

fn too_large() -> ActionError {
    let text = "hold more than a brainstorm of 256 KiB can keep; give fewer of them at once";
    ActionError::invalid("/threads", "size", text)
}
