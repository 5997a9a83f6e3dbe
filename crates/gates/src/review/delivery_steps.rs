//! The commands that a person or a coordinator would run after a review, by how much it may do alone. Nothing runs them here.

/// Renders the steps for a branch that goes to a base.
pub fn render_steps(branch: &str, base: &str) -> String {
    let base = quote(base.strip_prefix("origin/").unwrap_or(base));
    let branch = quote(branch);
    let push = format!(
        "hardwon review gate --head && git push -u origin {branch} && hardwon review body --pr FILE"
    );
    let create = format!("--base {base} --head {branch} --title TITLE --body-file -");
    format!(
        "next, by whoever may deliver (hardwon runs none of it):
  gated       ask a person first, then one of:
  push-draft  {push} | gh pr create --draft {create}
  full        {push} | gh pr create {create}
"
    )
}

/// Quotes a name for a shell, unless it needs none.
fn quote(name: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./".contains(c);
    if name.chars().all(is_plain) {
        name.to_owned()
    } else {
        format!("'{}'", name.replace('\'', r"'\''"))
    }
}
