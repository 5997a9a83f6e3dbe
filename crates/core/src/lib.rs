//! What a lesson is, and every decision about one.
//!
//! This crate is pure: it reads no clock, no file, no environment and no randomness. What it needs
//! it takes as an argument, and what it decides it returns as a value; the store and the engine
//! carry decisions out. This is the way of the data; the modules stand below in the order in which they
//! are built on each other.
//!
//! ```text
//! RawEvent --redact--> Event --trace--> Trace --capture--> Episode? --distil--> Draft
//!    Draft --guard---> Admitted | Rejection   Admitted --change--> Vec<Change>  (the write side)
//!   prompt --tokens--> QueryTerms --bm25--> Found --rank--> Ranking --preamble--> Preamble
//!   Recall, Trace --credit--> Judgement --> Vec<Change>              (and what came of it)
//! ```

// Each uses only those before it; ARCHITECTURE.md draws it.
pub mod text;
pub mod limits;
pub mod digest;
pub mod finder;

pub mod redact;
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

pub mod event;
pub mod trace;

pub mod guard;
pub mod change;
pub mod access;
pub mod journal;
pub mod lesson_md;

pub mod rank;
pub mod preamble;
pub mod writ;

pub mod loops;
pub mod capture;
pub mod distil;
pub mod queue;

pub mod credit;
pub mod replay;
