//! Overwrites what is gone, in the file and in the write-ahead log.

use hardwon_core::limits;
use rusqlite::Connection;

use super::waiting::wait_for_lock;

/// Overwrites what deleted lessons left in the file and in the write-ahead log. Best effort: while others read, the log
/// is left to the next writer.
///
/// SQLite zeroes a deleted row, but not the copies that stay behind when it moves rows to other pages. Only writing the
/// whole file anew is sure to leave none; a large file is spared that.
pub(super) fn scrub_deleted(conn: &mut Connection) {
    let size = "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size";
    let bytes = conn.query_row(size, [], |row| row.get::<_, i64>(0));
    if bytes.is_ok_and(|byte| byte <= limits::VACUUM_BYTES) {
        drop(conn.execute_batch("VACUUM"));
    }
    truncate_wal(conn);
}

/// Empties the write-ahead log, which the next reader would have to go through. Best effort: while others read, it is
/// left to the next writer.
pub(super) fn truncate_wal(conn: &mut Connection) {
    let mut truncate = || -> rusqlite::Result<()> {
        conn.busy_handler(None::<fn(i32) -> bool>)?;
        conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
    };
    drop(truncate());
    // Without it the next writer would give up at once, with an error that it can report.
    drop(conn.busy_handler(Some(wait_for_lock)));
}
