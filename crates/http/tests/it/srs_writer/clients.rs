//! The clients of the table's callers.

use serde_json::json;

use super::table::{AccessTable, TableCaller};
use crate::harness::{App, Client};

/// The clients of the callers: a service key that acts for the owner under one of six types, an agent of
/// each name, and a person.
pub struct Clients<'a> {
    app: &'a App,
    service: Client<'a>,
    agents: Vec<(&'static str, Client<'a>)>,
}

impl<'a> Clients<'a> {
    /// Makes the agents and the keys.
    pub async fn new(app: &'a App, table: &AccessTable) -> Self {
        // A caller with every right but the one that the table is about.
        let owner = app.owner();
        owner.send("PATCH", "/v1/settings", json!({"agents_inherit_admin": true})).await.ok(200);
        let types: Vec<&str> = table
            .callers
            .iter()
            .filter(|caller| caller.is_service())
            .map(|caller| caller.caller_type)
            .collect();
        let service = json!({
            "kind": "service", "name": "extension", "role": "editor", "caller_types": types,
            "scopes": ["*:*", "srs-writer:*", "act_as"]
        });
        let me = owner.get("/v1/me").await.ok(200);
        let me = me["user"]["user_id"].as_str().unwrap();
        let service = app.with_key(service).await.with("X-On-Behalf-Of", me);
        let mut agents = Vec::new();
        for name in table.callers.iter().filter_map(|caller| caller.agent) {
            let made = owner.run("create_agent", json!({ "name": name })).await.ok(200);
            let key = json!({
                "kind": "agent", "name": name, "agent": made["data"]["id"], "caller_types": ["mission"],
                "scopes": ["*:*", "srs-writer:*"]
            });
            agents.push((name, app.with_key(key).await));
        }
        Self { app, service, agents }
    }

    /// The client of a caller, in a session of its own.
    pub fn client(&self, caller: &TableCaller) -> Client<'a> {
        let client = match caller.agent {
            Some(name) => self.agents.iter().find(|(known, _)| *known == name).unwrap().1.clone(),
            None if caller.is_service() => self.service.clone(),
            None => self.app.owner(),
        };
        client.with("X-Caller-Type", caller.caller_type).with("X-Session-Id", caller.label)
    }
}
