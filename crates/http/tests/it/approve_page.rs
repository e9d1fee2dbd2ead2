//! The page on which people approve: it is static and loads nothing from other hosts. Its behaviour in a
//! browser is tested in `tests/browser`.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use sha2::{Digest as _, Sha256};
use toolcrib_testkit::{TestDb, both_databases};

use crate::harness::App;

fn between<'t>(text: &'t str, begin: &str, end: &str) -> &'t str {
    let (_, rest) = text.split_once(begin).unwrap();
    rest.split_once(end).unwrap().0
}

#[both_databases]
async fn the_page_is_static_and_loads_nothing_else(db: TestDb) {
    let app = App::new(db).await;
    let page = app.anonymous().get("/approve/0197a000-0000-7000-8000-000000000000").await;
    assert_eq!((page.status.as_u16(), page.header("content-type")), (200, "text/html; charset=utf-8"));
    assert_eq!(
        page.text,
        app.anonymous().get("/approve/%3Cscript%3E").await.text,
        "nothing of the address is in it"
    );
    for outside in [
        "http:",
        "https:",
        "//",
        "src=",
        "href=",
        "onclick",
        "onload",
        "javascript:",
        "innerHTML",
        "localStorage",
        "sessionStorage",
        "document.cookie",
    ] {
        let script = between(&page.text, "<script>", "</script>");
        let text = page.text.replace(
            script,
            &script.lines().filter(|line| !line.trim().starts_with("//")).collect::<String>(),
        );
        assert!(!text.contains(outside), "{outside}");
    }
    let policy = page.header("content-security-policy");
    for (tag, directive) in [("script", "script-src"), ("style", "style-src")] {
        let inline = between(&page.text, &format!("<{tag}>"), &format!("</{tag}>"));
        let hash = STANDARD.encode(Sha256::digest(inline));
        assert!(policy.contains(&format!("{directive} 'sha256-{hash}';")), "{policy}");
    }
    for strict in [
        "default-src 'none'",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    ] {
        assert!(policy.contains(strict), "{policy}");
    }
    assert!(!policy.contains("unsafe"), "{policy}");
    assert_eq!(
        (page.header("x-frame-options"), page.header("referrer-policy"), page.header("cache-control")),
        ("DENY", "no-referrer", "no-store")
    );
}
