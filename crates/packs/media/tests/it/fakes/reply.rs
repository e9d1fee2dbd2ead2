//! What a fake answers if nothing is wrong.

use axum::{
    http::{StatusCode, header},
    response::{IntoResponse, Response},
};
use serde_json::Value;

pub enum Reply {
    /// Indented, as .NET writes it.
    Json(u16, Value),
    /// With a header.
    With(u16, (&'static str, &'static str), Value),
    Empty(u16),
}

impl IntoResponse for Reply {
    fn into_response(self) -> Response {
        let status = |status| StatusCode::from_u16(status).unwrap();
        let json = (header::CONTENT_TYPE, "application/json; charset=utf-8");
        match self {
            Self::Json(code, value) => {
                let text = serde_json::to_string_pretty(&value).unwrap();
                (status(code), [json, (header::VARY, "Accept")], text).into_response()
            }
            Self::With(code, extra, value) => {
                (status(code), [extra], Self::Json(code, value)).into_response()
            }
            Self::Empty(code) => status(code).into_response(),
        }
    }
}
