//! Embedding vectors, small enough to store one beside every lesson.
//!
//! A vector is a direction; its length has no meaning. Each number is stored in one byte, in steps of a 127th of the
//! largest: a quarter of the space and of the reading that `f32` would take, and the same integer sums on every
//! machine. Vectors are made and stored elsewhere; [`rank`](crate::rank) decides how much they count.

use hardwon_redact::clean_derived;

use crate::{CleanText, LessonContent, digest, limits, text::floor_char_boundary};

/// Increases whenever [`embedding_text`] would give another text for the same lesson.
const EMBEDDING_TEXT_VERSION: u32 = 1;

/// The largest absolute value of a component.
const MAX_COMPONENT: f32 = 127.0;

/// A direction in the space of some embedding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Vector(Box<[i8]>);

/// Why numbers cannot be a vector.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InvalidVector {
    /// There are no numbers, or more than [`limits::VECTOR_DIMENSIONS`].
    #[error("a vector has 1 to 4096 numbers, not {0}")]
    BadLength(usize),
    /// One of the numbers is infinite or NaN.
    #[error("a vector holds something that is no number")]
    NotFinite,
    /// All are zero: the embedding knows no word of the text.
    #[error("a vector of zeros points nowhere")]
    AllZero,
}

impl Vector {
    /// Creates a vector with the direction of these numbers.
    ///
    /// # Errors
    ///
    /// Returns why they have no direction.
    pub fn from_numbers(numbers: &[f32]) -> Result<Self, InvalidVector> {
        if !(1..=limits::VECTOR_DIMENSIONS).contains(&numbers.len()) {
            return Err(InvalidVector::BadLength(numbers.len()));
        }
        if !numbers.iter().all(|number| number.is_finite()) {
            return Err(InvalidVector::NotFinite);
        }
        let largest = numbers.iter().fold(0.0_f32, |most, it| most.max(it.abs()));
        if largest == 0.0 {
            return Err(InvalidVector::AllZero);
        }
        Ok(Self(
            numbers
                .iter()
                .map(|number| quantize(number / largest * MAX_COMPONENT))
                .collect(),
        ))
    }

    /// Restores a vector from the bytes that [`to_bytes`](Self::to_bytes) returned; `None` if they are invalid.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let is_bounded = bytes.len() <= limits::VECTOR_DIMENSIONS;
        let points = is_bounded && bytes.iter().any(|byte| *byte != 0);
        points.then(|| Self(bytes.iter().map(|byte| byte.cast_signed()).collect()))
    }

    /// Returns the components, one byte each.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.0.iter().map(|part| part.cast_unsigned()).collect()
    }

    /// Returns the number of components.
    pub fn dimensions(&self) -> usize {
        self.0.len()
    }

    /// Returns the cosine of the angle between two vectors, −1 to 1; `None` if they have different dimensions.
    /// `other` is what [`to_bytes`](Self::to_bytes) returned.
    pub fn cosine_similarity(&self, other: &[u8]) -> Option<f32> {
        if self.0.len() != other.len() {
            return None;
        }
        let (mut dot, mut ours, mut theirs) = (0_i32, 0_i32, 0_i32);
        for (a, b) in self.0.iter().zip(other) {
            let (a, b) = (i32::from(*a), i32::from(b.cast_signed()));
            dot += a * b;
            ours += a * a;
            theirs += b * b;
        }
        let length = f64::from(ours).sqrt() * f64::from(theirs).sqrt();
        (length > 0.0).then(|| to_f32(f64::from(dot) / length))
    }
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "at most 127 either way, and rounded; no number becomes 0"
)]
fn quantize(number: f32) -> i8 {
    number.round() as i8
}

#[expect(clippy::cast_possible_truncation, reason = "a cosine, for comparing")]
fn to_f32(cosine: f64) -> f32 {
    cosine as f32
}

/// Returns the text of a lesson that is embedded.
///
/// Its signature, title, situation and text, cut to [`limits::EMBEDDED_BYTES`]. What went wrong is left out, because
/// a lesson is to be found by what it is for.
pub fn embedding_text(content: &LessonContent) -> CleanText {
    let is_repeated = content.text.as_str().starts_with(content.title.as_str());
    let title = (!is_repeated).then_some(&content.title);
    let parts = [Some(&content.signature), title, content.situation.as_ref()];
    let parts = parts.into_iter().flatten().chain([&content.text]);
    let parts: Vec<&str> = parts.map(CleanText::as_str).collect();
    let text = parts.join("\n");
    clean_derived(&text[..floor_char_boundary(&text, limits::EMBEDDED_BYTES)])
}

/// Returns the name of the vector space of lessons, derived from the embedding's name. Vectors of one space were made
/// in the same way and can be compared.
pub fn embedding_space(embedding: &str) -> String {
    let name: String = embedding
        .chars()
        .take(limits::VECTOR_SPACE_CHARS - 16)
        .collect();
    format!("{name} {EMBEDDING_TEXT_VERSION}")
}

/// Returns a fingerprint that shows whether a vector was made from a lesson's present words.
pub fn content_fingerprint(content: &LessonContent) -> u64 {
    let digest = digest::hash_parts([embedding_text(content).as_str().as_bytes()]);
    let (&head, _) = digest.split_first_chunk().expect("32 bytes hold 8");
    u64::from_be_bytes(head)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn of(numbers: &[f32]) -> Vector {
        Vector::from_numbers(numbers).unwrap()
    }

    /// Returns the cosine, rounded to hundredths.
    fn cosine(a: &[f32], b: &[f32]) -> Option<f32> {
        let similarity = of(a).cosine_similarity(&of(b).to_bytes())?;
        Some((similarity * 100.0).round() / 100.0)
    }

    #[test]
    fn what_matters_is_the_direction() {
        assert_eq!(cosine(&[1.0, 0.0], &[3.0, 0.0]), Some(1.0));
        assert_eq!(cosine(&[1.0, 0.0], &[0.0, 0.1]), Some(0.0));
        assert_eq!(cosine(&[1.0, 0.0], &[-1.0, 0.0]), Some(-1.0));
        assert_eq!(cosine(&[3.0, 4.0], &[4.0, 3.0]), Some(0.96));
        assert_eq!(cosine(&[1e-30, 2e-30], &[1e30, 2e30]), Some(1.0));
        assert_eq!(cosine(&[1.0, 0.0], &[1.0, 0.0, 0.0]), None);
        assert_eq!(of(&[1.0]).cosine_similarity(&[0]), None);
    }

    #[test]
    fn not_everything_is_a_vector() {
        let check = |numbers: &[f32], why| assert_eq!(Vector::from_numbers(numbers), Err(why));
        check(&[], InvalidVector::BadLength(0));
        check(&[1.0; 4097], InvalidVector::BadLength(4097));
        check(&[1.0, f32::NAN], InvalidVector::NotFinite);
        check(&[f32::NEG_INFINITY], InvalidVector::NotFinite);
        check(&[0.0, -0.0], InvalidVector::AllZero);
        assert_eq!(Vector::from_bytes(&[]), None);
        assert_eq!(Vector::from_bytes(&[0, 0]), None);
        assert_eq!(Vector::from_bytes(&[1; 4097]), None);
    }

    proptest! {
        #[test]
        fn bytes_come_back(numbers in prop::collection::vec(-1.0_f32..1.0, 1..64)) {
            if let Ok(vector) = Vector::from_numbers(&numbers) {
                prop_assert_eq!(Vector::from_bytes(&vector.to_bytes()), Some(vector));
            }
        }

        /// In 256 dimensions, storing a number in one byte costs less than a hundredth of a cosine.
        #[test]
        fn a_byte_is_enough(
            a in prop::collection::vec(-1.0_f32..1.0, 256),
            b in prop::collection::vec(-1.0_f32..1.0, 256),
        ) {
            let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
            let exact = dot(&a, &b) / (dot(&a, &a) * dot(&b, &b)).sqrt();
            let kept = of(&a).cosine_similarity(&of(&b).to_bytes()).unwrap();
            prop_assert!((exact - kept).abs() < 0.01, "{} {}", exact, kept);
        }
    }
}
