//! `hardwon meaning`: the sentence model, what it costs here and what it changed.
//!
//! Nothing is downloaded. What it changed is told from prompts that were kept anyway.

use std::{
    fs, io,
    path::Path,
    time::{Duration, Instant},
};

use hardwon_engine::{Engine, RecallRequest};
use hardwon_meaning::{Deadline, MeaningError, ModelFile};
use hardwon_store::{RecallListing, ScopeFilter};

use crate::{
    CliError, EmbeddingProvider, EmbeddingSettings, GlobalArgs, Result, Settings,
    args::{MeaningArgs, MeaningCommand},
    config,
    embedding::{self, TEXT_TOKENS},
    open, output,
};

/// Prompts that are looked up once more, to tell what the model changed.
const PROMPTS: usize = 20;

/// Prompts whose cost is measured: of some twelve tokens, and of as many as count.
const SAMPLES: [&str; 2] = ["please run the tests and then push the branch", LONG_SAMPLE];
const LONG_SAMPLE: &str = "the nightly job failed again: the database of the staging machine was not migrated before the \
    workers were started, so each of them stopped with an error about a column that is missing. Find out why the step was \
    skipped, mend the pipeline, and see that the same cannot happen on the machines of production.";

/// Longest time that a sample may take.
const PATIENCE: Duration = Duration::from_secs(10);

pub(super) fn run(global: &GlobalArgs, args: &MeaningArgs) -> Result<()> {
    let path = config::model_file()?;
    match &args.command {
        Some(MeaningCommand::Add { path: source }) => add_model(source, &path)?,
        Some(MeaningCommand::Remove) => remove_model(&path)?,
        None => show_model(&Settings::load(global)?, &path)?,
    }
    Ok(())
}

/// Embeds the lessons that a command added, if there is a sentence model here. A service is asked in the background only.
pub(super) fn fill_after_command(global: &GlobalArgs) -> Result<()> {
    let settings = Settings::load(global)?;
    let is_local = matches!(settings.embedding.provider, EmbeddingProvider::Model(_));
    if is_local && settings.server.is_none() {
        let engine = open::open_writer(&settings)?;
        let trouble = embedding::fill_in_background(&settings, &engine);
        trouble.iter().for_each(|note| output::print_note(note));
    }
    Ok(())
}

fn add_model(source: &Path, to: &Path) -> Result<()> {
    let model = hardwon_meaning::install(source, to).map_err(explain)?;
    output::print_line(&describe_model(&model, to))?;
    output::print_line(
        "lessons get their vectors with the next one that is stored, or by `hardwon queue drain`",
    )
}

fn remove_model(path: &Path) -> Result<()> {
    match fs::remove_file(path) {
        Ok(()) => output::print_line("removed the model; lessons are found by their words"),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            output::print_line("there is no model")
        }
        Err(error) => Err(CliError::bad_file("removing", path)(error)),
    }
}

fn show_model(settings: &Settings, path: &Path) -> Result<()> {
    if !path.exists() {
        return output::print_line(
            "no model is in place: lessons are found by their words. `hardwon meaning add FILE` puts one there (docs/meaning.md)",
        );
    }
    let model = ModelFile::open(path).map_err(explain)?;
    model.verify().map_err(explain)?;
    output::print_line(&describe_model(&model, path))?;
    output::print_line(&describe_cost(&model)?)?;
    match &settings.embedding.provider {
        EmbeddingProvider::Model(_) => output::print_line(&describe_changes(settings)?),
        EmbeddingProvider::OpenAi => {
            output::print_line("it is not used: the setting `embedding` names a service")
        }
        EmbeddingProvider::Off => {
            output::print_line("it is not used: the setting `meaning` is off")
        }
    }
}

/// Says which model a file holds, how large it is, and whose.
pub(super) fn describe_model(model: &ModelFile, path: &Path) -> String {
    let shape = model.shape();
    let bytes = fs::metadata(path).map_or(0, |metadata| metadata.len());
    let (whole, tenth) = (bytes / 1_000_000, bytes / 100_000 % 10);
    format!(
        "{}, {whole}.{tenth} MB, {}; {}",
        shape.name, shape.license, shape.notice
    )
}

/// Measures what a short and a long prompt cost, the best of three each.
fn describe_cost(model: &ModelFile) -> Result<String> {
    let mut costs = Vec::new();
    for sample in SAMPLES {
        let mut best = PATIENCE;
        for _ in 0..3 {
            let start = Instant::now();
            model
                .embed(sample, TEXT_TOKENS, Deadline(start + PATIENCE))
                .map_err(explain)?;
            best = best.min(start.elapsed());
        }
        costs.push(best.as_millis());
    }
    Ok(format!(
        "here a short prompt takes {} ms, a long one {} ms",
        costs[0], costs[1]
    ))
}

/// Looks the last prompts up with the model and without it.
fn describe_changes(settings: &Settings) -> Result<String> {
    let by_words = Settings {
        embedding: EmbeddingSettings {
            provider: EmbeddingProvider::Off,
            ..settings.embedding.clone()
        },
        ..settings.clone()
    };
    let (engine, plain) = (open::open_flushed(settings)?, open::open_reader(&by_words)?);
    let desk = engine.acting_as(settings.person());
    let listing = RecallListing {
        within: ScopeFilter::Visible(settings.scope.clone()),
        limit: 10 * PROMPTS,
        ..RecallListing::default()
    };
    let (mut asked, mut changed) = (0, 0);
    for (id, _) in desk.recalls(&listing)? {
        let Some(text) = desk.query_text(id)?.filter(|_| asked < PROMPTS) else {
            continue;
        };
        asked += 1;
        let ask = RecallRequest::new(settings.scope.clone(), text.as_str().to_owned());
        let shown = |engine: &Engine| -> Result<_> {
            Ok(engine
                .acting_as(settings.person())
                .explain_recall(&ask)?
                .preamble
                .shown)
        };
        changed += usize::from(shown(&engine)? != shown(&plain)?);
    }
    Ok(match asked {
        0 => "no prompt is kept that it could be tried on".to_owned(),
        _ => format!(
            "of {} that {} kept, {changed} bring up other lessons with it",
            output::pluralize(asked as u64, "prompt"),
            if asked == 1 { "was" } else { "were" }
        ),
    })
}

fn explain(error: MeaningError) -> CliError {
    CliError::bad_input(output::to_one_line(&error.to_string()))
}
