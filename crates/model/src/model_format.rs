//! The formats of language models.

closed_set! {
    "a format of models",
    /// How a provider wants to be asked.
    ModelFormat {
        /// `POST {base}/chat/completions`
        OpenAi = "openai",
        /// `POST {base}/responses`
        OpenAiResponses = "openai_responses",
        /// `POST {base}/messages`
        Anthropic = "anthropic",
    }
}
