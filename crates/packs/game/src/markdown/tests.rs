//! Hostile documents, and random systems that are written and read back.

use std::fmt::Write as _;

use super::{lines, *};

/// What a document says, in one line: its systems and warnings, or its defects.
fn outcome(document: &str) -> String {
    let notes = |notes: &[Note]| {
        let notes = notes.iter().map(|note| format!(" {}:{}:{}", note.line, note.section, note.message));
        notes.collect::<Vec<_>>().concat()
    };
    let document = match parse(document) {
        Ok(document) => document,
        Err(defects) => return format!("bad{}", notes(&defects)),
    };
    let mut said = String::new();
    for system in &document.systems {
        write!(said, "{}={}", system.slug, system.name).unwrap();
        for ((field, _), text) in Texts::FIELDS.iter().zip(system.texts.all()) {
            if let Some(text) = text {
                write!(said, " {field}:{text:?}").unwrap();
            }
        }
        for (slug, kind) in &system.dependencies {
            write!(said, " {slug}/{kind}").unwrap();
        }
        said += "; ";
    }
    said.trim_end_matches("; ").to_owned() + &notes(&document.warnings)
}

/// The document of a system `A` with these sections.
fn a(sections: &str) -> String {
    format!("# System: A\n## System ID\na\n{sections}")
}

fn check(cases: &[(String, &str)]) {
    for (document, expected) in cases {
        assert_eq!(outcome(document), *expected, "{document:?}");
    }
}

#[test]
fn headings_split_only_where_they_are_headings() {
    check(&[
        (a(""), "a=A"),
        (a("## Purpose\nx\n\n```\n## Inputs\n```\ny"), r#"a=A purpose:"x\n\n```\n## Inputs\n```\ny""#),
        (a("## Purpose\n~~~md\n# System: B\n~~~\n"), r#"a=A purpose:"~~~md\n# System: B\n~~~""#),
        (a("## Purpose\n```\n## Inputs\nnever closed"), r#"a=A purpose:"```\n## Inputs\nnever closed""#),
        (a("## Purpose\n- x\n  ## Inputs\n- y"), r#"a=A purpose:"- x\n  ## Inputs\n- y""#),
        (a("## Purpose\n> ## Inputs\n> x"), r#"a=A purpose:"> ## Inputs\n> x""#),
        (a("## Purpose\n\n    ## Inputs\n"), r#"a=A purpose:"    ## Inputs""#),
        (a("## Purpose\nInputs\n------\nx"), r#"a=A purpose:"Inputs\n------\nx""#),
        (a("## Purpose\nB\n=\nx"), r#"a=A purpose:"B\n=\nx""#),
        (a("## Purpose\n### Inputs\nx"), r####"a=A purpose:"### Inputs\nx""####),
        (a("## Purpose\n##Inputs\nx"), r###"a=A purpose:"##Inputs\nx""###),
        (a("## Purpose\n\\## Inputs\nx"), r#"a=A purpose:"\\## Inputs\nx""#),
        (a("## Purpose\n<!--\n## Inputs\nx\n-->\ny"), r#"a=A purpose:"<!--\n## Inputs\nx\n-->\ny""#),
        (a("## Purpose\n<pre>\n\n## Inputs\n</pre>"), r#"a=A purpose:"<pre>\n\n## Inputs\n</pre>""#),
        (a("   ## Purpose ##\nx\n## Inputs #####   \ny"), r#"a=A purpose:"x" inputs:"y""#),
        (a("## Purpose\n- x\n## Inputs\ny"), r#"a=A purpose:"- x" inputs:"y""#),
        (a("## Purpose\n```\nx\n````\n## Inputs\ny"), r#"a=A purpose:"```\nx\n````" inputs:"y""#),
    ]);
}

#[test]
fn sections_are_found_in_any_case_and_order() {
    check(&[
        (a("## INPUTS:\nx\n## purpose\ny"), r#"a=A purpose:"y" inputs:"x""#),
        (a("##   Core \t Mechanics\nx"), r#"a=A core_mechanics:"x""#),
        (
            "## Purpose\nx\n".to_owned() + &a(""),
            "a=A 1:Purpose:The section belongs to no system and is not read",
        ),
        ("# A\n## Purpose\nx\n## System ID\n`a`\n".to_owned(), r#"a=A purpose:"x""#),
        (
            a("## Lore\nx\n## Purpose\ny"),
            r#"a=A purpose:"y" 4:Lore:The section is not known and is not read"#,
        ),
        (a("## Purpose\n\n \n\n## Inputs\n \n  x  \n\n"), r#"a=A inputs:"  x""#),
        (
            a("## Status\nNice\n"),
            "bad 4:Status:`nice` is not one of its words; they are `draft`, `review`, `approved`, \
             `implemented`, `deprecated`",
        ),
        (a("## Status\nApproved\n## MVP Criticality\nNice-to have\n"), "a=A"),
        (a("## Version\n3\n## Depended On By\n- b\n## Change Log\n- x\n"), "a=A"),
        ("Hello\n\n".to_owned() + &a(""), "a=A 1::The text before the first system is not read"),
        (
            "# A\nHello\n## System ID\na".to_owned(),
            "a=A 1:System:The text before the first section is not read",
        ),
    ]);
}

#[test]
fn every_defect_is_told_at_once() {
    let long = format!("# {}\n## System ID\na\n", "x".repeat(201));
    let many: String = (0..51).fold(String::new(), |all, at| format!("{all}# S\n## System ID\ns{at}\n"));
    let text = "x".repeat(32 * 1024);
    let bad = "# \u{202e}\n## Status\nx\n## Purpose\n## Purpose\n# B\n## System ID\nB";
    check(&[
        (
            String::new(),
            "bad 1::The document has no system: each begins with a line such as `# System: Combat`",
        ),
        ("# A".into(), "bad 1:System ID:The section is missing"),
        ("# System:\n## System ID\na".into(), "bad 1:System:The heading has no name"),
        ("#\n## System ID\na".into(), "bad 1:System:The heading has no name"),
        (long, "bad 1:System:The name has more than 200 characters"),
        (many, "bad 151:System:A document has at most 50 systems"),
        (a("# B\n## System ID\na\n"), "bad 5:System ID:`a` is the slug of another system, in line 2"),
        (a(&format!("## Purpose\n{text}y")), "bad 4:Purpose:The text has more than 32768 bytes"),
        (a("## Dependencies\n- a\n"), "bad 2:Dependencies:`a` can't depend on itself"),
        (
            bad.into(),
            "bad 1:System:The name contains the character `\\u{202e}` 1:System ID:The section is missing \
             2:Status:`x` is not one of its words; they are `draft`, `review`, `approved`, \
             `implemented`, `deprecated` 5:Purpose:The section is there twice \
             7:System ID:The slug must be in lower case: `b`",
        ),
        (
            "# A\n## System ID\na b".into(),
            "bad 2:System ID:The slug must be lower-case letters, digits, `-` and `_`, without ` `",
        ),
        (
            "# 0190d0a5-2b3c-7000-8000-000000000001\n## System ID\na".into(),
            "bad 1:System:The name must not look like an ID",
        ),
        (
            "# A\n## System ID\n0190d0a5-2b3c-7000-8000-000000000001".into(),
            "bad 2:System ID:The slug must not look like an ID",
        ),
    ]);
    assert!(outcome(&a(&format!("## Purpose\n{text}"))).starts_with("a=A purpose"));
}

#[test]
fn many_notes_are_counted() {
    let lines = |count: usize, line: fn(usize) -> String| (0..count).map(line).collect::<Vec<_>>().concat();
    let read = parse(&a(&lines(150, |at| format!("## S{at}\nx\n")))).unwrap().warnings;
    assert_eq!((read.len(), read[99].section.as_str()), (101, "S99"));
    let last = Note { line: 202, section: String::new(), message: "And 50 more".into() };
    assert_eq!(read[100], last);
    let defects = parse(&"# A\n".repeat(1_000)).unwrap_err();
    assert_eq!((defects.len(), defects[100].message.as_str()), (101, "And 901 more"));
    let many = lines(2_001, |at| format!("- d{at}\n"));
    let all = parse(&a(&format!("## Dependencies\n{}", many.trim_end_matches("- d2000\n"))));
    assert_eq!(all.unwrap().systems[0].dependencies.len(), 2_000);
    let too_many = outcome(&a(&format!("## Dependencies\n{many}")));
    assert_eq!(too_many, "bad 4:Dependencies:A system has at most 2000 dependencies");
}

#[test]
fn dependencies_are_lists_of_slugs() {
    let unread = "4:Dependencies:`Some prose` names no slug and is not read";
    check(&[
        (
            a("## Dependencies\n- b\n* c (enhances)\n+ `d` (OPTIONAL)\n"),
            "a=A b/requires c/enhances d/optional",
        ),
        (a("## Dependencies\n1. b: hits, damage\n2) c (optional) for more\n"), "a=A b/requires c/optional"),
        (a("## Dependencies\nb, c (enhances), `d`"), "a=A b/requires c/enhances d/requires"),
        (a("## Dependencies\nNone.\n"), "a=A"),
        (a("## Dependencies\n\n- b (requires)\n\n"), "a=A b/requires"),
        (a("## Dependencies\nSome prose\n- b"), &format!("a=A b/requires {unread}")),
        (a("## Dependencies\n- b\n- b (optional)"), "a=A b/requires 4:Dependencies:`b` is there twice"),
    ]);
}

#[test]
fn line_ends_and_marks_of_editors_are_fine() {
    let unix = a("## Purpose\nx\n\n```\n## y\n```\n## Dependencies\n- b\n");
    let expected = r#"a=A purpose:"x\n\n```\n## y\n```" b/requires"#;
    check(&[
        (unix.replace('\n', "\r\n"), expected),
        (format!("\u{feff}{unix}"), expected),
        (format!("\u{feff}{}", unix.replace('\n', "\r\n")), expected),
        // A CR in a document of another system is a part of the text.
        (a("## Purpose\nx\r\ny"), r#"a=A purpose:"x\r\ny""#),
        (a("## Purpose\n\0\u{2028}x"), r#"a=A purpose:"\0\u{2028}x""#),
    ]);
}

#[test]
fn a_fence_keeps_a_text_that_could_not_stand_as_it_is() {
    check(&[
        (a("## Purpose\n~~~ verbatim\n## x\n \n~~~\n"), r###"a=A purpose:"## x\n ""###),
        (a("## Purpose\n~~~~ verbatim\n~~~\n~~~~\n"), r#"a=A purpose:"~~~""#),
        // It is the whole text, or not a fence of ours.
        (a("## Purpose\n~~~ verbatim\nx\n~~~\ny"), r#"a=A purpose:"~~~ verbatim\nx\n~~~\ny""#),
        (a("## Purpose\n~~~ verbatim\n~~~"), r#"a=A purpose:"~~~ verbatim\n~~~""#),
    ]);
    let mut plain = String::new();
    section(&mut plain, "Purpose", Some("x\n\n```\n## y\n```\n\n- z"));
    assert_eq!(plain, "\n## Purpose\n\nx\n\n```\n## y\n```\n\n- z\n");
    assert_eq!(lines::fenced("a ~~~~ b"), "~~~~~ verbatim\na ~~~~ b\n~~~~~");
}

/// A small generator (xorshift), so that a failure can be repeated.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % end as u64).unwrap()
    }

    fn one<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }

    fn text(&mut self, parts: &[&str], most: usize) -> String {
        (0..=self.below(most)).map(|_| self.one(parts)).collect()
    }

    fn system(&mut self) -> Described {
        let name = self.text(&NAMES, 8).trim().to_owned();
        let mut system = Described {
            name: if name.is_empty() { "A".into() } else { name },
            slug: self.text(&["a", "b-", "0_", "c"], 9),
            status: Some(self.one(SystemStatus::ALL)),
            mvp_criticality: Some(self.one(Criticality::ALL)),
            ..Described::default()
        };
        for text in system.texts.all_mut() {
            *text = (self.below(4) > 0).then(|| self.text(&HOSTILE, 14));
        }
        for field in [&mut system.version, &mut system.depended_on_by, &mut system.change_log] {
            *field = (self.below(2) > 0).then(|| self.text(&HOSTILE, 14));
        }
        let slugs =
            ["z", "y-1", "x_2"].iter().map(|slug| ((*slug).to_owned(), self.one(DependencyType::ALL)));
        system.dependencies = slugs.collect();
        system
    }
}

const NAMES: [&str; 14] =
    ["#", " ", "System:", "a", "*b*", "`c`", "\\", "&amp;", "[x](y)", "é", "<i>", "-", "=", "# # "];

/// What a text is made of: all that begins, ends or looks like structure, and all line ends.
const HOSTILE: [&str; 46] = [
    "\n",
    "\n",
    "\n\n",
    "\r\n",
    "\r",
    " ",
    "    ",
    "\t",
    "\u{feff}",
    "\u{a0}",
    "\u{2028}",
    "\u{b}",
    "x",
    "y z",
    "# System: B\n",
    "## Purpose\n",
    "## System ID\n",
    "##",
    "#",
    " ## Inputs ##\n",
    "```\n",
    "```md\n",
    "````",
    "~~~\n",
    "~~~ verbatim\n",
    "\n~~~\n",
    "~~~~~",
    "---\n",
    "===\n",
    "- ",
    "1. ",
    "> ",
    "* * *\n",
    "<!--",
    "-->",
    "<script>",
    "</script>\n",
    "<pre>\n",
    "<![CDATA[",
    "]]>",
    "<div>\n",
    "[a]: ",
    "[a]:\n",
    "\\",
    "`",
    "| a |\n",
];

#[test]
fn five_hundred_hostile_systems_are_read_as_they_were_written() {
    let mut random = Random(0x5EED_0001);
    let mut fences = 0;
    for round in 0..500 {
        let system = random.system();
        let document = render(&system);
        fences += document.matches("verbatim").count();
        let read = parse(&document).unwrap_or_else(|defects| panic!("{round}: {defects:?}\n{document}"));
        assert_eq!((read.systems, read.warnings), (vec![system], vec![]), "{round}\n{document}");
    }
    assert!(fences > 500, "{fences} fences: the texts are not hostile");
}

#[test]
fn documents_of_several_hostile_systems_are_read_too() {
    let mut random = Random(0x5EED_0002);
    for round in 0..50 {
        let mut systems: Vec<Described> = (0..4).map(|_| random.system()).collect();
        for (at, system) in systems.iter_mut().enumerate() {
            write!(system.slug, "{at}").unwrap();
        }
        let document: String = systems.iter().map(|system| render(system) + "\n").collect();
        assert_eq!(parse(&document).unwrap().systems, systems, "{round}\n{document}");
    }
}

#[test]
fn garbage_of_the_largest_size_is_read_in_time() {
    let began = std::time::Instant::now();
    for part in ["# ", "## x\n", "> ", "- ", "[", "```\n", "<", "*a_", "](", "&#"] {
        let _ = parse(&part.repeat(256 * 1024 / part.len()));
    }
    assert!(began.elapsed().as_secs() < 20, "{:?}", began.elapsed());
}

/// A document of the largest size, whose parts all differ.
fn largest(begin: &str, part: fn(usize) -> String) -> String {
    let mut document = a(begin);
    for at in 0.. {
        if document.len() >= 256 * 1024 {
            break;
        }
        document += &part(at);
    }
    document
}

#[test]
fn different_words_of_the_largest_size_are_read_in_time() {
    let began = std::time::Instant::now();
    for (begin, part) in [
        ("", (|at| format!("## {at}\n")) as fn(usize) -> String),
        ("## Dependencies\n", |at| format!("- {at}\n")),
        ("", |at| format!("# S\n## System ID\n{at}\n")),
    ] {
        let notes = parse(&largest(begin, part)).map_or_else(|defects| defects, |document| document.warnings);
        assert!(notes.len() <= MAX_NOTES + 1, "{}", notes.len());
    }
    assert!(began.elapsed().as_secs() < 5, "{:?}", began.elapsed());
}
