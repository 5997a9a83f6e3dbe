//! Makes a model's file of published weights: of a folder, or of an archive (a Python wheel is a zip) that holds one.

use std::{
    fs::{self, File},
    io::{Read, Write as _},
    path::Path,
};

use serde::Deserialize;

use crate::{
    error::{MeaningError, Result},
    file::{MAGIC, ModelFile, ModelShape, hash_body, seal_part},
    safetensors::{Tensor, Tensors},
    weights::pack_row,
};

/// The longest part that is read, in bytes.
const MAX_PART_BYTES: u64 = 1 << 30;

/// The name of a model's file in a package that holds one ready.
const READY_NAME: &str = "meaning.hwmodel";

/// What is said of a licence that is not known.
const UNKNOWN_LICENSE: &str = "the licence of its source";

/// The parts of a published model.
struct ModelSource {
    config: Vec<u8>,
    words: String,
    weights: Vec<u8>,
}

/// What is read of `config.json`.
#[derive(Debug, Deserialize)]
struct Config {
    #[serde(default, rename = "_name_or_path")]
    name: String,
    hidden_size: usize,
    intermediate_size: usize,
    num_attention_heads: usize,
    num_hidden_layers: usize,
    max_position_embeddings: usize,
}

impl Config {
    /// Returns the name of the model and its licence, as far as the source says who it is.
    fn describe_source(&self) -> (&str, &'static str) {
        match self.name.as_str() {
            // What the published all-MiniLM-L6-v2 was trained from, and gives as its name.
            "nreimers/MiniLM-L6-H384-uncased" => ("all-MiniLM-L6-v2", "Apache-2.0"),
            "" => ("a BERT encoder", UNKNOWN_LICENSE),
            name => (name, UNKNOWN_LICENSE),
        }
    }
}

impl ModelSource {
    /// Reads `config.json`, `vocab.txt` and `model.safetensors` from a folder, or from the folder of an archive that has
    /// them.
    ///
    /// # Errors
    ///
    /// `Io` if something cannot be read, `NotAModel` if there is no such model.
    fn open(path: &Path) -> Result<Self> {
        let read = |name: &str| {
            if path.is_dir() {
                read_file(&path.join(name))
            } else {
                read_member(path, name)
            }
        };
        let words = String::from_utf8(read("vocab.txt")?);
        Ok(Self {
            config: read("config.json")?,
            words: words
                .map_err(|_| MeaningError::not_a_model(path, "its vocab.txt is not UTF-8"))?,
            weights: read("model.safetensors")?,
        })
    }
}

/// Puts a model's file in place: one that a package holds ready, or one made of published weights.
///
/// # Errors
///
/// `NotAModel` if the source holds neither, `Io` if something cannot be read or written.
pub fn install(source: &Path, to: &Path) -> Result<ModelFile> {
    match read_ready(source)? {
        Some(bytes) => write_model(&[&bytes], to),
        None => convert(&ModelSource::open(source)?, source, to),
    }
}

/// Writes a model's file, whole or not at all, and returns it opened. The same source gives the same bytes.
///
/// # Errors
///
/// `NotAModel` if the source is no BERT encoder of numbers of 32 bits, `Io` if the file cannot be written.
fn convert(source: &ModelSource, origin: &Path, to: &Path) -> Result<ModelFile> {
    let (shape, body) = build(source).map_err(|why| MeaningError::not_a_model(origin, &why))?;
    let mut head = serde_json::to_vec(&shape).expect("strings and numbers are JSON");
    let length = u32::try_from(head.len())
        .expect("a head is short")
        .to_le_bytes();
    seal_part(&mut head, 0);
    write_model(&[&MAGIC[..], &length, &head, &body], to)
}

/// Writes a file, and puts it in place if it is a model whose checksum is right.
fn write_model(parts: &[&[u8]], to: &Path) -> Result<ModelFile> {
    let folder = to.parent().unwrap_or(Path::new("."));
    let writing = MeaningError::io("writing", to);
    fs::create_dir_all(folder).map_err(&writing)?;
    let mut file = tempfile::NamedTempFile::new_in(folder).map_err(&writing)?;
    for part in parts {
        file.write_all(part).map_err(&writing)?;
    }
    file.as_file().sync_all().map_err(&writing)?;
    ModelFile::open(file.path())?.verify()?;
    file.persist(to).map_err(|error| writing(error.error))?;
    ModelFile::open(to)
}

/// Reads a model's file itself, or the one in a folder or an archive that holds it ready.
fn read_ready(path: &Path) -> Result<Option<Vec<u8>>> {
    if path.is_dir() {
        let ready = path.join(READY_NAME);
        return ready.exists().then(|| read_file(&ready)).transpose();
    }
    let mut start = [0; MAGIC.len()];
    let file = File::open(path).map_err(MeaningError::io("reading", path))?;
    if (&file).read_exact(&mut start).is_ok() && start == *MAGIC {
        return read_file(path).map(Some);
    }
    Ok(read_member(path, READY_NAME).ok())
}

fn build(source: &ModelSource) -> Result<(ModelShape, Vec<u8>), String> {
    let config: Config = serde_json::from_slice(&source.config)
        .map_err(|error| format!("its config.json: {error}"))?;
    let tensors = Tensors::parse(&source.weights)?;
    let words = read_matrix(
        &tensors,
        "embeddings.word_embeddings.weight",
        config.hidden_size,
    )?;
    let mut vocabulary: Vec<(&str, usize)> = source.words.lines().zip(0..).collect();
    if vocabulary.len() != words.rows {
        return Err("it has not as many words as rows of words".to_owned());
    }
    vocabulary.sort_unstable();
    let mut body: Vec<u8> = Vec::new();
    vocabulary
        .iter()
        .for_each(|(word, _)| body.extend(format!("{word}\n").bytes()));
    let (name, license) = config.describe_source();
    let shape = ModelShape {
        name: name.to_owned(),
        license: license.to_owned(),
        notice: format!(
            "converted from the published weights of {name}; they were changed: rounded to 4 bits"
        ),
        sha256: String::new(),
        words: words.rows,
        word_bytes: body.len(),
        positions: config.max_position_embeddings,
        width: config.hidden_size,
        inner: config.intermediate_size,
        heads: config.num_attention_heads,
        layers: config.num_hidden_layers,
    };
    seal_part(&mut body, 0);
    vocabulary
        .iter()
        .for_each(|(_, row)| push_row(words.row(*row), &mut body));
    push_positions(&tensors, &shape, &mut body)?;
    let start = body.len();
    push_norm(&tensors, "embeddings.LayerNorm", &shape, &mut body)?;
    seal_part(&mut body, start);
    for layer in 0..shape.layers {
        let start = body.len();
        push_layer(
            &tensors,
            &format!("encoder.layer.{layer}"),
            &shape,
            &mut body,
        )?;
        seal_part(&mut body, start);
    }
    if body.len() != shape.body_bytes() {
        return Err("its shape is not what its config.json says".to_owned());
    }
    let sha256 = hash_body(&body);
    Ok((ModelShape { sha256, ..shape }, body))
}

/// Appends the rows of positions, each with that of the first kind of text, which is the only one there is here.
fn push_positions(
    tensors: &Tensors<'_>,
    shape: &ModelShape,
    body: &mut Vec<u8>,
) -> Result<(), String> {
    let positions = read_matrix(
        tensors,
        "embeddings.position_embeddings.weight",
        shape.width,
    )?;
    let kinds = read_matrix(
        tensors,
        "embeddings.token_type_embeddings.weight",
        shape.width,
    )?;
    for position in 0..positions.rows {
        let sums = positions
            .row(position)
            .iter()
            .zip(kinds.row(0))
            .map(|(one, other)| one + other);
        push_row(&sums.collect::<Vec<_>>(), body);
    }
    Ok(())
}

/// Appends a row that is read alone.
fn push_row(row: &[f32], body: &mut Vec<u8>) {
    let start = body.len();
    pack_row(row, body);
    seal_part(body, start);
}

fn push_layer(
    tensors: &Tensors<'_>,
    name: &str,
    shape: &ModelShape,
    body: &mut Vec<u8>,
) -> Result<(), String> {
    let push_dense = |part: &str, columns: usize, body: &mut Vec<u8>| {
        let weights = read_matrix(tensors, &format!("{name}.{part}.weight"), columns)?;
        (0..weights.rows).for_each(|row| pack_row(weights.row(row), body));
        push_vector(tensors, &format!("{name}.{part}.bias"), weights.rows, body)
    };
    for part in ["self.query", "self.key", "self.value", "output.dense"] {
        push_dense(&format!("attention.{part}"), shape.width, body)?;
    }
    push_norm(
        tensors,
        &format!("{name}.attention.output.LayerNorm"),
        shape,
        body,
    )?;
    push_dense("intermediate.dense", shape.width, body)?;
    push_dense("output.dense", shape.inner, body)?;
    push_norm(tensors, &format!("{name}.output.LayerNorm"), shape, body)
}

fn push_norm(
    tensors: &Tensors<'_>,
    name: &str,
    shape: &ModelShape,
    body: &mut Vec<u8>,
) -> Result<(), String> {
    push_vector(tensors, &format!("{name}.weight"), shape.width, body)?;
    push_vector(tensors, &format!("{name}.bias"), shape.width, body)
}

fn push_vector(
    tensors: &Tensors<'_>,
    name: &str,
    length: usize,
    body: &mut Vec<u8>,
) -> Result<(), String> {
    let vector = read_matrix(tensors, name, length)?;
    body.extend(vector.row(0).iter().flat_map(|number| number.to_le_bytes()));
    Ok(())
}

fn read_matrix(tensors: &Tensors<'_>, name: &str, columns: usize) -> Result<Tensor, String> {
    let tensor = tensors.read(name)?;
    if tensor.columns != columns || tensor.rows == 0 {
        return Err(format!(
            "{name} has {} columns, not {columns}",
            tensor.columns
        ));
    }
    Ok(tensor)
}

fn read_file(path: &Path) -> Result<Vec<u8>> {
    let file = File::open(path).map_err(MeaningError::io("reading", path))?;
    read_bounded(file, path)
}

/// Reads the shortest path of an archive that ends in this name.
fn read_member(path: &Path, name: &str) -> Result<Vec<u8>> {
    let no_archive =
        |_| MeaningError::not_a_model(path, "it is neither a folder nor an archive (.whl, .zip)");
    let file = File::open(path).map_err(MeaningError::io("reading", path))?;
    let mut archive = zip::ZipArchive::new(file).map_err(no_archive)?;
    let members = archive.file_names().flatten().map(|name| name.into_owned());
    let members = members.filter(|member| member.rsplit('/').next() == Some(name));
    let member = members.min_by_key(|member| (member.len(), member.clone()));
    let member =
        member.ok_or_else(|| MeaningError::not_a_model(path, format!("it holds no {name}")))?;
    let member = archive.by_name(&member).map_err(no_archive)?;
    read_bounded(member, path)
}

fn read_bounded(from: impl Read, path: &Path) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let length = from.take(MAX_PART_BYTES).read_to_end(&mut bytes);
    length.map_err(MeaningError::io("reading", path))?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use proptest::prelude::*;

    use super::*;
    use crate::network::Deadline;

    /// A published model of a few numbers: two layers of width eight.
    fn write_source(folder: &Path) {
        let words = "[UNK]\n[CLS]\n[SEP]\nrun\ntests\nship\n";
        fs::write(folder.join("vocab.txt"), words).unwrap();
        let config = r#"{"hidden_size":8,"intermediate_size":16,"num_attention_heads":2,"num_hidden_layers":2,"max_position_embeddings":6}"#;
        fs::write(folder.join("config.json"), config).unwrap();
        let mut shapes = vec![
            ("embeddings.word_embeddings.weight".to_owned(), vec![6, 8]),
            (
                "embeddings.position_embeddings.weight".to_owned(),
                vec![6, 8],
            ),
            (
                "embeddings.token_type_embeddings.weight".to_owned(),
                vec![2, 8],
            ),
        ];
        let mut push = |name: &str, shape: &[usize]| shapes.push((name.to_owned(), shape.to_vec()));
        push("embeddings.LayerNorm.weight", &[8]);
        push("embeddings.LayerNorm.bias", &[8]);
        for layer in 0..2 {
            let parts = [
                ("attention.self.query", 8, 8),
                ("attention.self.key", 8, 8),
                ("attention.self.value", 8, 8),
                ("attention.output.dense", 8, 8),
                ("intermediate.dense", 16, 8),
                ("output.dense", 8, 16),
            ];
            for (part, rows, columns) in parts {
                push(
                    &format!("encoder.layer.{layer}.{part}.weight"),
                    &[rows, columns],
                );
                push(&format!("encoder.layer.{layer}.{part}.bias"), &[rows]);
            }
            for norm in ["attention.output.LayerNorm", "output.LayerNorm"] {
                push(&format!("encoder.layer.{layer}.{norm}.weight"), &[8]);
                push(&format!("encoder.layer.{layer}.{norm}.bias"), &[8]);
            }
        }
        fs::write(folder.join("model.safetensors"), write_tensors(&shapes)).unwrap();
    }

    /// Numbers that differ, in the published form.
    fn write_tensors(shapes: &[(String, Vec<usize>)]) -> Vec<u8> {
        let (mut head, mut body) = (serde_json::Map::new(), Vec::new());
        for (name, shape) in shapes {
            let start = body.len();
            for place in 0..shape.iter().product::<usize>() {
                let number = ((start + 7 * place) % 23) as f32 / 23.0 - 0.5;
                body.extend(number.to_le_bytes());
            }
            let entry = serde_json::json!({"dtype": "F32", "shape": shape, "data_offsets": [start, body.len()]});
            head.insert(name.clone(), entry);
        }
        let head = serde_json::to_vec(&head).unwrap();
        [&(head.len() as u64).to_le_bytes()[..], &head, &body].concat()
    }

    fn make_model(folder: &Path) -> ModelFile {
        write_source(folder);
        let source = ModelSource::open(folder).unwrap();
        convert(&source, folder, &folder.join("m.hwmodel")).unwrap()
    }

    fn embed(model: &ModelFile, text: &str) -> Vec<f32> {
        model
            .embed(text, 64, Deadline(Instant::now() + Duration::from_secs(60)))
            .unwrap()
    }

    #[test]
    fn a_source_gives_one_file_and_a_text_one_vector() {
        let folder = tempfile::tempdir().unwrap();
        let model = make_model(folder.path());
        model.verify().unwrap();
        // Nobody says whose weights these are.
        assert_eq!(model.shape().license, UNKNOWN_LICENSE);
        let bytes = fs::read(folder.path().join("m.hwmodel")).unwrap();
        make_model(folder.path());
        assert_eq!(bytes, fs::read(folder.path().join("m.hwmodel")).unwrap());
        let [run, ship] = ["run tests", "ship"].map(|text| embed(&model, text));
        assert!(run.len() == 8 && run.iter().all(|number| number.is_finite()) && run != ship);
        assert_eq!(embed(&model, "RUN tests"), run);
        // A text is cut to what the model has places for.
        assert!(
            embed(&model, &"run ship ".repeat(50))
                .iter()
                .all(|number| number.is_finite())
        );
        let past = Deadline(Instant::now());
        assert!(matches!(
            model.embed("run", 64, past),
            Err(MeaningError::TooSlow)
        ));
    }

    #[test]
    fn an_archive_is_read_as_the_folder_in_it() {
        let folder = tempfile::tempdir().unwrap();
        let model = make_model(folder.path());
        let archive = folder.path().join("m.whl");
        let mut zip = zip::ZipWriter::new(File::create(&archive).unwrap());
        for name in ["config.json", "vocab.txt", "model.safetensors"] {
            let options = zip::write::SimpleFileOptions::default();
            zip.start_file(format!("m/model/{name}"), options).unwrap();
            zip.write_all(&fs::read(folder.path().join(name)).unwrap())
                .unwrap();
        }
        zip.finish().unwrap();
        let from_archive = install(&archive, &folder.path().join("n.hwmodel")).unwrap();
        assert_eq!(from_archive.shape(), model.shape());
    }

    #[test]
    fn a_ready_file_is_taken_as_it_is_if_it_is_whole() {
        let folder = tempfile::tempdir().unwrap();
        make_model(folder.path());
        let bytes = fs::read(folder.path().join("m.hwmodel")).unwrap();
        let package = folder.path().join("package");
        fs::create_dir(&package).unwrap();
        let ready = package.join(READY_NAME);
        fs::write(&ready, &bytes).unwrap();
        let archive = folder.path().join("p.whl");
        let mut zip = zip::ZipWriter::new(File::create(&archive).unwrap());
        let options = zip::write::SimpleFileOptions::default();
        zip.start_file(format!("p/{READY_NAME}"), options).unwrap();
        zip.write_all(&bytes).unwrap();
        zip.finish().unwrap();
        let to = folder.path().join("to/n.hwmodel");
        for source in [&package, &ready, &archive] {
            drop(fs::remove_file(&to));
            install(source, &to).unwrap();
            assert_eq!(fs::read(&to).unwrap(), bytes);
        }
        for at in [MAGIC.len() - 1, bytes.len() - 1] {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1;
            fs::write(&ready, damaged).unwrap();
            assert!(install(&package, &to).is_err(), "{at}");
        }
        assert_eq!(fs::read(&to).unwrap(), bytes, "the model before stays");
    }

    /// Reads every part as a text with all words in all places would.
    fn read_all(path: &Path) -> Result<()> {
        let model = ModelFile::open(path)?;
        for row in 0..model.shape().words {
            model.read_token(row, row % model.shape().positions)?;
        }
        model.read_first_norm()?;
        (0..model.shape().layers).try_for_each(|layer| model.read_layer(layer).map(drop))
    }

    #[test]
    fn no_byte_can_change_unseen() {
        let folder = tempfile::tempdir().unwrap();
        make_model(folder.path());
        let path = folder.path().join("m.hwmodel");
        let bytes = fs::read(&path).unwrap();
        read_all(&path).unwrap();
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 1 << (at % 8);
            fs::write(&path, changed).unwrap();
            let result = read_all(&path);
            assert!(
                matches!(result, Err(MeaningError::NotAModel { .. })),
                "{at}"
            );
        }
    }

    #[test]
    fn what_is_damaged_is_said_and_not_used() {
        let folder = tempfile::tempdir().unwrap();
        make_model(folder.path());
        let path = folder.path().join("m.hwmodel");
        let bytes = fs::read(&path).unwrap();
        for length in [0, 5, 11, 40, bytes.len() - 1] {
            fs::write(&path, &bytes[..length]).unwrap();
            assert!(ModelFile::open(&path).is_err(), "{length}");
        }
        let mut changed = bytes.clone();
        *changed.last_mut().unwrap() ^= 1;
        fs::write(&path, changed).unwrap();
        let error = read_all(&path).unwrap_err();
        assert!(
            error.to_string().ends_with("add the model again"),
            "{error}"
        );
        fs::write(folder.path().join("model.safetensors"), b"x").unwrap();
        let source = ModelSource::open(folder.path()).unwrap();
        assert!(convert(&source, folder.path(), &path).is_err());
    }

    proptest! {
        /// Whatever the bytes, a text has the vector of the whole file or none.
        #[test]
        fn any_bytes_are_read_without_a_panic(at in 0_usize..2000, byte in any::<u8>()) {
            let folder = tempfile::tempdir().unwrap();
            let whole = embed(&make_model(folder.path()), "run ship");
            let path = folder.path().join("m.hwmodel");
            let mut bytes = fs::read(&path).unwrap();
            let place = at % bytes.len();
            bytes[place] = byte;
            fs::write(&path, bytes).unwrap();
            let deadline = Deadline(Instant::now() + Duration::from_secs(60));
            let vector = ModelFile::open(&path).and_then(|model| model.embed("run ship", 64, deadline));
            match vector {
                Ok(vector) => prop_assert_eq!(vector, whole),
                Err(error) => prop_assert!(matches!(error, MeaningError::NotAModel { .. }), "{}", error),
            }
        }
    }
}
