use super::{cues::MARKER, *};

fn texts(input: &str) -> Vec<&str> {
    split(input).iter().map(|clause| clause.text).collect()
}

#[test]
fn a_short_text_has_no_clauses() {
    assert_eq!(texts("Hi! Could you list the agents, please?"), [""; 0]);
    assert_eq!(texts(""), [""; 0]);
}

#[test]
fn a_text_is_split_into_sentences_and_long_sentences_into_parts() {
    let input = "We had visitors on Tuesday. The file v1.2 is old, as everybody here has known for a very \
                 long time, so delete it. Thanks!";
    assert_eq!(
        texts(input),
        [
            "We had visitors on Tuesday.",
            "The file v1.2 is old, as everybody here has known for a very long time, so delete it.",
            "Thanks!",
            "so delete it.",
            "The file v1.2 is old,",
            "as everybody here has known for a very long time,",
        ]
    );
}

#[test]
fn of_many_sentences_those_that_ask_are_kept() {
    let story = "It was a long day at work. ".repeat(40);
    let found = texts(&story);
    assert_eq!(found.len(), MAX_CLAUSES);
    let input = format!("{story}Could you show me the costs?");
    assert_eq!(texts(&input).first(), Some(&"Could you show me the costs?"));
}

#[test]
fn a_long_part_without_commas_is_split_into_windows() {
    let words: Vec<String> = (0..40).map(|i| format!("w{i}")).collect();
    let input = words.join(" ");
    let found = texts(&input);
    assert_eq!(found.first(), Some(&input.as_str()));
    assert_eq!(found.get(1), Some(&words.get(..14).unwrap_or_default().join(" ").as_str()));
    assert_eq!(found.get(2), Some(&words.get(7..21).unwrap_or_default().join(" ").as_str()));
    assert!(found.last().is_some_and(|last| last.ends_with("w39")), "{found:?}");
}

#[test]
fn what_asks_weighs_more_in_every_language() {
    for (request, story) in [
        ("Could you show me the costs?", "The costs were high in March."),
        ("and then list the agents", "the agents were busy then"),
        ("Zeig mir bitte die Kosten", "Die Kosten waren im März hoch"),
        ("¿Qué costes tenemos?", "Los costes son altos"),
        ("Montre-moi les coûts", "Les coûts sont élevés"),
    ] {
        assert!(log_weight(request) > log_weight(story), "{request}");
    }
    assert!(log_weight("they plead with us") < MARKER, "`i d` and `pls` are words, not letters");
}

#[test]
fn the_clauses_of_any_text_are_bounded() {
    for input in ["a,".repeat(100_000), ".".repeat(100_000), "ab ".repeat(100_000), "é, ".repeat(100_000)] {
        let total: usize = split(&input).iter().map(|clause| clause.text.len()).sum();
        assert!(total <= 5 * text::cut(&input).len(), "{total}");
    }
}
