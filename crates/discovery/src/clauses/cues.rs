//! Weighs a clause by how much it sounds like a request.

use crate::text::{self, holds};

/// The logarithms of the weight of a question mark, of a word that begins a request, and of words that mark a
/// request anywhere.
const QUESTION_MARK: f32 = 1.2;
const OPENING: f32 = 0.8;
pub(super) const MARKER: f32 = 1.0;

/// Words that may precede the word that begins a request.
const BEFORE_OPENINGS: &str =
    "so and but then also now hi hey ok und aber dann y entonces et donc alors if ob si";
/// Words that begin a request or a question, in the languages of the corpus, without accents.
const OPENINGS: &str = "\
    what which who whose how where when why is are was do does did has have can could would will show list give tell \
    get find search look open create make set build add put place write draft start run launch stop cancel delete \
    remove change update move assign hand install remember forget remind schedule check query count rank compare \
    split file submit share let turn switch pause index call clean take \
    welche welcher welches was wer wie wo wann warum ist sind hat zeig zeige gib nenne such suche finde leg lege \
    erstelle mach mache starte stopp stoppe losch losche entferne andere setz setze erinnere merk installiere offne \
    konnen konnt konntest kannst \
    que cual cuales quien como donde cuando cuanto cuanta cuantos cuantas muestra muestrame dame dime busca crea haz \
    pon anade inicia ejecuta deten cancela elimina borra cambia asigna instala recuerda recuerdame abre puedes \
    quel quelle quels quelles qui comment ou quand combien pourquoi est montre donne dis cherche trouve cree fais \
    mets ajoute lance arrete annule supprime installe retiens rappelle ouvre peux pourrais";
/// Words that mark a request anywhere in a clause, without accents, separated by commas.
pub(super) const MARKERS: &str = "\
    please,pls,plz,could you,can you,would you,will you,i want,i need,i d,i would,like to,we need,we want,tell me,\
    show me,give me,let me,bitte,kannst du,konntest du,konnen sie,ich mochte,ich brauche,ich will,zeig mir,por favor,\
    puedes,podrias,quiero,necesito,quisiera,s il,peux tu,pourrais tu,pouvez vous,je voudrais,je veux,il me";

/// Returns the logarithm of the weight of a clause.
pub(super) fn log_weight(clause: &str) -> f32 {
    let words = text::words(clause);
    let opens =
        words.iter().find(|word| !holds(BEFORE_OPENINGS, word)).is_some_and(|word| holds(OPENINGS, word));
    let joined = format!(" {} ", words.join(" "));
    let marked = MARKERS.split(',').any(|marker| holds_words(&joined, marker));
    let cues = [(clause.ends_with('?'), QUESTION_MARK), (opens, OPENING), (marked, MARKER)];
    cues.iter().filter(|(has, _)| *has).map(|(_, weight)| weight).sum()
}

/// Returns whether words, separated and surrounded by blanks, have the words of `marker` in a row.
fn holds_words(words: &str, marker: &str) -> bool {
    words.match_indices(marker).any(|(at, _)| {
        let blank = |byte: Option<&u8>| byte == Some(&b' ');
        let bytes = words.as_bytes();
        blank(at.checked_sub(1).and_then(|at| bytes.get(at))) && blank(bytes.get(at + marker.len()))
    })
}
