//! Placeholder.
/// Placeholder.
#[must_use]
pub fn neutralise(text: &str) -> std::borrow::Cow<'_, str> {
    text.into()
}
