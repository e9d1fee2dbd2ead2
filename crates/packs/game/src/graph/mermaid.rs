//! A graph as Mermaid text.

use std::{collections::BTreeSet, fmt::Write as _};

use super::{DependencyType, Edge, Graph};

/// The number of dependencies that are drawn, and of systems without any: more can't be read, and Mermaid refuses them.
const MAX_EDGES: usize = 400;
/// The number of characters of a name that are drawn.
const MAX_NAME_CHARS: usize = 40;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mermaid {
    pub text: String,
    /// Whether systems or dependencies were left out.
    pub truncated: bool,
}

impl Graph {
    /// Draws these systems and the dependencies between them. Arrows lead from right to left, to what comes first. The
    /// text says so if it ends at 400 dependencies.
    pub fn mermaid(&self, nodes: &BTreeSet<usize>) -> Mermaid {
        let inside: Vec<&Edge> = self
            .edges
            .iter()
            .filter(|edge| nodes.contains(&edge.source) && nodes.contains(&edge.target))
            .collect();
        let drawn = &inside[..inside.len().min(MAX_EDGES)];
        let joined: BTreeSet<usize> = inside.iter().flat_map(|edge| [edge.source, edge.target]).collect();
        let alone: Vec<usize> = nodes.difference(&joined).copied().collect();
        let mut shown: BTreeSet<usize> = drawn.iter().flat_map(|edge| [edge.source, edge.target]).collect();
        shown.extend(alone.iter().take(MAX_EDGES));
        let mut text = "flowchart RL\n".to_owned();
        for node in &shown {
            let _ = writeln!(text, "  n{node}[\"{}\"]", label(&self.nodes[*node].name));
        }
        for edge in drawn {
            let _ = writeln!(text, "  n{} {} n{}", edge.source, arrow(edge.kind), edge.target);
        }
        let truncated = shown.len() < nodes.len() || drawn.len() < inside.len();
        if truncated {
            let (edges, nodes) = ((drawn.len(), inside.len()), (shown.len(), nodes.len()));
            let _ = writeln!(
                text,
                "  %% Shows {} of {} dependencies and {} of {} systems",
                edges.0, edges.1, nodes.0, nodes.1
            );
        }
        Mermaid { text, truncated }
    }
}

fn arrow(kind: DependencyType) -> &'static str {
    match kind {
        DependencyType::Requires => "-->",
        DependencyType::Enhances => "-.->|enhances|",
        DependencyType::Optional => "-.->|optional|",
    }
}

/// A name as the text of a node, in which Mermaid reads markup and entities.
fn label(name: &str) -> String {
    let mut label = String::new();
    for (at, c) in name.chars().enumerate() {
        match c {
            _ if at == MAX_NAME_CHARS => {
                label.push('…');
                break;
            }
            _ if c.is_alphanumeric() || " ,()/'!?".contains(c) => label.push(c),
            // At the beginning of a word it would make a list.
            '-' if label.ends_with(char::is_alphanumeric) => label.push(c),
            _ => {
                let _ = write!(label, "#{};", u32::from(c));
            }
        }
    }
    label
}
