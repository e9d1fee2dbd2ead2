//! The names of callers in notifications.

use toolcrib_model::Ts;

use super::*;

const ID: Id = Id::from_u128(1);

fn member(display_name: &str) -> MemberRow {
    MemberRow {
        user_id: ID,
        issuer: "issuer".into(),
        subject: "subject".into(),
        display_name: Some(display_name.into()),
        role: "member".into(),
        active: true,
        created_at: Ts::from_micros(0),
        updated_at: Ts::from_micros(0),
    }
}

#[test]
fn people_read_who_it_was() {
    let user = Principal::User { user_id: ID };
    let agent = Principal::Agent { agent_id: ID, runs_as: ID };
    let for_member = Principal::Service { key_id: ID, on_behalf_of: Some(ID) };
    let alone = Principal::Service { key_id: ID, on_behalf_of: None };
    let operator = Principal::Operator { key_id: ID };
    let anna = member("Anna");
    for (principal, slug, member, expected) in [
        (user, None, Some(&anna), "Anna"),
        (user, None, None, "a member"),
        (user, None, Some(&member("0170 1234567")), "a member"),
        (user, None, Some(&member("An\u{202e}na")), "An\\u{202e}na"),
        (agent, Some("scout"), Some(&anna), "the agent `scout` of Anna"),
        (agent, Some("scout"), None, "the agent `scout` of a member"),
        (agent, None, Some(&anna), "an agent of Anna"),
        (for_member, None, Some(&anna), "Anna"),
        (alone, None, None, "an application"),
        (operator, None, None, "an application"),
    ] {
        assert_eq!(who(&principal, slug, member), expected);
    }
}

#[test]
fn a_sentence_begins_with_a_capital() {
    assert_eq!([capital("a member"), capital("änne"), capital("")], ["A member", "Änne", ""]);
}
