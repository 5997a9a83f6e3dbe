//! Placeholder.
use std::path::PathBuf;
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    samples: PathBuf,
    #[arg(long)]
    out: PathBuf,
}
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let _ = (
        &args.samples,
        &args.out,
        crate::samples::rows::<serde_json::Value>,
    );
    Ok(())
}
