//! The attribute of tests that run on both databases. It reads only the test's name, so that it needs no
//! parser.

use proc_macro::{TokenStream, TokenTree};

/// Runs a test on both databases, as `name::sqlite` and `name::postgres`. The crate of the test needs `tokio`
/// with `macros` and `rt-multi-thread`.
///
/// ```text
/// #[both_databases]
/// async fn an_agent_survives(db: TestDb) {
///     let world = seed(&db, &clock(), &TestIds::default()).await;
/// }
/// ```
#[proc_macro_attribute]
pub fn both_databases(_: TokenStream, mut test: TokenStream) -> TokenStream {
    let mut tokens = test.clone().into_iter();
    let name = if tokens.any(|token| token.to_string() == "fn") { tokens.next() } else { None };
    let added = name.map_or_else(
        || "compile_error!(\"`both_databases` stands before an `async fn` that takes a `TestDb`\");".into(),
        |name| module(&name),
    );
    test.extend(added.parse::<TokenStream>());
    test
}

/// Returns a module with the name of the function `name` and the two tests that call it.
fn module(name: &TokenTree) -> String {
    let case = |database: &str| {
        format!(
            "#[tokio::test(flavor = \"multi_thread\")]
            async fn {database}() {{ super::{name}(::toolcrib_testkit::{database}().await).await; }}"
        )
    };
    format!("mod {name} {{ {} {} }}", case("sqlite"), case("postgres"))
}
