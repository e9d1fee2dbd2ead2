//! The phrase that a person types for a typed confirmation.

use toolcrib_store::confirmations::ConfirmationRow;

use crate::catalog::catalog_tool::SENT_TO;

/// The longest name that is typed, in characters.
const MAX_LEN: usize = 64;

/// Returns the phrase of a record: the target's name as it is shown if a person can type what they see, or else the
/// name of the action.
pub fn of(row: &ConfirmationRow) -> &str {
    target_name(row).filter(|name| can_be_typed(name)).unwrap_or(&row.action)
}

/// Returns the name of the target: what stands between backticks after its kind, such as ``agent `Scout` ``, or what an
/// upstream calls it.
fn target_name(row: &ConfirmationRow) -> Option<&str> {
    if row.call.upstream_target.is_some() {
        return row.call.target_detail.as_deref()?.rsplit_once(SENT_TO)?.0.strip_suffix("; ");
    }
    row.call.target_id?;
    row.call.target_label.as_deref()?.split_once(" `")?.1.strip_suffix('`')
}

/// Whether a name is 1 to 64 characters that are printed, and that no other character looks like: those of ASCII, and
/// letters of Latin with their marks. Two spaces are shown as one.
fn can_be_typed(name: &str) -> bool {
    (1..=MAX_LEN).contains(&name.chars().count())
        && name.trim() == name
        && !name.contains("  ")
        && name.chars().all(is_unmistakable)
}

fn is_unmistakable(c: char) -> bool {
    matches!(c,
        ' '..='~' | 'À'..='Ö' | 'Ø'..='ö' | 'ø'..='İ' | 'Ĵ'..='ķ' | 'Ĺ'..='ľ' | 'Ł'..='ň' | 'Ŋ'..='ž')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_can_be_typed_are_seen_as_they_are() {
        for name in ["Scout", "Invoice Checker", "a", "Zoë Müller's agent (2)", "łódź", &"x".repeat(64)]
        {
            assert!(can_be_typed(name), "{name}");
        }
        let long = "x".repeat(65);
        let others = [
            "",
            " Scout",
            "Scout ",
            "Two  spaces",
            &long,
            "Sc\u{43e}ut",
            "Sc\u{200b}out",
            "Sc\u{202e}out",
            "a\nb",
        ];
        for name in
            others.into_iter().chain(["\u{2019}", "\u{131}", "\u{17f}", "e\u{301}", "\u{a0}x", "助手", "🤖"])
        {
            assert!(!can_be_typed(name), "{name}");
        }
    }
}
