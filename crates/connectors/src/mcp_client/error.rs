//! Why a request to a server has no result.

use crate::upstream::{SendError, UnreadBody};

/// Why a request to a server has no result. `Display` is a sentence without the server's words, which stand
/// in `message`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum McpError {
    /// There is no response.
    #[error(transparent)]
    Send(#[from] SendError),
    /// The server refused the HTTP request.
    #[error("the MCP server answered with status {status}")]
    Refused {
        /// The HTTP status, which is an error.
        status: u16,
        /// `Retry-After`, in seconds.
        retry_after: Option<u64>,
        /// The beginning of the body, at most 2 KiB of visible text.
        message: String,
    },
    /// The server answered with an error of JSON-RPC.
    #[error("the MCP server answered with the error {code}")]
    Rpc {
        /// The error's code.
        code: i64,
        /// What the server says, at most 2 KiB of visible text.
        message: String,
    },
    /// The server does not know the session any more, so that it did not process the request.
    #[error("the MCP server has ended the session")]
    SessionEnded,
    /// The server asks for input of a user or a model. The client declared that it has none.
    #[error("the MCP server asks for input, which this service does not give")]
    NeedsInput,
    /// The body of the response was not kept.
    #[error("the MCP server's response can't be read: it has {0}")]
    Unread(UnreadBody),
    /// The response does not follow the protocol.
    #[error("the MCP server's response can't be used: {0}")]
    Protocol(&'static str),
}

impl McpError {
    /// Returns whether the server may have processed the request. Otherwise it was not sent, or the server
    /// says that it was not done.
    pub fn is_unknown(&self) -> bool {
        match self {
            Self::Send(error) => error.is_unknown(),
            Self::Refused { status, .. } => matches!(status, 502 | 504),
            Self::Unread(_) | Self::Protocol(_) => true,
            Self::Rpc { .. } | Self::SessionEnded | Self::NeedsInput => false,
        }
    }
}
