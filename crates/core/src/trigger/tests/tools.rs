//! Rules about tools: those of a client, and those of servers by what they do.

use super::*;

#[test]
fn a_tool_is_known_by_its_name_or_by_what_it_does() {
    let tool = |name: &str| called(name, "{}");
    check_rules(&[
        (
            "Do not use WebFetch for internal pages, use `curl`.",
            &[tool("WebFetch")],
            &[tool("WebSearch")],
        ),
        (
            "Never use the WebSearch tool here.",
            &[tool("WebSearch")],
            &[tool("WebFetch")],
        ),
        (
            "Don't use the Task tool for small things.",
            &[tool("Task")],
            &[tool("Read")],
        ),
        (
            "Never use the Write tool on existing files, use Edit.",
            &[tool("Write")],
            &[],
        ),
        (
            "Don't delete records with MCP tools.",
            &[tool("mcp__airtable__delete_records")],
            &[tool("mcp__airtable__list_records")],
        ),
        (
            "Ask before `execute_sql` on the Supabase MCP.",
            &[tool("mcp__supabase__execute_sql")],
            &[tool("mcp__supabase__list_tables")],
        ),
        (
            "Never send emails through the Gmail MCP.",
            &[tool("mcp__gmail__send_email")],
            &[tool("mcp__gmail__search"), tool("mcp__gmail__create_draft")],
        ),
        (
            "Never apply migrations through the Supabase MCP server.",
            &[tool("mcp__supabase__apply_migration")],
            &[tool("mcp__supabase__list_tables")],
        ),
        (
            "Never use the Slack MCP.",
            &[tool("mcp__slack__post_message")],
            &[],
        ),
        (
            "`TodoWrite` is noise here, don't use it.",
            &[tool("TodoWrite")],
            &[],
        ),
        (
            "`execute_sql` needs a WHERE",
            &[tool("mcp__db__execute_sql")],
            &[],
        ),
    ]);
}

#[test]
fn a_tool_can_be_asked_for_by_its_name() {
    let check = |what: &str, expected: &str| {
        assert_eq!(tool_call_from_text(what).tool.as_str(), expected);
    };
    check("WebFetch", "WebFetch");
    check("mcp__db__query", "mcp__db__query");
    check("edit", "Bash");
}
