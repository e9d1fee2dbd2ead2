//! Brave's web search. All its refusals of a request have one status.

use serde_json::{Value, json};

use super::{Asked, Reply, State};

pub fn answer(state: &State, asked: &Asked) -> Reply {
    let Some(token) = asked.header("x-subscription-token") else {
        let meta = json!({ "errors": [{ "loc": ["header", "x-subscription-token"], "type": "missing" }] });
        return refused("VALIDATION", meta);
    };
    if token != state.key {
        return refused("SUBSCRIPTION_TOKEN_INVALID", json!({}));
    }
    if asked.path != "/web/search" {
        return Reply::Empty(404);
    }
    let query = asked.parameter("q").unwrap_or_default();
    let is_long = query.chars().count() > 400 || query.split_whitespace().count() > 50;
    let fresh = asked.parameter("freshness").is_none_or(|text| ["pd", "pw", "pm", "py"].contains(&&*text));
    if query.is_empty() || is_long || !fresh {
        return refused(
            "VALIDATION",
            json!({ "errors": [{ "loc": ["query", "q"], "type": "string_too_long" }] }),
        );
    }
    let mut body =
        json!({ "type": "search", "query": { "original": query, "more_results_available": true } });
    if query.contains("Arival") {
        body["query"]["altered"] = json!(query.replace("Arival", "Arrival"));
    }
    if !query.contains("nothing") {
        let count: usize = asked.parameter("count").map_or(20, |text| text.parse().unwrap());
        body["web"] = json!({ "type": "search", "results": results(count, asked), "family_friendly": true });
    }
    Reply::With(200, ("x-ratelimit-remaining", "1, 1000"), body)
}

fn results(count: usize, asked: &Asked) -> Vec<Value> {
    let (open, close) = if asked.parameter("text_decorations").is_some_and(|text| text == "false") {
        ("", "")
    } else {
        ("<strong>", "</strong>")
    };
    let page = |number: usize| {
        json!({
            "title": format!("Page {number} &amp; more"), "url": format!("https://reviews.example/{number}"),
            "description": format!("A {open}review{close} of <b>Arrival</b>, it&#x27;s good"),
            "age": "May 1, 2025",
            "meta_url": { "hostname": "reviews.example" },
        })
    };
    let mut pages: Vec<Value> = (1..=count).map(page).collect();
    pages[1].as_object_mut().unwrap().remove("description");
    pages
}

fn refused(code: &str, meta: Value) -> Reply {
    let detail = "Unable to validate request parameter(s)";
    Reply::Json(
        422,
        json!({ "type": "ErrorResponse", "time": 1,
        "error": { "id": "x", "status": 422, "code": code, "detail": detail, "meta": meta } }),
    )
}
