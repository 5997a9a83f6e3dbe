//! Reads the published weights of a model: the form *safetensors*, with numbers of 32 bits.
//!
//! A head of JSON says where each tensor lies; every offset is checked before it is used. No code of a package is run.

use std::collections::HashMap;

use serde::Deserialize;

/// Where a tensor lies.
#[derive(Debug, Deserialize)]
struct TensorEntry {
    dtype: String,
    shape: Vec<usize>,
    data_offsets: [usize; 2],
}

/// The tensors of a file.
pub(crate) struct Tensors<'a> {
    entries: HashMap<String, TensorEntry>,
    body: &'a [u8],
}

/// A tensor of one or two dimensions.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Tensor {
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    pub(crate) numbers: Vec<f32>,
}

impl Tensor {
    /// Returns a row.
    pub(crate) fn row(&self, row: usize) -> &[f32] {
        &self.numbers[row * self.columns..(row + 1) * self.columns]
    }
}

impl<'a> Tensors<'a> {
    /// Reads the head.
    ///
    /// # Errors
    ///
    /// What is wrong with the bytes.
    pub(crate) fn parse(bytes: &'a [u8]) -> Result<Self, String> {
        let cut = || "its weights are no safetensors".to_owned();
        let (length, rest) = bytes.split_first_chunk().ok_or_else(cut)?;
        let length = usize::try_from(u64::from_le_bytes(*length)).map_err(|_| cut())?;
        let (head, body) = rest.split_at_checked(length).ok_or_else(cut)?;
        let head: HashMap<String, serde_json::Value> =
            serde_json::from_slice(head).map_err(|_| cut())?;
        let entries = head.into_iter().filter(|(name, _)| name != "__metadata__");
        let entries = entries
            .map(|(name, entry)| Ok((name, serde_json::from_value(entry).map_err(|_| cut())?)));
        Ok(Self {
            entries: entries.collect::<Result<_, String>>()?,
            body,
        })
    }

    /// Returns a tensor by its name, with or without the `bert.` that some have before it.
    ///
    /// # Errors
    ///
    /// Why there is none.
    pub(crate) fn read(&self, name: &str) -> Result<Tensor, String> {
        let entry = self
            .entries
            .get(name)
            .or_else(|| self.entries.get(&format!("bert.{name}")));
        let entry = entry.ok_or_else(|| format!("its weights have no {name}"))?;
        if entry.dtype != "F32" {
            return Err(format!(
                "{name} has numbers of the type {}, not F32",
                entry.dtype
            ));
        }
        let (rows, columns) = match entry.shape[..] {
            [columns] => (1, columns),
            [rows, columns] => (rows, columns),
            _ => return Err(format!("{name} has not one or two dimensions")),
        };
        let [start, end] = entry.data_offsets;
        let bytes = self.body.get(start..end);
        let bytes = bytes.filter(|bytes| {
            rows.checked_mul(columns)
                .and_then(|count| count.checked_mul(4))
                == Some(bytes.len())
        });
        let bytes = bytes.ok_or_else(|| format!("{name} lies beyond its file"))?;
        let numbers = bytes
            .chunks_exact(4)
            .map(|number| f32::from_le_bytes(number.try_into().expect("four bytes")));
        let numbers: Vec<f32> = numbers.collect();
        if !numbers.iter().all(|number| number.is_finite()) {
            return Err(format!("{name} holds something that is no number"));
        }
        Ok(Tensor {
            rows,
            columns,
            numbers,
        })
    }
}
