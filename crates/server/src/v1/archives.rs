//! `/v1/exports` and `/v1/imports`: the lessons of a scope as an archive of LESSON.md files, and back.
//!
//! Nothing of an archive is written to disk, so no path in one can lead anywhere; what is no plain file at its top is
//! passed over all the same. An archive is packed and unpacked in memory, within bounds: a client that reads slowly
//! keeps no thread.

use std::io::{self, Read};

use axum::{
    body::Bytes,
    extract::FromRequest as _,
    http::{StatusCode, header},
    response::IntoResponse as _,
};
use flate2::{Compression, read::GzDecoder, write::GzEncoder};
use hardwon_api::v1::files::ArchiveImportReply;
use hardwon_core::Slug;
use hardwon_engine::{CarriedFile, SkippedFile};

use super::prelude::*;

/// Most bytes of an archive that is sent.
const PACKED_BYTES: usize = 8 * 1024 * 1024;
/// Most bytes of an archive once it is unpacked.
const UNPACKED_BYTES: u64 = 64 * 1024 * 1024;
/// Most entries of an archive: as many as are stored in the time that a request has.
const ENTRIES: usize = 4096;
/// Most characters of a name that are repeated in an answer.
const NAME_CHARS: usize = 200;

pub(super) fn verbs() -> Vec<VerbRow> {
    vec![
        verb("GET /v1/exports", Read, export_lessons)
            .tells_bytes("application/gzip", "The archive"),
        own_verb("POST /v1/imports", import_lessons)
            .takes_up_to(PACKED_BYTES)
            .sends_bytes("application/gzip", "The archive")
            .tells::<ArchiveImportReply>(200, "What became of each file")
            .or(400, "This is no such archive")
            .or(413, "It is too large"),
    ]
}

/// Which lessons to export.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct ExportQuery {
    /// The agent; if absent the key's, else the server's default.
    agent_id: Option<String>,
    /// The project; if absent, the lessons that apply everywhere.
    project: Option<String>,
    /// Also those that wait for a person. Whoever reads the files does not see that they do.
    #[serde(default)]
    all: bool,
}

/// Export the lessons of an agent and a project as LESSON.md files, in a tar archive packed with gzip.
fn export_lessons(door: &Door, QueryOf(query): QueryOf<ExportQuery>) -> Result<Response> {
    let scope = parse_asked_scope(query.agent_id, query.project)?;
    let files = door.read_desk(&scope)?.carry_lessons(query.all)?;
    let archive = pack_archive(files).map_err(ApiError::internal)?;
    let headers = [
        (header::CONTENT_TYPE, "application/gzip"),
        (
            header::CONTENT_DISPOSITION,
            "attachment; filename=\"lessons.tar.gz\"",
        ),
    ];
    Ok((headers, archive).into_response())
}

/// Packs files, and lets go of each once it is packed.
fn pack_archive(files: Vec<CarriedFile>) -> io::Result<Vec<u8>> {
    let mut archive = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::default()));
    for file in files {
        let mut head = tar::Header::new_ustar();
        head.set_size(u64::try_from(file.text.len()).unwrap_or(u64::MAX));
        head.set_mode(0o600);
        archive.append_data(&mut head, format!("{}.md", file.slug), file.text.as_bytes())?;
    }
    archive.into_inner()?.finish()
}

/// Where the lessons of an archive go.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct ImportQuery {
    /// The agent; if absent the key's, else the server's default.
    agent_id: Option<String>,
    /// The project; if absent, the lessons apply everywhere.
    project: Option<String>,
    /// Store nothing, and say what would become of each file.
    #[serde(default)]
    dry_run: bool,
}

/// Import LESSON.md files from a tar archive packed with gzip.
///
/// The files lie at the archive's top and are called after their slugs. Each enters through the guard as a file's word,
/// whatever it claims about itself. An archive has at most 8 MiB, 64 MiB unpacked, and 4096 files.
async fn import_lessons(
    door: Door,
    (QueryOf(query), request): (QueryOf<ImportQuery>, Request),
) -> Result<Response> {
    let scope = parse_asked_scope(query.agent_id, query.project)?;
    let archive = Bytes::from_request(request, &()).await;
    let archive = archive.map_err(|rejection| match rejection.status() {
        StatusCode::PAYLOAD_TOO_LARGE => too_large(),
        status => ApiError::new(status, "the body could not be read"),
    })?;
    // Whoever may not import is told so before anything is unpacked.
    let scope_to_check = scope.clone();
    let check = move |door: &Door| Ok(door.read_desk(&scope_to_check)?.check_may_import()?);
    door.clone().run(WorkKind::Read, check).await?;
    let unpacking = door
        .state
        .run(WorkKind::Read, move |_| unpack_archive(&archive));
    let archive = unpacking.await?;
    door.run(WorkKind::Write, move |door| {
        let desk = door.write_desk(&scope)?;
        let report = desk.import_files(&archive.files, query.dry_run)?;
        let skips = &archive.skipped;
        json(&ArchiveImportReply::from_report(
            &report,
            skips,
            query.dry_run,
        ))
    })
    .await
}

/// What an archive holds.
#[derive(Debug, Default, PartialEq, Eq)]
struct UnpackedArchive {
    files: Vec<CarriedFile>,
    skipped: Vec<SkippedFile>,
}

fn too_large() -> ApiError {
    let message = "the archive is too large: at most 8 MiB, 64 MiB unpacked, and 4096 files";
    ApiError::new(StatusCode::PAYLOAD_TOO_LARGE, message)
}

fn unpack_archive(packed: &[u8]) -> Result<UnpackedArchive> {
    let invalid = |_: io::Error| {
        ApiError::bad_request("this is no tar archive packed with gzip, or half of one")
    };
    let mut reader = GzDecoder::new(packed).take(UNPACKED_BYTES);
    let mut contents = UnpackedArchive::default();
    let mut archive = tar::Archive::new(&mut reader);
    let outcome = (|| {
        for (number, entry) in archive.entries().map_err(invalid)?.enumerate() {
            if number == ENTRIES {
                return Err(too_large());
            }
            let entry = entry.map_err(invalid)?;
            contents.take_entry(entry).map_err(invalid)?;
        }
        Ok(())
    })();
    match reader.limit() {
        0 => Err(too_large()),
        _ => outcome.map(|()| contents),
    }
}

impl UnpackedArchive {
    /// Takes an entry, or passes it over and says why.
    fn take_entry(&mut self, mut entry: tar::Entry<'_, impl Read>) -> io::Result<()> {
        let kind = entry.header().entry_type();
        let name = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        if kind.is_dir() {
            return Ok(());
        }
        let slug = match (kind.is_file(), parse_name(&name)) {
            (false, _) => Err("it is no plain file"),
            (true, parsed) => parsed,
        };
        let is_known = |slug: &Slug| self.files.iter().any(|file| file.slug == *slug);
        match slug {
            Err(why) => self.pass_over(&name, why),
            Ok(slug) if is_known(&slug) => self.pass_over(&name, "another file has the same name"),
            Ok(slug) => match read_text(&mut entry)? {
                Ok(text) => self.files.push(CarriedFile { slug, text }),
                Err(why) => self.pass_over(&name, why),
            },
        }
        Ok(())
    }

    fn pass_over(&mut self, name: &str, why: &str) {
        self.skipped.push(SkippedFile {
            name: name.chars().take(NAME_CHARS).collect(),
            reason: why.to_owned(),
        });
    }
}

/// Parses an entry's path: a slug with `.md`, at the archive's top.
fn parse_name(path: &str) -> Result<Slug, &'static str> {
    let name = path.strip_prefix("./").unwrap_or(path);
    if name.contains(['/', '\\']) {
        return Err("it is not at the archive's top");
    }
    let stem = name.strip_suffix(".md");
    stem.and_then(Slug::parse)
        .ok_or("its name is not a slug with `.md`")
}

/// Reads an entry; the inner error says why it is no text that a lesson could be.
fn read_text(entry: &mut impl Read) -> io::Result<Result<String, &'static str>> {
    let most = u64::try_from(limits::LESSON_FILE_BYTES).unwrap_or(u64::MAX);
    let mut bytes = Vec::new();
    entry.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() > limits::LESSON_FILE_BYTES {
        return Ok(Err("it is longer than a lesson's file may be"));
    }
    Ok(String::from_utf8(bytes).map_err(|_| "it is not UTF-8 text"))
}
