//! A thread as Markdown: messages in their order, replies indented below their parent.

use std::{
    collections::{BTreeMap, HashMap},
    fmt::Write as _,
};

use toolcrib_model::Id;

use crate::{
    markdown::one_line,
    tables::threads::{MessageRow, ThreadRow},
};

/// The depth from which replies are no longer indented further.
const MAX_INDENT: usize = 10;

/// Renders a thread. A person without a known name is shown by ID.
pub fn render(thread: &ThreadRow, messages: &[MessageRow], names: &BTreeMap<Id, String>) -> String {
    let name = |id: Id| names.get(&id).cloned().unwrap_or_else(|| id.to_string());
    let (title, by, at) = (one_line(thread.name()), name(thread.created_by), thread.created_at);
    let mut text = format!("# {title}\n\nBegun by {by} at {at}.\n");
    let known: HashMap<Id, usize> =
        messages.iter().enumerate().map(|(at, message)| (message.id, at)).collect();
    let mut replies: Vec<Vec<usize>> = vec![Vec::new(); messages.len()];
    let mut open = Vec::new();
    for (at, message) in messages.iter().enumerate() {
        match message.parent_id.and_then(|parent| known.get(&parent)) {
            Some(parent) => replies[*parent].push(at),
            None => open.push((at, 0)),
        }
    }
    open.reverse();
    while let Some((at, depth)) = open.pop() {
        let message = &messages[at];
        let indent = "  ".repeat(depth.min(MAX_INDENT));
        let _ = write!(text, "\n{indent}- {}, {}\n\n", name(message.created_by), message.created_at);
        for line in message.content.lines() {
            let _ = writeln!(text, "{}", format!("{indent}  {line}").trim_end());
        }
        open.extend(replies[at].iter().rev().map(|reply| (*reply, depth + 1)));
    }
    text
}

#[cfg(test)]
mod tests {
    use toolcrib_model::Ts;

    use super::*;

    #[test]
    fn replies_stand_below_their_parent_in_the_order_of_their_times() {
        let at = Ts::from_micros(1_768_471_200_000_000);
        let message = |id: u128, parent: Option<u128>, content: &str| MessageRow {
            id: Id::from_u128(id),
            parent_id: parent.map(Id::from_u128),
            content: content.into(),
            created_by: Id::from_u128(id % 2),
            created_at: at,
        };
        let thread = ThreadRow {
            id: Id::nil(),
            title: Some("An\nidea".into()),
            message_count: 4,
            last_message_at: at,
            brainstorm_id: None,
            created_by: Id::from_u128(1),
            created_at: at,
        };
        let messages = [
            message(1, None, "first\n\n# not a title"),
            message(2, None, "second"),
            message(3, Some(1), "reply"),
            message(5, Some(3), "deeper"),
            message(7, Some(1), "late"),
        ];
        let names = [(Id::from_u128(1), "Ada".to_owned())].into();
        let text = render(&thread, &messages, &names);
        let time = "2026-01-15T10:00:00.000000Z";
        let other = Id::nil();
        let expected = format!(
            "# An idea\n\nBegun by Ada at {time}.\n\n- Ada, {time}\n\n  first\n\n  # not a title\n\n  - Ada, {time}\n\n    \
             reply\n\n    - Ada, {time}\n\n      deeper\n\n  - Ada, {time}\n\n    late\n\n- {other}, {time}\n\n  second\n"
        );
        assert_eq!(text, expected);
    }
}
