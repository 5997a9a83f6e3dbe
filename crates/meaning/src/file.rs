//! The one form of a model's file, and reading it piece by piece.
//!
//! `hwmodel2`, the length of the head as `u32` of little endian, the head as JSON, the body. Where each part of the body
//! lies follows from the shape in the head: the words, sorted, a line break behind each; their rows and those of the
//! positions; the first normalisation; then each layer's matrices and vectors. Matrices are packed rows
//! ([`weights`](crate::weights)), vectors `f32` of little endian. Behind the head and behind each part that is read in
//! one piece (the words, a row, the normalisation, a layer) stands its CRC-32, compared whenever it is read. The body's
//! length is checked when the file is opened, its SHA-256 when somebody asks.

use std::{
    fs::File,
    io::{Read as _, Seek as _, SeekFrom},
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::{
    error::{MeaningError, Result},
    tokenizer::Vocabulary,
    weights::{PackedRows, row_bytes},
};

/// How a file begins.
pub(crate) const MAGIC: &[u8; 8] = b"hwmodel2";

/// The bytes of a CRC-32.
const CHECK_BYTES: usize = size_of::<u32>();

/// Longest head in bytes.
const MAX_HEAD_BYTES: u32 = 65_536;

/// Why a file with another checksum is not used.
const DAMAGED: &str = "its bytes are not those that were written: add the model again";

/// Vectors of a layer that are not biases of its matrices: two normalisations, each a stretch and a shift.
const NORM_VECTORS: usize = 4;

/// What a model is, as its file's head says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelShape {
    /// The name of the published model.
    pub name: String,
    /// The licence of its weights.
    pub license: String,
    /// Where the weights are from, and that they were changed.
    pub notice: String,
    /// The SHA-256 of the body, in hexadecimal digits.
    pub sha256: String,
    /// How many words it knows.
    pub words: usize,
    /// The bytes that the words take.
    pub word_bytes: usize,
    /// The longest text in tokens.
    pub positions: usize,
    /// The numbers of a vector.
    pub width: usize,
    /// The numbers of an inner layer.
    pub inner: usize,
    /// The heads of attention.
    pub heads: usize,
    /// The layers.
    pub layers: usize,
}

impl ModelShape {
    /// Returns what is wrong with a shape; `None` if a file may have it.
    fn find_fault(&self) -> Option<&'static str> {
        let bounds = [
            (self.words, 1 << 20),
            (self.word_bytes, 1 << 24),
            (self.positions, 1 << 13),
            (self.width, 1 << 11),
            (self.inner, 1 << 13),
            (self.heads, 64),
            (self.layers, 48),
        ];
        let is_bounded = bounds.iter().all(|(size, most)| (1..=*most).contains(size));
        let is_even = self.width.is_multiple_of(2) && self.inner.is_multiple_of(2);
        if !is_bounded {
            Some("a size in its head is out of bounds")
        } else if !is_even || !self.width.is_multiple_of(self.heads) {
            Some("the sizes in its head do not fit each other")
        } else {
            None
        }
    }

    fn rows_start(&self) -> usize {
        self.word_bytes + CHECK_BYTES
    }

    fn row_stride(&self) -> usize {
        row_bytes(self.width) + CHECK_BYTES
    }

    fn positions_start(&self) -> usize {
        self.rows_start() + self.words * self.row_stride()
    }

    fn first_norm_start(&self) -> usize {
        self.positions_start() + self.positions * self.row_stride()
    }

    fn layer_start(&self, layer: usize) -> usize {
        let first_norm_bytes = 2 * self.width * size_of::<f32>() + CHECK_BYTES;
        self.first_norm_start() + first_norm_bytes + layer * (self.layer_bytes() + CHECK_BYTES)
    }

    fn layer_bytes(&self) -> usize {
        let matrices = 4 * self.width * row_bytes(self.width)
            + self.inner * row_bytes(self.width)
            + self.width * row_bytes(self.inner);
        let vectors = 4 * self.width + self.inner + self.width + NORM_VECTORS * self.width;
        matrices + vectors * size_of::<f32>()
    }

    /// Returns the length of the body in bytes.
    pub(crate) fn body_bytes(&self) -> usize {
        self.layer_start(self.layers)
    }
}

/// A matrix and what is added to its products.
pub(crate) struct Dense {
    pub(crate) rows: PackedRows,
    pub(crate) bias: Vec<f32>,
}

/// A stretch and a shift.
pub(crate) struct Norm {
    pub(crate) stretch: Vec<f32>,
    pub(crate) shift: Vec<f32>,
}

/// The numbers of one layer.
pub(crate) struct Layer {
    pub(crate) query: Dense,
    pub(crate) key: Dense,
    pub(crate) value: Dense,
    pub(crate) output: Dense,
    pub(crate) attention_norm: Norm,
    pub(crate) widen: Dense,
    pub(crate) narrow: Dense,
    pub(crate) output_norm: Norm,
}

/// A model's file, opened.
pub struct ModelFile {
    path: PathBuf,
    file: Mutex<File>,
    body_start: u64,
    shape: ModelShape,
    vocabulary: Vocabulary,
}

impl ModelFile {
    /// Opens a model's file, and reads its head and its words.
    ///
    /// # Errors
    ///
    /// `Io` if it cannot be read, `NotAModel` if it is damaged or of another version.
    pub fn open(path: &Path) -> Result<Self> {
        let reading = MeaningError::io("reading", path);
        let bad = |why: &str| MeaningError::not_a_model(path, why);
        let mut file = File::open(path).map_err(&reading)?;
        let mut start = [0; MAGIC.len() + size_of::<u32>()];
        file.read_exact(&mut start)
            .map_err(|_| bad("it is too short"))?;
        let (magic, length) = start.split_at(MAGIC.len());
        let length = u32::from_le_bytes(length.try_into().expect("four bytes"));
        if magic != MAGIC && magic.starts_with(b"hwmodel") {
            return Err(bad("it is of another version: add the model again"));
        }
        if magic != MAGIC || length > MAX_HEAD_BYTES {
            return Err(bad("it does not begin as a model of this version does"));
        }
        let mut head = vec![0; length as usize + CHECK_BYTES];
        file.read_exact(&mut head)
            .map_err(|_| bad("its head is cut off"))?;
        let body_start = (start.len() + head.len()) as u64;
        let head = open_part(head).ok_or_else(|| bad(DAMAGED))?;
        let shape: ModelShape =
            serde_json::from_slice(&head).map_err(|error| bad(&format!("its head: {error}")))?;
        if let Some(fault) = shape.find_fault() {
            return Err(bad(fault));
        }
        let size = file.metadata().map_err(&reading)?.len();
        if size != body_start + shape.body_bytes() as u64 {
            return Err(bad("its length is not what its head says"));
        }
        let mut words = vec![0; shape.word_bytes + CHECK_BYTES];
        file.read_exact(&mut words).map_err(&reading)?;
        let words = open_part(words).ok_or_else(|| bad(DAMAGED))?;
        let words = String::from_utf8(words).map_err(|_| bad("its words are not UTF-8"))?;
        let vocabulary = Vocabulary::from_sorted(words).filter(|words| words.len() == shape.words);
        let vocabulary = vocabulary
            .ok_or_else(|| bad("its words are not sorted, or not as many as its head says"))?;
        Ok(Self {
            path: path.to_owned(),
            file: Mutex::new(file),
            body_start,
            shape,
            vocabulary,
        })
    }

    /// Returns what the file's head says.
    pub fn shape(&self) -> &ModelShape {
        &self.shape
    }

    /// Compares the body with the checksum in the head. It reads the whole file: no hook does so.
    ///
    /// # Errors
    ///
    /// `NotAModel` if they differ, `Io` if the file cannot be read.
    pub fn verify(&self) -> Result<()> {
        let body = self.read(0, self.shape.body_bytes())?;
        if hash_body(&body) == self.shape.sha256 {
            return Ok(());
        }
        Err(MeaningError::not_a_model(&self.path, DAMAGED))
    }

    pub(crate) fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }

    /// Returns the sum of a word's row and a position's.
    pub(crate) fn read_token(&self, word: usize, position: usize) -> Result<Vec<f32>> {
        let width = self.shape.width;
        let mut sum = vec![0.0; width];
        let places = [
            (self.shape.rows_start(), word),
            (self.shape.positions_start(), position),
        ];
        for (start, row) in places {
            let bytes = self.read_part(start + row * self.shape.row_stride(), row_bytes(width))?;
            PackedRows::new(bytes, width).add_to(&mut sum);
        }
        Ok(sum)
    }

    /// Returns the normalisation before the first layer.
    pub(crate) fn read_first_norm(&self) -> Result<Norm> {
        let bytes = self.read_part(
            self.shape.first_norm_start(),
            2 * self.shape.width * size_of::<f32>(),
        )?;
        Ok(PartReader { rest: &bytes }.take_norm(self.shape.width))
    }

    /// Returns the numbers of a layer.
    pub(crate) fn read_layer(&self, layer: usize) -> Result<Layer> {
        let (width, inner) = (self.shape.width, self.shape.inner);
        let bytes = self.read_part(self.shape.layer_start(layer), self.shape.layer_bytes())?;
        let mut parts = PartReader { rest: &bytes };
        Ok(Layer {
            query: parts.take_dense(width, width),
            key: parts.take_dense(width, width),
            value: parts.take_dense(width, width),
            output: parts.take_dense(width, width),
            attention_norm: parts.take_norm(width),
            widen: parts.take_dense(inner, width),
            narrow: parts.take_dense(width, inner),
            output_norm: parts.take_norm(width),
        })
    }

    fn read_part(&self, at: usize, length: usize) -> Result<Vec<u8>> {
        let part = open_part(self.read(at, length + CHECK_BYTES)?);
        part.ok_or_else(|| MeaningError::not_a_model(&self.path, DAMAGED))
    }

    fn read(&self, at: usize, length: usize) -> Result<Vec<u8>> {
        let mut bytes = vec![0; length];
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let start = SeekFrom::Start(self.body_start + at as u64);
        let result = file.seek(start).and_then(|_| file.read_exact(&mut bytes));
        result.map_err(MeaningError::io("reading", &self.path))?;
        Ok(bytes)
    }
}

/// Appends the CRC-32 of what was written from `start` on.
pub(crate) fn seal_part(bytes: &mut Vec<u8>, start: usize) {
    let check = crc32fast::hash(&bytes[start..]);
    bytes.extend(check.to_le_bytes());
}

/// Returns a part without its CRC-32; `None` if that is not the part's.
fn open_part(mut bytes: Vec<u8>) -> Option<Vec<u8>> {
    let check = bytes.split_off(bytes.len().checked_sub(CHECK_BYTES)?);
    (check == crc32fast::hash(&bytes).to_le_bytes()).then_some(bytes)
}

/// Returns the SHA-256 of a body, in hexadecimal digits.
pub(crate) fn hash_body(body: &[u8]) -> String {
    Sha256::digest(body)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

/// Takes one part after another from the bytes of a layer.
struct PartReader<'a> {
    rest: &'a [u8],
}

impl<'a> PartReader<'a> {
    fn take(&mut self, length: usize) -> &'a [u8] {
        let (part, rest) = self.rest.split_at(length);
        self.rest = rest;
        part
    }

    fn take_vector(&mut self, length: usize) -> Vec<f32> {
        let numbers = self
            .take(length * size_of::<f32>())
            .chunks_exact(size_of::<f32>());
        numbers
            .map(|number| f32::from_le_bytes(number.try_into().expect("four bytes")))
            .collect()
    }

    fn take_dense(&mut self, rows: usize, columns: usize) -> Dense {
        let bytes = self.take(rows * row_bytes(columns)).to_vec();
        Dense {
            rows: PackedRows::new(bytes, columns),
            bias: self.take_vector(rows),
        }
    }

    fn take_norm(&mut self, width: usize) -> Norm {
        Norm {
            stretch: self.take_vector(width),
            shift: self.take_vector(width),
        }
    }
}
