//! Sends the events of an answer while it is written, without the provider's key.

use std::mem;

use tokio::time::Instant;

use super::{ModelEvent, Usage};
use crate::upstream::SecretMask;

/// Shows the pieces of an answer.
pub struct EventSink<'a> {
    on_event: &'a mut (dyn FnMut(ModelEvent) + Send),
    mask: &'a SecretMask,
    /// Whether something was shown that is not void.
    anything: bool,
    begun: Instant,
    pub first_token_ms: Option<u64>,
    text: Masked,
    reasoning: Masked,
}

impl<'a> EventSink<'a> {
    pub fn new(on_event: &'a mut (dyn FnMut(ModelEvent) + Send), mask: &'a SecretMask) -> Self {
        Self {
            on_event,
            mask,
            anything: false,
            begun: Instant::now(),
            first_token_ms: None,
            text: Masked::default(),
            reasoning: Masked::default(),
        }
    }

    /// Begins anew: what was shown is void.
    pub fn restart(&mut self) {
        if mem::take(&mut self.anything) {
            (self.on_event)(ModelEvent::Restarted);
        }
        self.begun = Instant::now();
        self.first_token_ms = None;
        self.text = Masked::default();
        self.reasoning = Masked::default();
    }

    /// Notes that the model writes something.
    pub fn token(&mut self) {
        let begun = self.begun;
        let elapsed = || u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.first_token_ms.get_or_insert_with(elapsed);
    }

    pub fn text(&mut self, piece: &str) {
        let piece = self.text.push(self.mask, piece);
        self.show(piece, ModelEvent::Text);
    }

    pub fn reasoning(&mut self, piece: &str) {
        let piece = self.reasoning.push(self.mask, piece);
        self.show(piece, ModelEvent::Reasoning);
    }

    /// Shows what was held back.
    pub fn end(&mut self) {
        let (reasoning, text) = (self.reasoning.end(), self.text.end());
        self.show(reasoning, ModelEvent::Reasoning);
        self.show(text, ModelEvent::Text);
    }

    /// Returns the text and the reasoning that were shown since the beginning, so that what is stored is equal.
    pub fn into_texts(self) -> (String, String) {
        (self.text.shown, self.reasoning.shown)
    }

    /// Tells what a request has used whose answer is broken or refused: what the provider has counted, or else an
    /// estimate. A request of which nothing was answered counts as none.
    pub fn fail(&mut self, counted: Option<Usage>, sent: usize, written: usize) {
        let estimate = Usage::of_bytes(sent, written);
        let usage = match counted {
            Some(counted) if !counted.estimated => counted,
            _ if written == 0 => return,
            Some(counted) => {
                Usage { output_tokens: counted.output_tokens.max(estimate.output_tokens), ..counted }
            }
            None => estimate,
        };
        self.used(usage);
    }

    pub fn used(&mut self, usage: Usage) {
        (self.on_event)(ModelEvent::Used(usage));
    }

    fn show(&mut self, piece: String, event: fn(String) -> ModelEvent) {
        self.token();
        if !piece.is_empty() {
            self.anything = true;
            (self.on_event)(event(piece));
        }
    }
}

/// A text that comes in pieces, in which a key may begin in one and end in another.
#[derive(Default)]
struct Masked {
    shown: String,
    /// What may be the beginning of a key.
    held: String,
}

impl Masked {
    /// Takes the next piece, and returns what can be shown now.
    fn push(&mut self, mask: &SecretMask, piece: &str) -> String {
        let whole = mask.apply_to_text(&[self.held.as_str(), piece].concat());
        let (shown, held) = whole.split_at(whole.len() - mask.open_end(&whole));
        held.clone_into(&mut self.held);
        self.shown.push_str(shown);
        shown.to_owned()
    }

    /// Returns what was held back.
    fn end(&mut self) -> String {
        let held = mem::take(&mut self.held);
        self.shown.push_str(&held);
        held
    }
}
