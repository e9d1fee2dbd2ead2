//! The Railway connector against a small server that speaks its protocol.

use toolcrib_connectors::{
    UpstreamError,
    embedded::LogLevel,
    railway::{Deployment, Project, Railway},
};
use toolcrib_testkit::{NOW, outside};

fn client(url: &str, token: &str, environment: &str) -> Railway {
    let project = Project { id: outside::Railway::PROJECT.to_owned(), environment: environment.to_owned() };
    Railway::new(crate::client(url, Some(token)), project)
}

#[tokio::test]
async fn services_deployments_and_logs_are_read() {
    let server = outside::Railway::start().await;
    let railway = client(&server.url, outside::Railway::TOKEN, "production");
    let services = railway.services().await.unwrap();
    let states: Vec<(&str, Option<bool>)> = services
        .iter()
        .map(|one| (one.service.as_str(), one.deployment.as_ref().and_then(Deployment::up)))
        .collect();
    assert_eq!(states, [("api", Some(true)), ("web", None), ("worker", Some(false))]);
    let api = services[0].deployment.clone().unwrap();
    assert_eq!((api.id.as_str(), NOW.micros_since(api.created_at)), ("d-api", 7_199_877_000));
    let lines = railway.logs("api", &api.id, 2).await.unwrap();
    let texts: Vec<(&str, LogLevel)> = lines.iter().map(|line| (line.message.as_str(), line.level)).collect();
    assert_eq!(texts, [("listening", LogLevel::Info), ("Out of Memory", LogLevel::Error)]);
    // A caller's text is sent as a variable and never becomes a part of the query.
    let injected = railway.logs("api", "d\") { id } #", 2).await;
    assert!(matches!(injected, Err(UpstreamError::Refused(_))));
    let asked = server.requests();
    assert_eq!(asked[1]["query"], asked[2]["query"]);
    assert_eq!(asked[2]["variables"]["deployment"], "d\") { id } #");
    assert_eq!(client(&server.url, outside::Railway::TOKEN, "e-staging").services().await.unwrap().len(), 1);
}

#[tokio::test]
async fn refusals_are_faults_without_their_text() {
    let server = outside::Railway::start().await;
    for (token, environment) in [("another", "production"), (outside::Railway::TOKEN, "nowhere")] {
        let error = client(&server.url, token, environment).services().await.unwrap_err();
        assert!(matches!(&error, UpstreamError::Refused(_)), "{error}");
        assert_eq!(error.public_text(), "refused to answer");
    }
}
