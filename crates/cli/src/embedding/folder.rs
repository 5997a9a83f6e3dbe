//! A static embedding in a folder: a vector for each token, and a text is the sum of its tokens'.
//!
//! The form is that of model2vec (the `potion` models) and of sentence-transformers'
//! `StaticEmbedding`: `tokenizer.json` and `model.safetensors` with a matrix of one row a token,
//! maybe with a weight for each token and a mapping of tokens to rows. Only a direction is asked for,
//! so neither a mean nor `normalize` makes a difference. The folder is opened when it is first asked,
//! and of the matrix only the rows of the tokens at hand are read.

use std::{
    collections::BTreeMap,
    io::Read as _,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
    time::Duration,
};

use hardwon_core::{digest, limits, text::CleanText, vector::Vector};
use hardwon_engine::{
    embed::{Embedded, Embedder},
    model::ModelError,
    regular,
};

use super::{
    matrix::{Matrix, Tensors},
    pieces::Pieces,
};

/// Tokens of a text that count, as in the published implementations.
const TOKENS: usize = 512;
/// Longest tokenizer that is read, in bytes.
const TOKENIZER_BYTES: u64 = 64 * 1024 * 1024;
/// How much of the matrix tells it from others, in bytes.
const HEAD_BYTES: u64 = 64 * 1024;
/// What the matrix is called, by who wrote it.
const NAMES: [&str; 3] = ["embeddings", "embedding.weight", "0"];

/// A folder that holds a static embedding.
#[derive(Debug)]
pub(super) struct Folder {
    path: PathBuf,
    opened: Mutex<Option<Opened>>,
}

#[derive(Debug)]
struct Opened {
    space: String,
    pieces: Pieces,
    tensors: Tensors,
    rows: Matrix,
    weights: Option<Matrix>,
    mapping: Option<Matrix>,
}

impl Folder {
    pub(super) fn new(path: PathBuf) -> Self {
        Self {
            path,
            opened: Mutex::default(),
        }
    }

    /// Runs `ask` on the folder, which is opened once.
    fn with<T>(&self, ask: impl FnOnce(&mut Opened) -> Result<T, String>) -> Result<T, ModelError> {
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        let told = |why: String| ModelError::Unusable(format!("embedding_folder: {why}"));
        if opened.is_none() {
            *opened = Some(Opened::read(&self.path).map_err(told)?);
        }
        ask(opened.as_mut().expect("it was opened just now")).map_err(told)
    }
}

impl Embedder for Folder {
    fn space(&self) -> Result<String, ModelError> {
        self.with(|opened| Ok(opened.space.clone()))
    }

    fn embed(&self, texts: &[CleanText], _: Duration) -> Result<Embedded, ModelError> {
        let texts: Vec<&str> = texts.iter().map(CleanText::as_str).collect();
        let sums = self.with(|opened| opened.sums(&texts));
        Ok(Embedded {
            vectors: sums?.iter().map(|sum| Vector::of(sum)).collect(),
            tokens: 0,
        })
    }
}

impl Opened {
    fn read(folder: &Path) -> Result<Self, String> {
        let path = folder.join("tokenizer.json");
        let why = |error| format!("{}: {error}", path.display());
        let mut json = String::new();
        let file = regular::open(&path).map_err(why)?;
        file.take(TOKENIZER_BYTES)
            .read_to_string(&mut json)
            .map_err(why)?;
        let pieces = Pieces::read(&json)?;
        let mut tensors = Tensors::open(&folder.join("model.safetensors"))?;
        let found: Result<Vec<_>, _> = NAMES.iter().map(|name| tensors.find(name)).collect();
        let rows = found?.into_iter().flatten().next();
        let rows = rows.ok_or("model.safetensors holds no matrix of embeddings")?;
        if rows.columns > limits::VECTOR_DIMENSIONS {
            return Err(format!(
                "its vectors have {} numbers; {} are the most",
                rows.columns,
                limits::VECTOR_DIMENSIONS
            ));
        }
        Ok(Self {
            space: space(folder, &json, &mut tensors, rows)?,
            weights: tensors.find("weights")?,
            mapping: tensors.find("mapping")?,
            pieces,
            tensors,
            rows,
        })
    }

    /// Adds up the rows of each text's tokens.
    fn sums(&mut self, texts: &[&str]) -> Result<Vec<Vec<f32>>, String> {
        let tokens = self.pieces.tokens(texts, TOKENS)?;
        tokens.iter().map(|tokens| self.sum(tokens)).collect()
    }

    fn sum(&mut self, tokens: &[u32]) -> Result<Vec<f32>, String> {
        let mut counts: BTreeMap<u32, f32> = BTreeMap::new();
        for token in tokens {
            *counts.entry(*token).or_default() += 1.0;
        }
        let mut sum = vec![0.0; self.rows.columns];
        for (token, count) in counts {
            let token = u64::from(token);
            let factor = count * self.weight(token)?;
            let row = self.mapped(token)?;
            let row = self.tensors.row(self.rows, row)?;
            sum.iter_mut()
                .zip(row)
                .for_each(|(sum, number)| *sum += factor * number);
        }
        Ok(sum)
    }

    fn weight(&mut self, token: u64) -> Result<f32, String> {
        match self.weights {
            Some(weights) if token < weights.rows => Ok(self.tensors.row(weights, token)?[0]),
            Some(_) | None => Ok(1.0),
        }
    }

    fn mapped(&mut self, token: u64) -> Result<u64, String> {
        let Some(mapping) = self.mapping.filter(|mapping| token < mapping.rows) else {
            return Ok(token);
        };
        self.tensors.number(mapping, token)
    }
}

/// Names the space of the vectors: by the folder's name for people, and by what is in it.
fn space(
    folder: &Path,
    tokenizer: &str,
    tensors: &mut Tensors,
    rows: Matrix,
) -> Result<String, String> {
    let head = tensors.head(rows, HEAD_BYTES)?;
    let parts = [tokenizer.as_bytes(), tensors.header().as_bytes(), &head];
    let print = digest::hex(&digest::of(parts)[..4]);
    let name = folder.file_name().map(|it| it.to_string_lossy());
    let name = name.unwrap_or_default();
    let name: String = name.chars().filter(|c| !c.is_control()).take(100).collect();
    Ok(format!("folder {name} {print}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes a folder in the published form: six tokens, of which one is unknown, in two
    /// dimensions.
    fn folder(tensors: &[(&str, &str, &str, Vec<u8>)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let tokenizer = serde_json::json!({
            "version": "1.0",
            "normalizer": {"type": "BertNormalizer", "clean_text": true,
                "handle_chinese_chars": true, "strip_accents": null, "lowercase": true},
            "pre_tokenizer": {"type": "BertPreTokenizer"},
            "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
                "max_input_chars_per_word": 100,
                "vocab": {"[PAD]": 0, "[UNK]": 1, "north": 2, "east": 3, "##ern": 4, "far": 5}},
        });
        std::fs::write(folder.path().join("tokenizer.json"), tokenizer.to_string()).unwrap();
        let mut header = serde_json::Map::new();
        let mut data: Vec<u8> = Vec::new();
        for (name, dtype, shape, bytes) in tensors {
            let from = data.len();
            data.extend(bytes);
            let shape: serde_json::Value = serde_json::from_str(shape).unwrap();
            let about = serde_json::json!({"dtype": dtype, "shape": shape,
                "data_offsets": [from, data.len()]});
            header.insert((*name).to_owned(), about);
        }
        let header = serde_json::Value::Object(header).to_string();
        let mut file = (header.len() as u64).to_le_bytes().to_vec();
        file.extend(header.as_bytes());
        file.extend(data);
        std::fs::write(folder.path().join("model.safetensors"), file).unwrap();
        folder
    }

    fn f32s(numbers: &[f32]) -> Vec<u8> {
        numbers.iter().flat_map(|it| it.to_le_bytes()).collect()
    }

    /// `[PAD]` and `[UNK]` are far away from all else, so that counting them in shows.
    const ROWS: [f32; 12] = [
        -9.0, -9.0, -9.0, 9.0, 0.0, 2.0, 3.0, 0.0, 0.0, 1.0, 1.0, 1.0,
    ];

    fn plain() -> tempfile::TempDir {
        folder(&[("embeddings", "F32", "[6,2]", f32s(&ROWS))])
    }

    fn sum(folder: &Path, text: &str) -> Vec<f32> {
        let sums = Opened::read(folder).unwrap().sums(&[text]);
        sums.unwrap().remove(0)
    }

    #[test]
    fn a_text_is_the_sum_of_its_tokens() {
        let plain = plain();
        let check = |text, expected: [f32; 2]| assert_eq!(sum(plain.path(), text), expected);
        check("north", [0.0, 2.0]);
        check("Northern", [0.0, 3.0]);
        check("north, east and east", [6.0, 2.0]);
        check("nowhere", [0.0, 0.0]);
        check(&"far ".repeat(600), [512.0, 512.0]);
    }

    #[test]
    fn weights_and_mappings_are_heeded() {
        // Token 5 shares the row of token 2; token 3 counts half.
        let mapping: Vec<u8> = [0_i64, 1, 2, 3, 4, 2]
            .iter()
            .flat_map(|it| it.to_le_bytes())
            .collect();
        let weights: Vec<u8> = [1.0_f64, 1.0, 1.0, 0.5, 1.0, 3.0]
            .iter()
            .flat_map(|it| it.to_le_bytes())
            .collect();
        let folder = folder(&[
            ("embeddings", "F32", "[5,2]", f32s(&ROWS[..10])),
            ("mapping", "I64", "[6]", mapping),
            ("weights", "F64", "[6]", weights),
        ]);
        assert_eq!(sum(folder.path(), "far"), [0.0, 6.0]);
        assert_eq!(sum(folder.path(), "east north"), [1.5, 2.0]);
    }

    #[test]
    fn directions_come_out_in_order_and_texts_unknown_have_none() {
        let plain = plain();
        let folder = Folder::new(plain.path().to_owned());
        let texts = ["east", "???", "far"].map(|it| CleanText::stored(it.to_owned()));
        let embedded = folder.embed(&texts, Duration::ZERO).unwrap();
        let bytes: Vec<_> = embedded
            .vectors
            .iter()
            .map(|it| it.as_ref().map(Vector::bytes))
            .collect();
        assert_eq!(bytes[0], Ok(vec![127, 0]));
        assert!(bytes[1].is_err());
        assert_eq!(bytes[2], Ok(vec![127, 127]));
        assert_eq!(embedded.tokens, 0);
    }

    #[test]
    fn a_space_is_named_by_what_is_in_it() {
        let name =
            |folder: &tempfile::TempDir| Folder::new(folder.path().to_owned()).space().unwrap();
        let print = |name: &str| name.rsplit_once(' ').unwrap().1.to_owned();
        let other = folder(&[("embeddings", "F32", "[6,2]", f32s(&[0.5; 12]))]);
        assert_eq!(print(&name(&plain())), print(&name(&plain())));
        assert_ne!(print(&name(&plain())), print(&name(&other)));
        let copy = plain();
        assert!(name(&copy).starts_with("folder "));
    }

    #[test]
    fn what_cannot_be_used_is_told() {
        let told = |folder: &Path| {
            let told = Folder::new(folder.to_owned())
                .space()
                .unwrap_err()
                .to_string();
            told.replace(&folder.display().to_string(), "DIR")
        };
        let empty = tempfile::tempdir().unwrap();
        insta::assert_snapshot!(told(empty.path()),
            @"embedding_folder: DIR/tokenizer.json: No such file or directory (os error 2)");
        let none = folder(&[("other", "F32", "[1]", f32s(&[1.0]))]);
        insta::assert_snapshot!(told(none.path()),
            @"embedding_folder: model.safetensors holds no matrix of embeddings");
        // A vocabulary of another matrix.
        let short = folder(&[("embeddings", "F32", "[3,2]", f32s(&ROWS[..6]))]);
        let folder = Folder::new(short.path().to_owned());
        let far = [CleanText::stored("far".to_owned())];
        insta::assert_snapshot!(folder.embed(&far, Duration::ZERO).unwrap_err(),
            @"embedding_folder: there is no row 5 among 3");
    }
}
