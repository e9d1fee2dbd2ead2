//! Codes of the languages that Radarr and Sonarr name in English.

/// Names as the servers write them, without what stands in brackets, with their ISO 639-1 codes.
const CODES: [(&str, &str); 56] = [
    ("afrikaans", "af"),
    ("albanian", "sq"),
    ("arabic", "ar"),
    ("bengali", "bn"),
    ("bosnian", "bs"),
    ("bulgarian", "bg"),
    ("catalan", "ca"),
    ("chinese", "zh"),
    ("croatian", "hr"),
    ("czech", "cs"),
    ("danish", "da"),
    ("dutch", "nl"),
    ("english", "en"),
    ("estonian", "et"),
    ("finnish", "fi"),
    ("flemish", "nl"),
    ("french", "fr"),
    ("georgian", "ka"),
    ("german", "de"),
    ("greek", "el"),
    ("hebrew", "he"),
    ("hindi", "hi"),
    ("hungarian", "hu"),
    ("icelandic", "is"),
    ("indonesian", "id"),
    ("italian", "it"),
    ("japanese", "ja"),
    ("kannada", "kn"),
    ("korean", "ko"),
    ("latvian", "lv"),
    ("lithuanian", "lt"),
    ("macedonian", "mk"),
    ("malayalam", "ml"),
    ("marathi", "mr"),
    ("mongolian", "mn"),
    ("norwegian", "no"),
    ("persian", "fa"),
    ("polish", "pl"),
    ("portuguese", "pt"),
    ("romanian", "ro"),
    ("romansh", "rm"),
    ("russian", "ru"),
    ("serbian", "sr"),
    ("slovak", "sk"),
    ("slovenian", "sl"),
    ("spanish", "es"),
    ("swedish", "sv"),
    ("tagalog", "tl"),
    ("tamil", "ta"),
    ("telugu", "te"),
    ("thai", "th"),
    ("turkish", "tr"),
    ("ukrainian", "uk"),
    ("urdu", "ur"),
    ("uzbek", "uz"),
    ("vietnamese", "vi"),
];

/// Returns the ISO 639-1 code of a language.
pub fn code(name: &str) -> Option<&'static str> {
    let name = name.split('(').next().unwrap_or_default().trim().to_lowercase();
    CODES.iter().find(|(known, _)| *known == name).map(|(_, code)| *code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_have_codes() {
        assert_eq!((code("Japanese"), code("Portuguese (Brazil)")), (Some("ja"), Some("pt")));
        assert_eq!((code("Unknown"), code("")), (None, None));
    }
}
