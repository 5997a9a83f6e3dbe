//! Rows of a matrix in a `.safetensors` file, read where they are.
//!
//! The file is eight bytes for the length of a header, the header as JSON, and numbers. A prompt has
//! a few dozen tokens, so a few dozen rows are read out of a file of some thirty megabytes, and the
//! rest of it never. The format is small enough to be read here, with every bound checked.

use std::{
    collections::BTreeMap,
    fs::File,
    io::{self, Read as _, Seek as _, SeekFrom},
    path::Path,
};

use hardwon_engine::regular;
use serde::Deserialize;

/// Up to here every whole number is exact in `f32`.
const EXACT: f32 = 16_777_216.0;
/// Longest header that is read, in bytes.
const HEADER_BYTES: u64 = 1024 * 1024;

/// A file of tensors.
#[derive(Debug)]
pub(super) struct Tensors {
    file: File,
    header: String,
    about: BTreeMap<String, About>,
    /// Where the numbers begin.
    start: u64,
    length: u64,
}

/// What the header says of one tensor.
#[derive(Debug, Clone, Deserialize)]
struct About {
    dtype: String,
    shape: Vec<u64>,
    data_offsets: [u64; 2],
}

/// An entry of the header: a tensor, or what somebody noted about the file.
#[derive(Deserialize)]
#[serde(untagged)]
enum Entry {
    Tensor(About),
    Other(serde::de::IgnoredAny),
}

/// How a number is written.
#[derive(Debug, Clone, Copy)]
enum Number {
    F64,
    F32,
    F16,
    BF16,
    I64,
    I32,
    I8,
}

/// A tensor whose bounds hold: rows of numbers of one form.
#[derive(Debug, Clone, Copy)]
pub(super) struct Matrix {
    number: Number,
    at: u64,
    /// How many rows there are.
    pub(super) rows: u64,
    /// How many numbers a row has.
    pub(super) columns: usize,
}

impl Tensors {
    pub(super) fn open(path: &Path) -> Result<Self, String> {
        let why = |error: io::Error| format!("{}: {error}", path.display());
        let mut file = regular::open(path).map_err(why)?;
        let length = file.metadata().map_err(why)?.len();
        let mut size = [0; 8];
        file.read_exact(&mut size).map_err(why)?;
        let size = u64::from_le_bytes(size);
        if size > HEADER_BYTES {
            return Err(format!("{} is no .safetensors file", path.display()));
        }
        let mut header = String::new();
        let read = (&file).take(size).read_to_string(&mut header);
        read.map_err(why)?;
        let entries: BTreeMap<String, Entry> = serde_json::from_str(&header)
            .map_err(|error| format!("{} is no .safetensors file: {error}", path.display()))?;
        let about = entries.into_iter().filter_map(|(name, entry)| match entry {
            Entry::Tensor(about) => Some((name, about)),
            Entry::Other(_) => None,
        });
        Ok(Self {
            file,
            about: about.collect(),
            header,
            start: 8 + size,
            length,
        })
    }

    /// Returns the header, which is another for another matrix.
    pub(super) fn header(&self) -> &str {
        &self.header
    }

    /// Finds a tensor of one or two dimensions, if it is there.
    pub(super) fn find(&self, name: &str) -> Result<Option<Matrix>, String> {
        let Some(about) = self.about.get(name) else {
            return Ok(None);
        };
        let number = match about.dtype.as_str() {
            "F64" => Number::F64,
            "F32" => Number::F32,
            "F16" => Number::F16,
            "BF16" => Number::BF16,
            "I64" => Number::I64,
            "I32" => Number::I32,
            "I8" => Number::I8,
            other => {
                return Err(format!(
                    "the tensor {name:?} has numbers of the form {other:?}"
                ));
            }
        };
        let (rows, columns) = match about.shape[..] {
            [rows] => (rows, 1),
            [rows, columns] => (rows, columns),
            _ => return Err(format!("the tensor {name:?} is no matrix")),
        };
        let [from, to] = about.data_offsets;
        let bytes = rows
            .checked_mul(columns)
            .and_then(|it| it.checked_mul(number.bytes()));
        let end = self.start.checked_add(to);
        let holds = bytes.is_some_and(|bytes| from.checked_add(bytes) == Some(to))
            && end.is_some_and(|end| end <= self.length);
        match usize::try_from(columns) {
            Ok(columns) if holds && columns > 0 => Ok(Some(Matrix {
                number,
                at: self.start + from,
                rows,
                columns,
            })),
            _ => Err(format!(
                "the tensor {name:?} is not as long as the file says"
            )),
        }
    }

    /// Reads one row.
    pub(super) fn row(&mut self, matrix: Matrix, row: u64) -> Result<Vec<f32>, String> {
        if row >= matrix.rows {
            return Err(format!("there is no row {row} among {}", matrix.rows));
        }
        let width = matrix.number.bytes();
        let columns = matrix.columns as u64;
        let mut bytes = vec![0; matrix.columns * usize::try_from(width).expect("up to 8")];
        let read = self
            .file
            .seek(SeekFrom::Start(matrix.at + row * columns * width))
            .and_then(|_| self.file.read_exact(&mut bytes));
        read.map_err(|error| format!("reading row {row}: {error}"))?;
        let numbers = bytes.chunks_exact(usize::try_from(width).expect("up to 8"));
        Ok(numbers.map(|bytes| matrix.number.read(bytes)).collect())
    }

    /// Reads the first number of a row as that of another row.
    pub(super) fn number(&mut self, matrix: Matrix, row: u64) -> Result<u64, String> {
        let number = self.row(matrix, row)?[0];
        match number >= 0.0 && number.fract() == 0.0 && number < EXACT {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "whole, not below zero, and small enough, as was just asked"
            )]
            true => Ok(number as u64),
            false => Err(format!("row {row} is mapped to {number}")),
        }
    }

    /// Reads the first bytes of a matrix.
    pub(super) fn head(&mut self, matrix: Matrix, most: u64) -> Result<Vec<u8>, String> {
        let mut head = Vec::new();
        let all = matrix.rows * matrix.columns as u64 * matrix.number.bytes();
        let read = self.file.seek(SeekFrom::Start(matrix.at)).and_then(|_| {
            let mut part = (&self.file).take(most.min(all));
            part.read_to_end(&mut head)
        });
        read.map(|_| head)
            .map_err(|error| format!("reading the matrix: {error}"))
    }
}

impl Number {
    fn bytes(self) -> u64 {
        match self {
            Self::F64 | Self::I64 => 8,
            Self::F32 | Self::I32 => 4,
            Self::F16 | Self::BF16 => 2,
            Self::I8 => 1,
        }
    }

    /// Reads a number off as many bytes as it has.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_precision_loss,
        reason = "weights and numbers of rows, for which f32 is enough up to 16 million"
    )]
    fn read(self, bytes: &[u8]) -> f32 {
        fn of<const N: usize>(bytes: &[u8]) -> [u8; N] {
            bytes.try_into().expect("a chunk is as long as its number")
        }
        match self {
            Self::F64 => f64::from_le_bytes(of(bytes)) as f32,
            Self::F32 => f32::from_le_bytes(of(bytes)),
            Self::F16 => half(u16::from_le_bytes(of(bytes))),
            Self::BF16 => f32::from_bits(u32::from(u16::from_le_bytes(of(bytes))) << 16),
            Self::I64 => i64::from_le_bytes(of(bytes)) as f32,
            Self::I32 => i32::from_le_bytes(of(bytes)) as f32,
            Self::I8 => f32::from(i8::from_le_bytes(of(bytes))),
        }
    }
}

/// Reads a number of sixteen bits: a sign, five bits of exponent, ten of fraction.
fn half(bits: u16) -> f32 {
    let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
    let (exponent, fraction) = (
        i32::from(bits >> 10 & 0x1f),
        f32::from(bits & 0x3ff) / 1024.0,
    );
    match exponent {
        0 => sign * fraction * 2.0_f32.powi(-14),
        0x1f if fraction == 0.0 => sign * f32::INFINITY,
        0x1f => f32::NAN,
        _ => sign * (1.0 + fraction) * 2.0_f32.powi(exponent - 15),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(header: &str, numbers: &[u8]) -> tempfile::NamedTempFile {
        let file = tempfile::NamedTempFile::new().unwrap();
        let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
        bytes.extend(header.as_bytes());
        bytes.extend(numbers);
        std::fs::write(file.path(), bytes).unwrap();
        file
    }

    fn rows(dtype: &str, shape: &str, numbers: &[u8]) -> Result<Vec<Vec<f32>>, String> {
        let end = numbers.len();
        let header = format!(
            r#"{{"__metadata__":{{"format":"pt"}},"m":{{"dtype":"{dtype}","shape":{shape},"data_offsets":[0,{end}]}}}}"#
        );
        let file = file(&header, numbers);
        let mut tensors = Tensors::open(file.path())?;
        let matrix = tensors.find("m")?.ok_or("not there")?;
        (0..matrix.rows)
            .map(|row| tensors.row(matrix, row))
            .collect()
    }

    #[test]
    fn numbers_of_every_form_are_read() {
        let check = |dtype, numbers: &[u8], expected: f32| {
            assert_eq!(
                rows(dtype, "[1,1]", numbers).unwrap(),
                [[expected]],
                "{dtype}"
            );
        };
        check("F64", &0.5_f64.to_le_bytes(), 0.5);
        check("F32", &(-1.25_f32).to_le_bytes(), -1.25);
        check("I64", &(-3_i64).to_le_bytes(), -3.0);
        check("I32", &7_i32.to_le_bytes(), 7.0);
        check("I8", &[0x80], -128.0);
        check("BF16", &[0xa0, 0x3f], 1.25);
        // One, -2, the largest, the smallest, and a third as near as it goes.
        for (bits, expected) in [
            (0x3c00_u16, 1.0),
            (0xc000, -2.0),
            (0x7bff, 65504.0),
            (0x0001, 5.960_464_5e-8),
            (0x3555, 0.333_251_95),
            (0x8000, 0.0),
            (0xfc00, f32::NEG_INFINITY),
        ] {
            check("F16", &bits.to_le_bytes(), expected);
        }
        let two = rows("I8", "[2,3]", &[1, 2, 3, 4, 5, 6]).unwrap();
        assert_eq!(two, [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
        assert_eq!(rows("I8", "[2]", &[1, 2]).unwrap(), [[1.0], [2.0]]);
    }

    #[test]
    fn what_does_not_hold_is_refused() {
        let no = |dtype, shape, numbers: &[u8]| rows(dtype, shape, numbers).unwrap_err();
        assert!(no("F32", "[1,2]", &[0; 4]).contains("not as long"));
        assert!(no("F32", "[18446744073709551615,2]", &[0; 4]).contains("not as long"));
        assert!(no("F32", "[0,0]", &[]).contains("not as long"));
        assert!(no("F32", "[1,1,1]", &[0; 4]).contains("no matrix"));
        assert!(no("C64", "[1,1]", &[0; 8]).contains("form"));
        let far = file(
            r#"{"m":{"dtype":"I8","shape":[9],"data_offsets":[0,9]}}"#,
            &[0; 4],
        );
        let tensors = Tensors::open(far.path()).unwrap();
        assert!(tensors.find("m").is_err());
        assert!(tensors.find("n").unwrap().is_none());
        for header in ["", "[]", "{", "{\"m\":{\"dtype\":1}"] {
            assert!(Tensors::open(file(header, &[]).path()).is_err(), "{header}");
        }
        let short = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(short.path(), [0xff; 8]).unwrap();
        assert!(Tensors::open(short.path()).is_err());
        std::fs::write(short.path(), [1; 3]).unwrap();
        assert!(Tensors::open(short.path()).is_err());
    }
}
