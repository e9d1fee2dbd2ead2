//! The enums of an agent's fields.

toolcrib_model::closed_set! {
    "an agent role",
    /// Kind of work of an agent.
    #[derive(Default)]
    AgentRole {
        /// Talks with people.
        #[default]
        Chatbot = "chatbot",
        /// Does recurring work.
        Worker = "worker",
        /// Collects information.
        Researcher = "researcher",
        /// Writes programs.
        Coder = "coder",
    }
}

toolcrib_model::closed_set! {
    "an agent status",
    /// Whether an agent may act.
    AgentStatus {
        /// May act.
        Active = "active",
        /// May not act, and its keys are refused.
        Inactive = "inactive",
    }
}
