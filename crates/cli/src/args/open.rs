//! Arguments of `hardwon open`.

use clap::Args;
use jiff::SignedDuration;

use crate::time::parse_span;

/// Open the page in a browser: review, look up and edit this machine's lessons.
///
/// Serves the page to this machine alone, until Ctrl-C or until nobody has used it for a while. No key is asked for or
/// shown: a link opens the page once, within a minute. A server that runs on the same database is not in the way.
#[derive(Debug, Args)]
pub struct OpenArgs {
    /// Print the link, and start no browser.
    #[arg(long)]
    pub print: bool,
    /// How long the page may be unused before this ends, as in `30m`.
    #[arg(long, value_name = "TIME", value_parser = parse_span, default_value = "30m")]
    pub idle: SignedDuration,
}
