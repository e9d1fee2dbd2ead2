//! Canonical JSON against the test vectors of RFC 8785.

use std::collections::HashSet;

use serde_json::{Value, json};
use toolcrib_model::parse_strict;

use super::{canonical, digest};

/// Appendix B of RFC 8785: the bits of a double and its text.
const NUMBERS: [(u64, &str); 24] = [
    (0x0000_0000_0000_0000, "0"),
    (0x8000_0000_0000_0000, "0"),
    (0x0000_0000_0000_0001, "5e-324"),
    (0x8000_0000_0000_0001, "-5e-324"),
    (0x7fef_ffff_ffff_ffff, "1.7976931348623157e+308"),
    (0xffef_ffff_ffff_ffff, "-1.7976931348623157e+308"),
    (0x4340_0000_0000_0000, "9007199254740992"),
    (0xc340_0000_0000_0000, "-9007199254740992"),
    (0x4430_0000_0000_0000, "295147905179352830000"),
    (0x44b5_2d02_c7e1_4af5, "9.999999999999997e+22"),
    (0x44b5_2d02_c7e1_4af6, "1e+23"),
    (0x44b5_2d02_c7e1_4af7, "1.0000000000000001e+23"),
    (0x444b_1ae4_d6e2_ef4e, "999999999999999700000"),
    (0x444b_1ae4_d6e2_ef4f, "999999999999999900000"),
    (0x444b_1ae4_d6e2_ef50, "1e+21"),
    (0x3eb0_c6f7_a0b5_ed8c, "9.999999999999997e-7"),
    (0x3eb0_c6f7_a0b5_ed8d, "0.000001"),
    (0x41b3_de43_5555_5553, "333333333.3333332"),
    (0x41b3_de43_5555_5554, "333333333.33333325"),
    (0x41b3_de43_5555_5555, "333333333.3333333"),
    (0x41b3_de43_5555_5556, "333333333.3333334"),
    (0x41b3_de43_5555_5557, "333333333.33333343"),
    (0xbecb_f647_612f_3696, "-0.0000033333333333333333"),
    (0x4314_3ff3_c1cb_0959, "1424953923781206.2"),
];

fn read(text: &str) -> Value {
    parse_strict(text.as_bytes()).unwrap()
}

#[test]
fn numbers_are_written_as_in_appendix_b() {
    for (bits, text) in NUMBERS {
        assert_eq!(canonical(&json!(f64::from_bits(bits))), text, "{bits:016x}");
    }
}

#[test]
fn what_is_no_number_is_not_written() {
    // The last two rows of appendix B, NaN and infinity: a JSON value can't contain them.
    for bits in [0x7fff_ffff_ffff_ffff, 0x7ff0_0000_0000_0000_u64] {
        assert_eq!(json!(f64::from_bits(bits)), Value::Null);
    }
    assert!(parse_strict(b"{\"n\":1e400}").is_err());
}

#[test]
fn values_are_written_as_in_section_3_2_2() {
    let given = r#"{
        "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
        "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
        "literals": [null, true, false]
    }"#;
    let expected = concat!(
        r#"{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"#,
        r#""string":"€$\u000f\nA'B\"\\\\\"/"}"#,
    );
    // Of the RFC's example, 333333333.33333329 is no double: it has a string of its own.
    assert_eq!(canonical(&read(given)), expected.replace("333333333.3333333,", "\"33333333333333329e-8\","));
    assert_eq!(canonical(&read(expected)), expected, "once more changes nothing");
}

#[test]
fn numbers_that_are_no_doubles_have_digests_of_their_own() {
    let different = [
        "9007199254740992",
        "9007199254740993",
        "-9007199254740993",
        "18446744073709551616",
        "18446744073709551617",
        "123456789012345678901234567890",
        "123456789012345678901234567891",
        "0.12345678901234567891",
        "0.12345678901234567892",
        "0",
        "1e-400",
        "1e-401",
    ];
    let digests: HashSet<String> = different.iter().map(|text| digest(&read(&format!("[{text}]")))).collect();
    assert_eq!(digests.len(), different.len());
    let equal = [
        ("9007199254740993", "9007199254740993.0"),
        ("18446744073709551617", "1844674407370955161.7e1"),
        ("100000000000000000000000", "1e23"),
        ("0.12345678901234567891", "12345678901234567891E-20"),
        ("0", "-0.000"),
    ];
    for (one, other) in equal {
        assert_eq!(digest(&read(&format!("[{one}]"))), digest(&read(&format!("[{other}]"))), "{one}");
    }
    assert_eq!(canonical(&read("[9007199254740993]")), r#"["9007199254740993"]"#);
}

#[test]
fn names_are_sorted_as_in_section_3_2_3() {
    let given = r#"{
        "\u20ac": "Euro Sign",
        "\r": "Carriage Return",
        "\ufb33": "Hebrew Letter Dalet With Dagesh",
        "1": "One",
        "\ud83d\ude00": "Emoji: Grinning Face",
        "\u0080": "Control",
        "\u00f6": "Latin Small Letter O With Diaeresis"
    }"#;
    let expected = "{\"\\r\":\"Carriage Return\",\"1\":\"One\",\"\u{80}\":\"Control\",\
        \"ö\":\"Latin Small Letter O With Diaeresis\",\"€\":\"Euro Sign\",\"😀\":\"Emoji: Grinning Face\",\
        \"\u{fb33}\":\"Hebrew Letter Dalet With Dagesh\"}";
    assert_eq!(canonical(&read(given)), expected);
}

#[test]
fn text_is_neither_sorted_by_a_language_nor_normalised() {
    let french = r#"{"peach":"1","péché":"2","pêche":"3","sin":"4"}"#;
    assert_eq!(canonical(&read(r#"{"sin":"4","pêche":"3","péché":"2","peach":"1"}"#)), french);
    assert_eq!(canonical(&read("{\"a\":\"A\\u030a\"}")), "{\"a\":\"A\u{30a}\"}");
    assert_ne!(digest(&json!({"a": "A\u{30a}"})), digest(&json!({"a": "Å"})));
}

#[test]
fn equal_values_have_equal_digests_however_they_were_written() {
    let spellings = [
        r#"{"a":1,"b":[1.0,"x"],"c":{"d":null,"e":-0}}"#,
        r#"{ "c": { "e": 0, "d": null }, "b": [ 1, "\u0078" ], "a": 1.0 }"#,
        r#"{"b":[1e0,"x"],"a":10e-1,"c":{"d":null,"e":0.0}}"#,
    ];
    let digests: Vec<String> = spellings.iter().map(|text| digest(&read(text))).collect();
    assert!(digests.windows(2).all(|pair| pair[0] == pair[1]), "{digests:?}");
    assert_ne!(
        digests[0],
        digest(&read(r#"{"a":1,"b":["x",1.0],"c":{"d":null,"e":0}}"#)),
        "lists have an order"
    );
}
