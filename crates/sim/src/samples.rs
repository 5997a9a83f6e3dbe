//! Reads sample files: JSON lines, gzip-compressed when the name ends in `.gz`.

use std::{
    fs::File,
    io::{BufRead as _, BufReader, Read},
    path::Path,
};

use anyhow::Context as _;
use serde::de::DeserializeOwned;

/// Reads every row of a sample file.
pub(crate) fn read_rows<T: DeserializeOwned>(path: &Path) -> anyhow::Result<Vec<T>> {
    let file = File::open(path).with_context(|| format!("opening {}", path.display()))?;
    let reader: Box<dyn Read> = if path.extension().is_some_and(|ext| ext == "gz") {
        Box::new(flate2::read::GzDecoder::new(file))
    } else {
        Box::new(file)
    };
    BufReader::new(reader)
        .lines()
        .enumerate()
        .map(|(index, line)| {
            let line = line.with_context(|| format!("reading {}", path.display()))?;
            serde_json::from_str(&line)
                .with_context(|| format!("reading line {} of {}", index + 1, path.display()))
        })
        .collect()
}
