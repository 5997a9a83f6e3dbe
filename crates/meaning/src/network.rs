//! The forward pass of a BERT encoder, and the mean of its tokens: the vector of a sentence (Devlin et al.; Reimers and
//! Gurevych, *Sentence-BERT*).

use std::time::Instant;

use crate::{
    arithmetic::{dot_real, gelu, normalize, quantize, softmax, to_real},
    error::{MeaningError, Result},
    file::{Dense, Layer, ModelFile, Norm},
};

/// Until when a vector is of use.
#[derive(Debug, Clone, Copy)]
pub struct Deadline(pub Instant);

type Rows = Vec<Vec<f32>>;

impl ModelFile {
    /// Returns the vector of a text, as long as [`ModelShape::width`](crate::ModelShape::width) says. Of a text of more
    /// than `most` tokens, its head and its tail count.
    ///
    /// # Errors
    ///
    /// `TooSlow` if the deadline passed, `Io` if the file cannot be read.
    pub fn embed(&self, text: &str, most: usize, deadline: Deadline) -> Result<Vec<f32>> {
        let most = most.min(self.shape().positions);
        let tokens = self.vocabulary().tokenize(text, most);
        let mut rows: Rows = tokens
            .iter()
            .enumerate()
            .map(|(position, word)| self.read_token(*word, position))
            .collect::<Result<_, _>>()?;
        normalize_all(&mut rows, &self.read_first_norm()?);
        for layer in 0..self.shape().layers {
            if Instant::now() >= deadline.0 {
                return Err(MeaningError::TooSlow);
            }
            rows = apply_layer(&self.read_layer(layer)?, rows, self.shape().heads);
        }
        Ok(average(&rows, self.shape().width))
    }
}

fn apply_layer(layer: &Layer, rows: Rows, heads: usize) -> Rows {
    let attention = multiply(&layer.output, &attend(layer, &rows, heads));
    let mut rows = add(rows, &attention);
    normalize_all(&mut rows, &layer.attention_norm);
    let mut inner = multiply(&layer.widen, &rows);
    inner.iter_mut().for_each(|row| gelu(row));
    let mut rows = add(rows, &multiply(&layer.narrow, &inner));
    normalize_all(&mut rows, &layer.output_norm);
    rows
}

/// Returns, for each token, the values of all tokens, weighed by how well their keys fit its query, in each head.
fn attend(layer: &Layer, rows: &Rows, heads: usize) -> Rows {
    let inputs: Vec<_> = rows.iter().map(|row| quantize(row)).collect();
    let [queries, keys, values] = [&layer.query, &layer.key, &layer.value]
        .map(|dense| dense.rows.multiply(&inputs, &dense.bias));
    let width = values.first().map_or(0, Vec::len);
    let size = width / heads;
    let root = to_real(size).sqrt();
    let mut outputs = vec![vec![0.0; width]; rows.len()];
    for head in 0..heads {
        let part = head * size..(head + 1) * size;
        for (query, output) in queries.iter().zip(&mut outputs) {
            let fits = keys
                .iter()
                .map(|key| dot_real(&query[part.clone()], &key[part.clone()]) / root);
            let mut shares: Vec<f32> = fits.collect();
            softmax(&mut shares);
            let output = &mut output[part.clone()];
            for (share, value) in shares.iter().zip(&values) {
                for (sum, number) in output.iter_mut().zip(&value[part.clone()]) {
                    *sum += share * number;
                }
            }
        }
    }
    outputs
}

fn multiply(dense: &Dense, rows: &Rows) -> Rows {
    let inputs: Vec<_> = rows.iter().map(|row| quantize(row)).collect();
    dense.rows.multiply(&inputs, &dense.bias)
}

fn add(mut rows: Rows, others: &Rows) -> Rows {
    for (row, other) in rows.iter_mut().zip(others) {
        row.iter_mut()
            .zip(other)
            .for_each(|(number, other)| *number += other);
    }
    rows
}

fn normalize_all(rows: &mut Rows, norm: &Norm) {
    rows.iter_mut()
        .for_each(|row| normalize(row, &norm.stretch, &norm.shift));
}

/// Returns the mean of the rows; zeros without any.
fn average(rows: &Rows, width: usize) -> Vec<f32> {
    let mut mean = vec![0.0; width];
    for row in rows {
        mean.iter_mut()
            .zip(row)
            .for_each(|(sum, number)| *sum += number / to_real(rows.len()));
    }
    mean
}
