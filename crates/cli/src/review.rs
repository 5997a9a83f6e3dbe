//! The review gate at work: gathers what a reviewer is given, runs an engine in a copy, keeps verdicts.
//!
//! What a verdict is and what follows from it is decided in `gates::review`; what git has and takes, `hardwon-repo` says.
//! Nothing here pushes, or asks a code host for anything but an issue that somebody named.

pub mod material;
pub mod records;
pub mod sandbox;
pub mod teach;
mod withheld;
