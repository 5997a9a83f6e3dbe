//! The verbs of a desk that only ask whether somebody may, and pass on.
//!
//! What they do stands where its subject is, and none of those knows this module; verbs with more to
//! them than that are methods of [`Desk`](crate::Desk) beside their subject.

mod housekeeping;
mod run;
