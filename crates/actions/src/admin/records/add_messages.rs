//! Reports chat messages.

use toolcrib_engine::prelude::*;
use toolcrib_store::{
    agents, members,
    messages::{self, MessageRow},
    text,
};

use super::{
    SCOPE,
    batch::{Record, Stop},
};

toolcrib_model::closed_set! {
    "a message role",
    /// Author of the message.
    MessageRole {
        /// A person.
        User = "user",
        /// The model.
        Assistant = "assistant",
        /// A tool that the model called.
        Tool = "tool",
    }
}

/// One message.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Message {
    /// ID chosen by the client. Sending the same ID again has no effect.
    pub id: Id,
    /// Time of the message.
    pub at: Ts,
    /// Your ID of the chat. Admins and the users that its messages name can find it.
    pub chat_id: String,
    /// Member who wrote or received the message.
    pub user_id: Option<Id>,
    /// Agent that wrote or received the message.
    pub agent_id: Option<Id>,
    /// Author of the message.
    pub role: MessageRole,
    /// Text of the message.
    #[schemars(length(min = 1, max = 32_000))]
    pub text: String,
}

impl Record for Message {
    fn spec() -> Spec {
        Spec::program("records.add_messages", Level::Write, Permission::CHAT_READ).for_keys(SCOPE).describe(
            "Report messages of chats. Records with a known ID are skipped; invalid ones are listed in \
             `rejected`.",
        )
    }

    fn agent(&self) -> Option<Id> {
        self.agent_id
    }

    async fn keep(self, cx: &mut WriteCx<'_>) -> Result<(), Stop> {
        if let Some(user) = self.user_id
            && members::get(cx.tx, user).await?.is_none()
        {
            let message = "there is no such member of this workspace";
            return Err(Stop::wrong("/user_id", "not_found", message));
        }
        let row = MessageRow {
            id: self.id,
            occurred_at: self.at,
            chat_id: self.chat_id,
            user_id: self.user_id,
            agent_id: self.agent_id,
            role: self.role.as_str().to_owned(),
            tokens: text::tokens(&self.text),
            text: self.text,
        };
        if !messages::insert(cx.tx, &row).await? {
            return Err(Stop::Known);
        }
        if let Some(agent) = row.agent_id.filter(|_| self.role != MessageRole::User) {
            agents::set_last_active(cx.tx, agent, row.occurred_at).await?;
        }
        Ok(())
    }
}
