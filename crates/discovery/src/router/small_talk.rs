//! Recognizes small talk: greetings, chitchat and bare answers.

use crate::text::holds;

/// The maximum length of small talk, in words.
const MAX_SMALL_TALK_WORDS: usize = 8;

const GREETINGS: &str = "\
    hi hello hey heya hiya howdy yo morning greetings hola buenas buenos dias tardes hallo moin \
    servus guten gruss tag abend bonjour bonsoir salut ciao buongiorno buonasera salve ola oi bom \
    dia boa tarde hoi hej namaste sup";
const CHITCHAT: &str = "\
    thanks thank thx cheers bye goodbye lol haha wow cool awesome nice great funny joke bored \
    welcome gracias adios danke tschuss merci revoir grazie arrivederci obrigado obrigada tchau \
    bedankt chiste witz blague perfect wonderful brilliant sorry night weather";
const ANSWERS: &str = "\
    yes yeah yep yup y sure ok okay k confirm confirmed approve approved proceed correct right \
    exactly no nope nah si vale claro ja klar genau nein oui ouais accord non certo sim nee \
    absolutely definitely agreed continue adelante weiter mach vas";
/// Words that may accompany those above.
const FILLERS: &str = "\
    there good you how are is it that this do go ahead please very much so a lot the again all \
    everyone friend what s up doing well and for one de d es das y que tal como estas esta va ca \
    wie geht dir tell me now i am m was your help too my then them hazlo bitte por favor stai come \
    tudo bem day evening afternoon au same in today vielen dank mille beaucoup muchas ein un une \
    last first second";

/// The kind of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SmallTalk {
    /// A text without words.
    Nothing,
    /// Only a greeting.
    Greeting,
    /// Thanks, praise, goodbyes.
    Chitchat,
    /// A bare answer such as "yes, do it", which refers to the previous texts.
    Answer,
    /// Any other text.
    Matter,
}

impl SmallTalk {
    /// Classifies folded words. A polite answer such as "ok thanks, do it" counts as an answer.
    pub(super) fn of(words: &[String]) -> Self {
        if words.is_empty() {
            return Self::Nothing;
        }
        let has = |list: &str| words.iter().any(|word| holds(list, word));
        let in_some =
            |word: &String| [GREETINGS, CHITCHAT, ANSWERS, FILLERS].iter().any(|list| holds(list, word));
        let first = words.first().map(String::as_str).unwrap_or_default();
        let opens = holds(ANSWERS, first);
        let bare = words.len() <= MAX_SMALL_TALK_WORDS && words.iter().all(in_some);
        let refers = words.iter().any(|word| ["it", "that", "them", "this", "one"].contains(&word.as_str()));
        let short_order = words.len() <= 5 && refers && !has(GREETINGS);
        if (opens && words.len() <= 5) || (bare && has(ANSWERS)) || (short_order && !(bare && has(CHITCHAT)))
        {
            return Self::Answer;
        }
        match (bare, has(CHITCHAT)) {
            (true, false) if has(GREETINGS) => Self::Greeting,
            (true, _) => Self::Chitchat,
            (false, _) => Self::Matter,
        }
    }
}

/// Returns whether some of the words greet, thank or chat: the text may be small talk in words that the lists lack.
pub(super) fn is_polite(words: &[String]) -> bool {
    words.iter().any(|word| [GREETINGS, CHITCHAT].iter().any(|list| holds(list, word)))
}
