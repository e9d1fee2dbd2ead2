//! A tool as an MCP server lists it, and the digest by which a document pins it.

mod warnings;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use toolcrib_registry::digest;

pub use warnings::tool_warnings;

/// A tool as an MCP server lists it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct UpstreamTool {
    /// Name of the tool at the server.
    pub name: String,
    /// What the server says that the tool does.
    pub description: Option<String>,
    /// JSON Schema of the parameters.
    pub input_schema: Value,
    /// JSON Schema of the result.
    pub output_schema: Option<Value>,
    /// Whether the server says that the tool may destroy something. No part of the digest.
    pub destructive_hint: bool,
}

impl UpstreamTool {
    /// Returns the digest that a pin has: `sha256:` and the SHA-256 in hex of name, text and schemas in RFC 8785. The
    /// order of keys does not matter, and annotations are no part of it.
    pub fn digest(&self) -> String {
        let form = json!({
            "form": "mcp-tool/1",
            "name": self.name,
            "description": self.description,
            "input_schema": self.input_schema,
            "output_schema": self.output_schema,
        });
        format!("sha256:{}", digest(&form))
    }

    /// Returns the digest of the schemas alone, in the same form.
    pub fn schema_digest(&self) -> String {
        let form = json!({
            "form": "mcp-tool-schemas/1",
            "input_schema": self.input_schema,
            "output_schema": self.output_schema,
        });
        format!("sha256:{}", digest(&form))
    }
}
