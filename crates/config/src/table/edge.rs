//! Settings of the edge: who stands in front, and how much time and how many connections a client may take.

use super::{Kind, Setting, setting};

pub(super) const TRUSTED_PROXIES: Setting = setting(
    "trusted_proxies",
    "CIDR,…",
    Kind::List,
    None,
    "Addresses of reverse proxies whose report of the client's address counts, such as 10.0.0.0/8",
);
pub(super) const PROXY_HEADER: Setting = setting(
    "proxy_header",
    "NAME",
    Kind::Word(&["x-forwarded-for", "forwarded"]),
    Some("x-forwarded-for"),
    "The one header in which trusted proxies report it; the other one is ignored",
);
pub(super) const METRICS_TOKEN: Setting = setting(
    "metrics_token",
    "TOKEN",
    Kind::Secret,
    None,
    "The bearer token with which metrics are given to others than this machine",
);
pub(super) const MAX_CONNECTIONS: Setting = setting(
    "max_connections",
    "N",
    Kind::Number,
    Some("4000"),
    "Connections at a time; 16 more are answered on /healthz and /readyz, and 503 elsewhere",
);
pub(super) const HEADER_SECONDS: Setting = setting(
    "header_seconds",
    "N",
    Kind::Number,
    Some("10"),
    "How long the head of a request may take to arrive, from its first byte or from the start of the connection",
);
pub(super) const BODY_SECONDS: Setting =
    setting("body_seconds", "N", Kind::Number, Some("60"), "How long a body may take to arrive");
pub(super) const IDLE_SECONDS: Setting = setting(
    "idle_seconds",
    "N",
    Kind::Number,
    Some("75"),
    "How long a connection may wait for its next request; longer than a proxy in front keeps it",
);
pub(super) const WRITE_SECONDS: Setting = setting(
    "write_seconds",
    "N",
    Kind::Number,
    Some("30"),
    "How long a client may take nothing of an answer or a stream before its connection ends",
);
pub(super) const STREAMS_PER_PRINCIPAL: Setting = setting(
    "streams_per_principal",
    "N",
    Kind::Number,
    Some("8"),
    "Event streams of one principal at a time; all principals of one service key together have ten times as many",
);
pub(super) const STREAMS_PER_WORKSPACE: Setting = setting(
    "streams_per_workspace",
    "N",
    Kind::Number,
    Some("200"),
    "Event streams of one workspace at a time",
);
pub(super) const CONNECTOR_PROXY: Setting = setting(
    "connector_proxy",
    "URL",
    Kind::Url,
    None,
    "The HTTP proxy through which outside services are asked; HTTP_PROXY and its like are ignored",
);
