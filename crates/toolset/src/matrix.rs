//! Which callers reach which tools.

use std::fmt::Write as _;

use serde::Serialize;
use toolcrib_model::{Role, count, visible};
use toolcrib_registry::{AccessibleBy, ConfirmationLevel, Level};

use crate::checked::CheckedToolset;

/// A kind of callers, as a column of the matrix.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum MatrixCaller {
    Type(String),
    /// The agent with this slug, whatever its type is.
    Name(String),
    /// Callers whose type and name no tool mentions.
    Other,
}

/// A tool, as a row of the matrix.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MatrixRow {
    /// Full name of the tool.
    pub tool: String,
    /// What the tool may do to data.
    pub level: Level,
    /// The confirmation that a call needs.
    pub confirmation: ConfirmationLevel,
    /// A draft is reached by nobody.
    pub draft: bool,
    /// For each caller, the lowest role that reaches the tool. `None` if no role does.
    pub lowest_roles: Vec<Option<Role>>,
}

/// Which callers reach which tools of a toolset that is on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ToolsetMatrix {
    /// The callers that the document mentions, and the others.
    pub callers: Vec<MatrixCaller>,
    /// The tools in the order of the document.
    pub rows: Vec<MatrixRow>,
}

/// Returns which callers reach which tools.
pub fn matrix(toolset: &CheckedToolset) -> ToolsetMatrix {
    let mut types: Vec<MatrixCaller> = Vec::new();
    let mut names: Vec<MatrixCaller> = Vec::new();
    for tool in &toolset.tools {
        if let AccessibleBy::Only { types: of_tool, names: named } = &tool.access {
            add(&mut types, of_tool.iter().map(|word| MatrixCaller::Type(word.to_string())));
            add(&mut names, named.iter().map(|name| MatrixCaller::Name(name.to_string())));
        }
    }
    let callers: Vec<MatrixCaller> = types.into_iter().chain(names).chain([MatrixCaller::Other]).collect();
    let rows = toolset.tools.iter().map(|tool| {
        let reaches = |caller: &MatrixCaller| match caller {
            // An empty type is no type: what admits it admits everyone.
            MatrixCaller::Type(name) => tool.access.admits(name, None),
            MatrixCaller::Name(name) => tool.access.admits("", Some(name)),
            MatrixCaller::Other => tool.access.admits("", None),
        };
        let role = |caller| (!tool.draft && reaches(caller)).then_some(tool.min_role);
        MatrixRow {
            tool: tool.full_name.clone(),
            level: tool.level,
            confirmation: tool.confirmation,
            draft: tool.draft,
            lowest_roles: callers.iter().map(role).collect(),
        }
    });
    ToolsetMatrix { rows: rows.collect(), callers }
}

fn add(callers: &mut Vec<MatrixCaller>, new: impl Iterator<Item = MatrixCaller>) {
    for caller in new {
        if !callers.contains(&caller) {
            callers.push(caller);
        }
    }
}

impl ToolsetMatrix {
    /// Returns the number of tools that each caller reaches with some role.
    pub fn totals(&self) -> Vec<usize> {
        let reached = |row: &&MatrixRow, at: usize| row.lowest_roles.get(at).is_some_and(Option::is_some);
        let total = |at: usize| self.rows.iter().filter(|row| reached(row, at)).count();
        (0..self.callers.len()).map(total).collect()
    }

    /// Returns the matrix as a table in Markdown. A cell is the lowest role that reaches the tool.
    pub fn to_markdown(&self) -> String {
        let mut out = String::from("| tool | level | asks |");
        for caller in &self.callers {
            // Writing into a string can't fail.
            let _ = match caller {
                MatrixCaller::Type(name) => write!(out, " `{}` |", visible(name)),
                MatrixCaller::Name(name) => write!(out, " agent `{}` |", visible(name)),
                MatrixCaller::Other => write!(out, " others |"),
            };
        }
        let _ = writeln!(out, "\n|---|---|---|{}", "---|".repeat(self.callers.len()));
        for row in &self.rows {
            let asks = match row.confirmation {
                ConfirmationLevel::None => "",
                level => level.as_str(),
            };
            let draft = if row.draft { " (draft)" } else { "" };
            let _ = write!(out, "| `{}`{draft} | {} | {asks} |", row.tool, row.level.as_str());
            for role in &row.lowest_roles {
                let _ = write!(out, " {} |", role.map_or("", Role::as_str));
            }
            out.push('\n');
        }
        let totals: Vec<String> = self.totals().iter().map(ToString::to_string).collect();
        let _ = writeln!(out, "| {} | | | {} |", count(self.rows.len(), "tool"), totals.join(" | "));
        out
    }
}
