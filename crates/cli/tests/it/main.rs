//! What a person sees: the binary, run in a folder of its own.

mod env;
mod tidy;
