//! Lessons in a PostgreSQL database.
