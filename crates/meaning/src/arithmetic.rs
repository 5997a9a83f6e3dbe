//! The functions of a transformer's layers. Nine tenths of a model's time are [`dot`], which says its vector instructions
//! itself: in a program that is optimised for size, as ours is, the compiler makes none of a loop.

use wide::{i16x8, i32x4};

/// The largest activation after [`quantize`]: 13 bits, so that sums of 1,536 products with weights of 4 bits fit 32.
const MAX_ACTIVATION: f32 = 4095.0;

/// A vector in steps of a 4,095th of its largest number.
pub(crate) struct Quantized {
    pub(crate) steps: Vec<i16>,
    pub(crate) scale: f32,
}

/// Rounds numbers to 13 bits. Integer products are exact and twice as fast as those of `f32`.
pub(crate) fn quantize(numbers: &[f32]) -> Quantized {
    let largest = numbers
        .iter()
        .fold(0.0_f32, |most, number| most.max(number.abs()));
    let scale = (largest / MAX_ACTIVATION).max(f32::MIN_POSITIVE);
    let steps = numbers.iter().map(|one| to_step(one / scale)).collect();
    Quantized { steps, scale }
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "at most 4,095 either way; what is no number becomes 0"
)]
fn to_step(number: f32) -> i16 {
    number.round() as i16
}

/// Returns the sum of products.
#[expect(
    clippy::cast_precision_loss,
    reason = "the sum is a measure, not a count"
)]
pub(crate) fn dot(ours: &[i16], theirs: &[i16]) -> f32 {
    let ((ours, our_end), (theirs, their_end)) = (ours.as_chunks(), theirs.as_chunks());
    let pairs = ours.iter().zip(theirs);
    let sums = pairs.fold(i32x4::ZERO, |sums, (one, other)| {
        sums + dot_block(one, other)
    });
    let ends = our_end.iter().zip(their_end);
    let end: i32 = ends
        .map(|(one, other)| i32::from(*one) * i32::from(*other))
        .sum();
    (sums.reduce_add() + end) as f32
}

/// Returns four sums of products of eight numbers each, the loop over which is unrolled.
fn dot_block(ours: &[i16; 32], theirs: &[i16; 32]) -> i32x4 {
    let (ours, theirs) = (ours.as_chunks().0, theirs.as_chunks().0);
    let products = ours.iter().zip(theirs);
    products.fold(i32x4::ZERO, |sums, (one, other)| {
        sums + i16x8::new(*one).dot(i16x8::new(*other))
    })
}

/// Returns the sum of products of real numbers.
pub(crate) fn dot_real(ours: &[f32], theirs: &[f32]) -> f32 {
    ours.iter()
        .zip(theirs)
        .map(|(one, other)| one * other)
        .sum()
}

/// Gives a row the mean 0 and the deviation 1, then stretches and moves each place of it.
pub(crate) fn normalize(row: &mut [f32], stretch: &[f32], shift: &[f32]) {
    /// As BERT has it.
    const EPSILON: f32 = 1e-12;
    let count = to_real(row.len());
    let mean = row.iter().sum::<f32>() / count;
    let squares: f32 = row.iter().map(|x| (x - mean) * (x - mean)).sum();
    let deviation = (squares / count + EPSILON).sqrt();
    for ((number, stretch), shift) in row.iter_mut().zip(stretch).zip(shift) {
        *number = (*number - mean) / deviation * stretch + shift;
    }
}

/// Turns numbers into shares of one, each in proportion to its exponential.
pub(crate) fn softmax(row: &mut [f32]) {
    let most = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    row.iter_mut()
        .for_each(|number| *number = (*number - most).exp());
    let sum: f32 = row.iter().sum();
    row.iter_mut().for_each(|number| *number /= sum);
}

/// The activation of BERT's inner layer (Hendrycks and Gimpel, *Gaussian Error Linear Units*).
pub(crate) fn gelu(row: &mut [f32]) {
    for number in row {
        *number = 0.5 * *number * (1.0 + erf(*number * std::f32::consts::FRAC_1_SQRT_2));
    }
}

/// The error function to seven digits (Abramowitz and Stegun, 7.1.28), without an exponential.
fn erf(number: f32) -> f32 {
    let x = number.abs();
    let sum = 1.0
        + x * (0.070_523_08
            + x * (0.042_282_01
                + x * (0.009_270_527
                    + x * (0.000_152_014_3 + x * (0.000_276_567_2 + x * 0.000_043_063_8)))));
    let square = sum * sum;
    let fourth = square * square;
    let eighth = fourth * fourth;
    (1.0 - 1.0 / (eighth * eighth)).copysign(number)
}

#[expect(clippy::cast_precision_loss, reason = "lengths of rows are small")]
pub(crate) fn to_real(count: usize) -> f32 {
    count as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(one: f32, other: f32) -> bool {
        (one - other).abs() < 1e-5
    }

    #[test]
    fn functions_are_those_of_the_books() {
        assert!(
            near(erf(0.5), 0.520_499_9) && near(erf(-2.0), -0.995_322_3) && near(erf(9.0), 1.0)
        );
        let mut row = [1.0, -1.0, 0.0];
        gelu(&mut row);
        assert!(near(row[0], 0.841_344_7) && near(row[1], -0.158_655_3) && near(row[2], 0.0));
        let mut row = [0.0, 2.0_f32.ln()];
        softmax(&mut row);
        assert!(near(row[0], 1.0 / 3.0) && near(row[1], 2.0 / 3.0));
        let mut row = [1.0, 3.0];
        normalize(&mut row, &[2.0, 2.0], &[0.0, 1.0]);
        assert!(near(row[0], -2.0) && near(row[1], 3.0));
    }

    #[test]
    fn what_is_no_number_is_nothing() {
        let quantized = quantize(&[f32::NAN, 0.0]);
        assert_eq!(quantized.steps, [0, 0]);
        assert_eq!(quantize(&[]).steps, [0_i16; 0]);
    }
}
