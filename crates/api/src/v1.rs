//! The first version of the wire format.
//!
//! Keys may be added, and where a type says so they may be absent; a key that is there keeps its name,
//! its meaning, its unit and its place. Anything else is a second version.
//!
//! Conventions: times are RFC 3339 in UTC; a lesson's number is a positive integer; a share is a number
//! between 0 and 1; `helped` and `wrong` count what speaks for and against a lesson, `shown` and `held`
//! (left out as a control) count recalls or runs.
//!
//! Names: the JSON of a value of the domain is called after it, with `Dto` behind (`LessonDto`); what a
//! caller sends is a `…Request`. What an agent reads is cleaned again and has types of its own.

pub mod delivery;
pub mod effects;
pub mod files;
pub mod journal;
pub mod learn;
pub mod lesson;
pub mod observe;
pub mod outcome;
pub mod queue;
pub mod recall;
pub mod replay;
pub mod replica;
pub mod review;
pub mod sweep;
pub mod text;
pub mod verbs;
pub mod writ;

fn is_zero<T: Default + PartialEq>(number: &T) -> bool {
    *number == T::default()
}
