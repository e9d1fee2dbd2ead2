//! Shows the tool list that another caller gets.

use toolcrib_access::{Caller, Principal, capped};
use toolcrib_engine::{
    CallerTools,
    lists::{ListOptions, ListPlan, ListRequest, Strategy, ToolList, make_list},
    mask_query,
    prelude::*,
};
use toolcrib_model::Role;
use toolcrib_registry::Detail;
use toolcrib_store::agents;

use super::words::{imagined, known_caller_type};

pub struct AccessTools;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// Role of the imagined caller. Default: your own.
    pub role: Option<Role>,
    /// Caller type of the imagined caller. Default: `api`.
    #[schemars(length(min = 1, max = 40))]
    pub caller_type: Option<String>,
    /// Slug of an agent: the list is that of the agent, which acts for a member with the role.
    #[schemars(length(min = 1, max = 200))]
    pub caller_name: Option<String>,
    /// The list.
    #[serde(flatten)]
    pub options: ListOptions,
}

/// Result of the operation.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Role of the caller. An agent has at most the role `editor`, unless the settings say otherwise.
    pub role: Option<Role>,
    /// Caller type.
    pub caller_type: String,
    /// Every caller type that may be asked for.
    pub caller_types: Vec<String>,
    /// What `GET /v1/tools` answers to this caller.
    pub list: ToolList,
    /// Size of that answer in bytes.
    pub bytes: usize,
    /// The list of the same caller by each strategy, with the same other options.
    pub strategies: Vec<StrategyView>,
}

/// The size of a list by one strategy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct StrategyView {
    /// How the list is put together.
    pub strategy: Strategy,
    /// How much the dispatcher says about its actions.
    pub detail: Detail,
    /// Number of tools; null if there is no such list.
    pub tools: Option<usize>,
    /// About how many tokens the tools cost; null if there is no such list.
    pub tokens: Option<usize>,
    /// Why there is no such list, such as a budget that is too small; null if there is one.
    pub reason: Option<String>,
}

impl ReadAction for AccessTools {
    type Input = Input;
    type Output = Output;

    fn spec() -> Spec {
        Spec::program("access.tools", Level::Read, Permission::AUDIT_READ).describe(
            "Show the tool list that a caller with a role and caller type gets, and the size of its list by each strategy.",
        )
    }

    async fn run(&self, cx: &mut ReadCx<'_>, input: &Input) -> Result<Output, ActionError> {
        let known = cx.tools.catalog.rules().caller_types.clone();
        let caller_type = known_caller_type(&known, "/caller_type", input.caller_type.as_deref())?;
        let caller = caller(cx, input, caller_type).await?;
        let tools = cx.tools_of(&caller).await?;
        let asked = ListRequest::from(input.options.clone());
        let asked = match asked.query_with_names() {
            Some(query) => {
                let masked = mask_query(cx.tx, tools.catalog.search(), query).await?;
                asked.with_masked(masked).into_owned()
            }
            None => asked,
        };
        let (list, strategies) = tools.catalog.compute(|| lists(&tools, &asked))?;
        let bytes =
            serde_json::to_vec(&list).map_err(|error| ActionError::internal(error.to_string()))?.len();
        let caller_type = caller_type.to_owned();
        Ok(Output { role: caller.role, caller_type, caller_types: known, list, bytes, strategies })
    }

    fn describe(_: &Input, output: &Output) -> String {
        format!("{} that cost about {} tokens", count(output.list.count(), "tool"), output.list.tokens)
    }
}

/// Returns the imagined caller: a person, or the agent with this slug if there is one.
async fn caller(cx: &mut ReadCx<'_>, input: &Input, caller_type: &str) -> Result<Caller, ActionError> {
    let (role, name) = (input.role.or(cx.caller.role), input.caller_name.as_deref());
    let caller = imagined(cx.caller.workspace, Id::nil(), role, caller_type, name);
    let agent = match name {
        Some(slug) => agents::by_slug(cx.tx, slug).await?,
        None => None,
    };
    let Some(agent) = agent else { return Ok(caller) };
    let principal = Principal::Agent { agent_id: agent.id, runs_as: Id::nil() };
    Ok(Caller { principal, role: role.map(|role| capped(role, cx.policy)), ..caller })
}

/// Makes the list that is asked for, and measures those of the other strategies.
fn lists(tools: &CallerTools<'_>, asked: &ListRequest) -> Result<(ToolList, Vec<StrategyView>), ActionError> {
    let list = make_list(tools, &ListPlan::of(tools, asked))?;
    let detail = asked.options.detail;
    let compared = [
        (Strategy::Full, Detail::Signatures),
        (Strategy::Full, Detail::Names),
        (Strategy::Filtered, detail),
        (Strategy::DispatcherOnly, detail),
        (Strategy::All, detail),
    ];
    let strategies = compared.into_iter().map(|(strategy, detail)| {
        let options = ListOptions { strategy, detail, ..asked.options.clone() };
        if options == asked.options {
            return Ok(measured(strategy, detail, &list));
        }
        let plan = ListPlan::of(tools, &ListRequest { options, context: None });
        match make_list(tools, &plan) {
            Ok(list) => Ok(measured(strategy, detail, &list)),
            Err(error) if error.code == ErrorCode::InvalidArguments => Ok(StrategyView {
                strategy,
                detail,
                tools: None,
                tokens: None,
                reason: Some(error.errors.first().map_or(error.detail, |one| one.message.clone())),
            }),
            Err(error) => Err(error),
        }
    });
    let strategies = strategies.collect::<Result<_, _>>()?;
    Ok((list, strategies))
}

fn measured(strategy: Strategy, detail: Detail, list: &ToolList) -> StrategyView {
    StrategyView { strategy, detail, tools: Some(list.count()), tokens: Some(list.tokens), reason: None }
}
