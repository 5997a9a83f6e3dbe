//! Matrices of numbers of four bits, one scale a row.
//!
//! A row is its scale, as `f32` of little endian, and half a byte for each number: the first half of a row in the lower
//! halves of the bytes, the second half in the upper ones, so that both unpack without shuffling.

use wide::{i16x8, u8x16};

use crate::arithmetic::{Quantized, dot};

/// The largest number of four bits; there is no −8, so that a row and its opposite have one form.
const MOST: f32 = 7.0;

/// What stands for 0 in four bits.
const MIDDLE: i16 = 8;

/// The bits of the first number of a byte.
const LOWER: u8 = 15;

/// How many bytes are unpacked at once.
const BLOCK: usize = 16;

/// Scales that are tried for a row, as shares of the one at which its largest number still fits. Cutting off a few
/// outliers makes all others more exact.
const SCALES: std::ops::RangeInclusive<u8> = 12..=20;

/// Rows of a matrix, packed.
pub(crate) struct PackedRows {
    bytes: Vec<u8>,
    columns: usize,
}

/// Returns how many bytes a row takes.
pub(crate) const fn row_bytes(columns: usize) -> usize {
    size_of::<f32>() + columns / 2
}

/// Appends a row of an even number of columns.
pub(crate) fn pack_row(numbers: &[f32], bytes: &mut Vec<u8>) {
    let largest = numbers
        .iter()
        .fold(0.0_f32, |most, number| most.max(number.abs()));
    let scales = SCALES.map(|share| largest / MOST * f32::from(share) / 20.0);
    let loss = |scale: f32| -> f32 {
        let losses = numbers
            .iter()
            .map(|number| number - f32::from(to_steps(*number, scale)) * scale);
        losses.map(|loss| loss * loss).sum()
    };
    let scale = scales.min_by(|one, other| loss(*one).total_cmp(&loss(*other)));
    let scale = scale.unwrap_or_default();
    bytes.extend(scale.to_le_bytes());
    let (lower, upper) = numbers.split_at(numbers.len() / 2);
    let pairs = lower.iter().zip(upper);
    bytes.extend(pairs.map(|(one, other)| to_nibble(*one, scale) | to_nibble(*other, scale) << 4));
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "it is clamped to seven either way"
)]
fn to_steps(number: f32, scale: f32) -> i8 {
    (number / scale.max(f32::MIN_POSITIVE))
        .round()
        .clamp(-MOST, MOST) as i8
}

fn to_nibble(number: f32, scale: f32) -> u8 {
    (to_steps(number, scale) + 8).cast_unsigned()
}

impl PackedRows {
    /// Takes bytes of whole rows.
    pub(crate) fn new(bytes: Vec<u8>, columns: usize) -> Self {
        Self { bytes, columns }
    }

    /// Adds each row's numbers, as they are, to `sum`; there is one row.
    pub(crate) fn add_to(&self, sum: &mut [f32]) {
        let mut steps = vec![0; self.columns];
        for row in self.bytes.chunks_exact(row_bytes(self.columns)) {
            let scale = unpack_row(row, &mut steps);
            for (number, step) in sum.iter_mut().zip(&steps) {
                *number += f32::from(*step) * scale;
            }
        }
    }

    /// Multiplies each input by the matrix and adds the bias: one output of as many numbers as rows for each.
    pub(crate) fn multiply(&self, inputs: &[Quantized], bias: &[f32]) -> Vec<Vec<f32>> {
        let mut outputs = vec![bias.to_vec(); inputs.len()];
        let mut steps = vec![0; self.columns];
        let rows = self.bytes.chunks_exact(row_bytes(self.columns));
        for (place, row) in rows.enumerate() {
            let scale = unpack_row(row, &mut steps);
            for (input, output) in inputs.iter().zip(&mut outputs) {
                output[place] += dot(&input.steps, &steps) * scale * input.scale;
            }
        }
        outputs
    }
}

/// Unpacks a row's numbers, and returns its scale.
fn unpack_row(row: &[u8], steps: &mut [i16]) -> f32 {
    let (scale, packed) = row.split_at(size_of::<f32>());
    let (lower, upper) = steps.split_at_mut(packed.len());
    let (packed, packed_end) = packed.as_chunks::<BLOCK>();
    let (lower, lower_end) = lower.as_chunks_mut::<BLOCK>();
    let (upper, upper_end) = upper.as_chunks_mut::<BLOCK>();
    for ((bytes, lower), upper) in packed.iter().zip(lower).zip(upper) {
        unpack_block(u8x16::new(*bytes), lower, upper);
    }
    for ((byte, lower), upper) in packed_end.iter().zip(lower_end).zip(upper_end) {
        *lower = i16::from(byte & LOWER) - MIDDLE;
        *upper = i16::from(byte >> 4) - MIDDLE;
    }
    f32::from_le_bytes(scale.try_into().expect("four bytes"))
}

fn unpack_block(bytes: u8x16, lower: &mut [i16; BLOCK], upper: &mut [i16; BLOCK]) {
    let (mask, middle) = (i16x8::splat(i16::from(LOWER)), i16x8::splat(MIDDLE));
    let halves: [i16x8; 2] = [i16x8::from_u8x16_low(bytes), i16x8::from_u8x16_high(bytes)];
    let places = lower.chunks_exact_mut(8).zip(upper.chunks_exact_mut(8));
    for (half, (lower, upper)) in halves.into_iter().zip(places) {
        lower.copy_from_slice(&((half & mask) - middle).to_array());
        upper.copy_from_slice(&((half >> 4_i32) - middle).to_array());
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::arithmetic::quantize;

    proptest! {
        /// Numbers come back to within half a step of the largest number's scale, but for outliers that were cut off.
        #[test]
        fn a_product_is_nearly_that_of_the_numbers(
            row in prop::collection::vec(-1.0_f32..1.0, 64),
            input in prop::collection::vec(-1.0_f32..1.0, 64),
        ) {
            let mut bytes = Vec::new();
            pack_row(&row, &mut bytes);
            prop_assert_eq!(bytes.len(), row_bytes(64));
            let rows = PackedRows::new(bytes, 64);
            let product = rows.multiply(&[quantize(&input)], &[0.5])[0][0] - 0.5;
            let exact: f32 = row.iter().zip(&input).map(|(one, other)| one * other).sum();
            prop_assert!((product - exact).abs() < 2.0, "{} {}", product, exact);
        }
    }
}
