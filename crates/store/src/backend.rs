//! What a backend outside of this crate is made of: the rules that every store follows, and how it reports errors.
//!
//! [`rows`](crate::rows) and [`index`](crate::index) belong to it as well. Whoever uses a store needs none of this.

pub use crate::{
    derived::{IndexUpdate, learned_share},
    error::damaged_error,
    query::search_recallable,
    records::{
        add_sighting, bound_answer, bound_recall, check_source_size, check_vector_space,
        conflict_error, conflicting_batch_error, duplicate_job_error, forgotten_answer_cutoff,
        is_current_vector, job_order_key, max_jobs_in_state, missing_job_error, proof_order_key,
        query_text_cutoff, truncate_judgement_time, truncate_to_millisecond,
    },
    similarity::{ComparedVectors, merge_similar},
};
