//! The closed sets of values in calls that run outside this service.

closed_set! {
    "an executor",
    /// What runs a declared tool.
    ExecutorKind {
        /// This service calls a REST service.
        Http = "http",
        /// This service calls an MCP server.
        Mcp = "mcp",
        /// The caller runs the tool.
        Client = "client",
    }
}
