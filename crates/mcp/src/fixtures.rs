//! The tools, resources and prompts that the protocol's conformance suite expects, in addition to our own
//! tools. Behind a hidden flag, only for tests. The fixtures don't use the engine.
#![expect(deprecated, reason = "the suite asks for logging until its revisions are gone")]

use std::{io, sync::Arc};

use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, CompleteRequestParams, CompleteResult, DiscoverResult,
        GetPromptRequestParams, GetPromptResponse, ListPromptsResult, ListResourceTemplatesResult,
        ListResourcesResult, ListToolsResult, PaginatedRequestParams, ReadResourceRequestParams,
        ReadResourceResponse, ServerCapabilities, ServerConfig, SetLevelRequestMethod, SetLevelRequestParams,
        SubscribeRequestParams, Tool, UnsubscribeRequestParams,
    },
    service::RequestContext,
};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::{call::newest, handler::McpServer, request_state::StateCipher};

mod prompts;
mod resources;
mod rounds;
mod talking;
mod tools;

/// Our own server with the fixtures of the suite.
#[derive(Clone)]
pub struct Fixtures {
    platform: McpServer,
    tools: Arc<[Tool]>,
    rounds: rounds::Rounds,
}

/// Converts a fixture to a type of the protocol.
fn read<T: DeserializeOwned>(value: Value) -> Result<T, ErrorData> {
    serde_json::from_value(value).map_err(|error| ErrorData::internal_error(error.to_string(), None))
}

impl Fixtures {
    /// Wraps our own server.
    pub fn new(platform: McpServer, state_cipher: StateCipher) -> io::Result<Self> {
        let tools: Vec<Tool> = serde_json::from_value(tools::all())?;
        Ok(Self { platform, tools: tools.into(), rounds: rounds::Rounds::new(state_cipher) })
    }
}

impl ServerHandler for Fixtures {
    fn get_info(&self) -> ServerConfig {
        let mut info = self.platform.get_info();
        let capabilities = json!({
            "tools": {}, "prompts": {}, "completions": {}, "logging": {}, "resources": { "subscribe": true },
        });
        info.capabilities = serde_json::from_value(capabilities).unwrap_or_default();
        info
    }

    /// Declares only the capabilities that work without sessions.
    async fn discover(&self, _: RequestContext<RoleServer>) -> Result<DiscoverResult, ErrorData> {
        let mut info = self.get_info();
        info.capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_prompts()
            .enable_resources()
            .enable_completions()
            .build();
        Ok(DiscoverResult::from_server_info(self.supported_protocol_versions().into_owned(), info))
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let mut list = self.platform.list_tools(request, context).await?;
        list.tools.extend(self.tools.iter().cloned());
        Ok(list)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        if !self.tools.iter().any(|tool| tool.name == request.name) {
            return self.platform.call_tool(request, context).await;
        }
        if let Some(result) = tools::with_fixtures(&request.name) {
            return Ok(CallToolResponse::Complete(read(result)?));
        }
        if talking::knows(&request.name) {
            return talking::call(&request, &context).await;
        }
        let (state, responses) = (request.request_state.as_deref(), request.input_responses.as_ref());
        let able = context.client_capabilities().unwrap_or_default();
        Ok(match self.rounds.next(&request.name, state, responses, &able)? {
            Some(asked) => CallToolResponse::InputRequired(asked),
            None => CallToolResponse::Complete(read(rounds::done(responses))?),
        })
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(ListPromptsResult::with_all_items(read(prompts::all())?))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        if request.name == rounds::PROMPT {
            let (state, responses) = (request.request_state.as_deref(), request.input_responses.as_ref());
            let able = context.client_capabilities().unwrap_or_default();
            if let Some(asked) = self.rounds.next(&request.name, state, responses, &able)? {
                return Ok(GetPromptResponse::InputRequired(asked));
            }
        }
        let arguments = Value::Object(request.arguments.unwrap_or_default());
        let prompt = prompts::one(&request.name, &arguments)
            .ok_or_else(|| ErrorData::invalid_params("there is no such prompt", None))?;
        Ok(GetPromptResponse::Complete(read(prompt)?))
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Ok(ListResourcesResult::with_all_items(read(resources::all())?))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(read(resources::templates())?))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let found = resources::one(&request.uri).ok_or_else(|| {
            ErrorData::resource_not_found("there is no such resource", Some(json!({ "uri": request.uri })))
        })?;
        Ok(ReadResourceResponse::Complete(read(found)?))
    }

    async fn subscribe(
        &self,
        _: SubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        Ok(())
    }

    async fn unsubscribe(
        &self,
        _: UnsubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        Ok(())
    }

    async fn set_level(
        &self,
        _: SetLevelRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        if newest(&context) {
            return Err(ErrorData::method_not_found::<SetLevelRequestMethod>());
        }
        Ok(())
    }

    async fn complete(
        &self,
        _: CompleteRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let completion = json!({ "values": ["paris", "park", "party"], "total": 3, "hasMore": false });
        read(json!({ "completion": completion, "resultType": "complete" }))
    }
}
