//! Placeholder.
use std::path::PathBuf;
#[derive(Debug, clap::Args)]
pub(crate) struct RetrievalArgs {
    set: PathBuf,
    #[arg(long)]
    run: PathBuf,
}
#[derive(Debug, clap::Args)]
pub(crate) struct SilenceArgs {
    set: PathBuf,
    other: PathBuf,
}
pub(crate) fn retrieval(args: &RetrievalArgs) -> anyhow::Result<()> {
    let _ = (&args.set, &args.run);
    Ok(())
}
pub(crate) fn silence(args: &SilenceArgs) -> anyhow::Result<()> {
    let _ = (&args.set, &args.other);
    Ok(())
}
