//! What a lesson is, and all that a recall or a learning decides, as pure functions.
//!
//! This crate is pure: it reads no clock, no file, no environment and no randomness. It gets what it needs as
//! arguments, and returns its decisions as values; the store and the engine carry them out. The modules of verbs are
//! declared in the order in which data passes through them.
//!
//! ```text
//! RawEvent --redact--> CleanEvent --trace--> Trace --capture--> Episode? --distil--> Draft
//!    Draft --guard---> AdmittedLesson | Rejection   AdmittedLesson --change--> Vec<Change>  (write side)
//!   prompt --tokens--> QueryTerms --bm25--> candidates --rank--> Ranking --preamble--> Preamble
//!   Recall, Trace --credit--> Judgement --> Vec<Change>                       (and the outcomes)
//! ```

// Each uses only those before it; ARCHITECTURE.md draws it.
mod named_enum;
pub mod text;
pub mod limits;
pub mod digest;
pub mod glob;

// Modules of verbs, in the order in which data passes through them.
pub mod id;
pub mod scope;
pub mod evidence;

pub mod lesson;
pub mod recall;

pub mod tokens;
pub mod vector;
pub mod bm25;

pub mod shell;
pub(crate) mod safety;
pub mod outside;
pub mod advice;

pub mod event;
pub mod trace;
pub mod trigger;

pub mod guard;
pub mod change;

pub mod rank;
pub mod preamble;
pub mod writ;

pub mod capture;
pub mod distil;
pub mod queue;
pub mod named_things;

pub mod credit;
