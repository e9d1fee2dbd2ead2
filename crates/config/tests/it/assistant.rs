//! The operator's model provider.

use secrecy::ExposeSecret as _;
use toolcrib_config::{AssistantSettings, show};
use toolcrib_model::ModelFormat;

use super::{parse, refused};

const LOCAL: [&str; 2] = ["--assistant-provider", "http://127.0.0.1:11434/v1"];

fn with(provider: &str, more: &[&str]) -> AssistantSettings {
    parse(&[&["--assistant-provider", provider], more].concat(), &[]).unwrap().settings.assistant
}

#[test]
fn a_local_server_takes_one_setting() {
    let none = parse(&[], &[]).unwrap().settings.assistant;
    assert!(
        none.provider.is_none() && none.key.is_none() && none.models.is_empty() && none.context.is_none()
    );
    let local = with(LOCAL[1], &[]);
    assert_eq!(local.provider.unwrap().as_str(), LOCAL[1]);
    assert!(local.key.is_none() && local.models.is_empty() && local.context.is_none());
    let more =
        ["--assistant-key", "k", "--assistant-models", "qwen3:8b, org/m-2", "--assistant-context", "1000"];
    let all = with(LOCAL[1], &more);
    assert_eq!(all.key.unwrap().expose_secret(), "k");
    assert_eq!(all.models, ["qwen3:8b", "org/m-2"]);
    assert_eq!(all.context, Some(1_000));
    assert_eq!(none.lease.as_secs(), 15);
    assert_eq!(with(LOCAL[1], &["--assistant-lease-seconds", "300"]).lease.as_secs(), 300);
}

#[test]
fn the_host_decides_the_format_unless_it_is_set() {
    for (provider, format) in [
        (LOCAL[1], ModelFormat::OpenAi),
        ("https://api.openai.com/v1", ModelFormat::OpenAiResponses),
        ("https://API.OpenAI.com./v1", ModelFormat::OpenAiResponses),
        ("https://api.anthropic.com", ModelFormat::Anthropic),
        ("https://api.openai.com.example/v1", ModelFormat::OpenAi),
    ] {
        assert_eq!(with(provider, &[]).format, format, "{provider}");
    }
    let anthropic = with(LOCAL[1], &["--assistant-format", "anthropic"]);
    assert_eq!(anthropic.format, ModelFormat::Anthropic);
    let chat = ["--assistant-provider", "https://api.openai.com/v1", "--assistant-format", "openai"];
    assert!(refused(&chat).contains("must be openai_responses for api.openai.com"));
}

#[test]
fn the_key_is_never_shown() {
    let loaded = parse(&[&LOCAL[..], &["--assistant-key", "hunter2"]].concat(), &[]).unwrap();
    let text = format!("{} {loaded:?}", show(&loaded));
    assert!(!text.contains("hunter2"), "{text}");
    assert!(text.contains("assistant_key = \"***\"  # flag\n"), "{text}");
    assert!(text.contains("assistant_provider = \"http://127.0.0.1:11434/v1\"  # flag\n"), "{text}");
}

#[test]
fn mistakes_name_the_setting_to_change() {
    for (flag, value) in [("key", "k"), ("models", "m"), ("format", "openai"), ("context", "8000")] {
        let flag = format!("--assistant-{flag}");
        let text = refused(&[&flag, value]);
        assert!(text.starts_with(&format!("`{flag}` needs `--assistant-provider`")), "{text}");
    }
    for (provider, says) in [
        ("127.0.0.1:11434", "must begin with https:// or http://"),
        ("http://:80", "must be a URL, such as"),
        ("https://u:hunter2@models.test/v1", "set `--assistant-key`"),
        ("https://models.test/v1?key=hunter2", "must not have a query"),
        ("https://models.test/v1#hunter2", "must not have a query or a fragment"),
    ] {
        let text = refused(&["--assistant-provider", provider]);
        assert!(text.starts_with("`--assistant-provider` ") && text.contains(says), "{text}");
        assert!(!text.contains("hunter2"), "{text}");
    }
    let names = |count: u32| (0..count).map(|at| format!("m{at}")).collect::<Vec<_>>().join(",");
    assert_eq!(with(LOCAL[1], &["--assistant-models", &names(50)]).models.len(), 50);
    let long = "m".repeat(201);
    for (flag, value, says) in [
        ("--assistant-key", "Bearer hunter2", "without `Bearer`"),
        ("--assistant-models", "a b", "not `a b`"),
        ("--assistant-models", &long, "at most 200"),
        ("--assistant-models", "a,b,a", "names `a` twice"),
        ("--assistant-models", &names(51), "at most 50 names"),
        ("--assistant-format", "gemini", "must be openai, openai_responses or anthropic"),
        ("--assistant-context", "999", "from 1000 to"),
        ("--assistant-context", "8k", "from 1000 to"),
        ("--assistant-lease-seconds", "0", "from 1 to 300"),
        ("--assistant-lease-seconds", "301", "from 1 to 300"),
    ] {
        let text = refused(&[&LOCAL[..], &[flag, value]].concat());
        assert!(text.starts_with(&format!("`{flag}` ")) && text.contains(says), "{text}");
        assert!(!text.contains("hunter2"), "{text}");
    }
}
