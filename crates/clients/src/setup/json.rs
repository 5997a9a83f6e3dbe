//! Adds hooks and an MCP server to JSON settings, and removes them again.
//!
//! The text is edited as a syntax tree: comments, order and spacing of other entries stay. Unknown content is not
//! touched. Comments and trailing commas are accepted whether or not the client allows them; other deviations from JSON
//! are not.

use jsonc_parser::{
    ParseOptions,
    cst::{CstArray, CstInputValue, CstNode, CstObject, CstObjectProp, CstRootNode},
};
use serde_json::Value;

use super::{
    Result, SetupProblem,
    own_entries::{SERVER_NAME, is_our_hook, server_command},
};

/// The entries that belong in a file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SettingsPart {
    /// The entries in the arrays of `hooks`.
    pub hooks: Vec<HookEntry>,
    /// The MCP server, and the object that holds it.
    pub server: Option<ServerEntry>,
    /// The `version` for a file that has none.
    pub version: Option<u32>,
}

/// One entry below `hooks`.
#[derive(Debug, Clone, PartialEq)]
pub struct HookEntry {
    /// The event, as the client names it.
    pub event: &'static str,
    /// The command.
    pub command: String,
    /// The handler with the command; its members in the order in which they are written.
    pub handler: Members,
    /// Whether the handler is in a group's list, `{"hooks": […]}`, or by itself.
    pub is_grouped: bool,
}

/// The members of an object, in the order in which they are written.
pub type Members = Vec<(&'static str, Value)>;

/// The entry of the MCP server.
#[derive(Debug, Clone, PartialEq)]
pub struct ServerEntry {
    /// The name of the object that holds it.
    pub under: &'static str,
    /// The members of the entry.
    pub members: Members,
}

/// The objects in which clients keep MCP servers.
const SERVERS: [&str; 2] = ["mcpServers", "mcp"];

/// Returns the text with all entries of the part, and no others of ours.
pub fn insert_part(text: &str, part: &SettingsPart) -> Result<String> {
    if holds_part(text, part)? {
        return Ok(text.to_owned());
    }
    let text_without = remove_part(text, text, part)?;
    let (mark, body) = split_mark(&text_without);
    let root = parse_root(body)?;
    let object = root.object_value_or_create().ok_or_else(not_an_object)?;
    if let Some(version) = part.version
        && find_member(&object, "version")?.is_none()
    {
        object.append("version", CstInputValue::from(version));
    }
    if !part.hooks.is_empty() {
        let hooks = object_or_create(&object, "hooks")?;
        for hook in &part.hooks {
            array_or_create(&hooks, hook.event)?.append(hook_input(hook));
        }
    }
    if let Some(server) = &part.server {
        let servers = object_or_create(&object, server.under)?;
        if find_member(&servers, SERVER_NAME)?.is_some() {
            return Err(SetupProblem::new(
                format!("{} has another server named {SERVER_NAME}", server.under),
                "rename that one, then run `hardwon init` again",
            ));
        }
        servers.append(SERVER_NAME, members_input(&server.members));
    }
    let text_with = root.to_string();
    let is_whole = text_with.ends_with('\n') || !body.is_empty();
    let newline = if is_whole { "" } else { "\n" };
    Ok(format!("{mark}{text_with}{newline}"))
}

/// Returns the text without our entries.
///
/// `before` is the text before any were added: an object or array that existed then stays, even if it is empty now.
/// Which entries are ours does not depend on the part.
pub fn remove_part(text: &str, before: &str, part: &SettingsPart) -> Result<String> {
    let (mark, body) = split_mark(text);
    let root = parse_root(body)?;
    let Some(object) = root.object_value() else {
        return Ok(text.to_owned());
    };
    let before = parse_value(before);
    let mut has_taken = take_hooks(&object, &before["hooks"])?;
    for under in SERVERS {
        has_taken |= take_server(&object, under, &before[under])?;
    }
    let is_only = || object.properties().len() == 1;
    let was_put = match before.as_object() {
        Some(before) => !before.contains_key("version"),
        None => is_only(),
    };
    if !has_taken {
        return Ok(text.to_owned());
    }
    if was_put
        && part.version.is_some()
        && let Some(version) = find_member(&object, "version")?
    {
        version.remove();
    }
    Ok(format!("{mark}{root}"))
}

/// Returns whether the text holds all entries of the part, and no others of ours.
///
/// An entry's place in a list, and what its owner changed about it, do not matter.
pub fn holds_part(text: &str, part: &SettingsPart) -> Result<bool> {
    let entries = find_own_entries(text)?;
    let to_pair = |hook: &HookEntry| (hook.event.to_owned(), hook.command.clone());
    let mut expected_hooks: Vec<_> = part.hooks.iter().map(to_pair).collect();
    let mut hooks = entries.hooks.clone();
    expected_hooks.sort();
    hooks.sort();
    let server = match &part.server {
        Some(server) => entries.server == server_command(&members_value(&server.members)),
        None => entries.server.is_none(),
    };
    Ok(hooks == expected_hooks && server)
}

/// Our entries in a text.
#[derive(Debug, Default, PartialEq)]
pub struct OurEntries {
    /// Events and the commands registered for them.
    pub hooks: Vec<(String, String)>,
    /// The command of our server, word for word; `None` if it is not registered.
    pub server: Option<Vec<String>>,
}

/// Finds our entries in a text.
pub fn find_own_entries(text: &str) -> Result<OurEntries> {
    let root = parse_root(split_mark(text).1)?;
    let value = root.to_serde_value().unwrap_or_default();
    let servers = SERVERS.iter().map(|under| &value[under][SERVER_NAME]);
    let server = servers.filter_map(server_command).next();
    Ok(OurEntries {
        hooks: list_own_handlers(&value),
        server,
    })
}

/// Lists our handlers: the event of each, and its command.
fn list_own_handlers(settings: &Value) -> Vec<(String, String)> {
    let mut own = Vec::new();
    for (event, entries) in settings["hooks"].as_object().into_iter().flatten() {
        let entries = entries.as_array().into_iter().flatten();
        let commands = entries.flat_map(entry_handlers).filter_map(handler_command);
        let ours = commands.filter(|command| is_our_hook(command));
        own.extend(ours.map(|command| (event.clone(), command.to_owned())));
    }
    own
}

/// Returns the handlers of an element: those of a group, or the element itself.
fn entry_handlers(entry: &Value) -> &[Value] {
    let group = entry["hooks"].as_array().map(Vec::as_slice);
    group.unwrap_or(std::slice::from_ref(entry))
}

/// Returns whether a text holds nothing but an empty object.
pub fn is_bare(text: &str) -> bool {
    let body = split_mark(text).1;
    body.trim().is_empty()
        || matches!(body.trim().strip_prefix('{'), Some(rest) if rest.trim() == "}")
}

fn take_hooks(object: &CstObject, before: &Value) -> Result<bool> {
    let Some((property, hooks)) = find_object(object, "hooks")? else {
        return Ok(false);
    };
    let mut has_taken = false;
    for event in hooks.properties() {
        let Some(entries) = event.array_value() else {
            continue;
        };
        let was_taken = take_handlers(&entries);
        has_taken |= was_taken;
        let name = event.decoded_name();
        let was_there = name.is_some_and(|name| !before[name].is_null());
        if was_taken && !was_there && is_empty_array(&entries) {
            event.remove();
        }
    }
    if has_taken && before.is_null() && is_empty_object(&hooks) {
        property.remove();
    }
    Ok(has_taken)
}

/// Removes our handlers from an event's array, and the groups that held nothing else.
fn take_handlers(entries: &CstArray) -> bool {
    let mut has_taken = false;
    for entry in entries.elements() {
        let object = entry.as_object();
        let group = object.and_then(|object| object.array_value("hooks"));
        let handlers = match &group {
            Some(group) => group.elements(),
            None => vec![entry.clone()],
        };
        let ours: Vec<_> = handlers.into_iter().filter(is_our_handler).collect();
        let is_taken = !ours.is_empty();
        ours.into_iter().for_each(CstNode::remove);
        if is_taken && group.is_some_and(|group| is_empty_array(&group)) {
            entry.remove();
        }
        has_taken |= is_taken;
    }
    has_taken
}

fn take_server(object: &CstObject, under: &str, before: &Value) -> Result<bool> {
    let Some((property, servers)) = find_object(object, under)? else {
        return Ok(false);
    };
    let Some(server) = find_member(&servers, SERVER_NAME)? else {
        return Ok(false);
    };
    if server_command(&server_value(&server)).is_none() {
        return Ok(false);
    }
    server.remove();
    if before.is_null() && is_empty_object(&servers) {
        property.remove();
    }
    Ok(true)
}

fn is_our_handler(node: &CstNode) -> bool {
    let value = node.to_serde_value().unwrap_or_default();
    handler_command(&value).is_some_and(is_our_hook)
}

/// Returns the command of a handler: `command`, or `bash` where a client has one per shell.
fn handler_command(handler: &Value) -> Option<&str> {
    let command = handler.get("command").or_else(|| handler.get("bash"));
    command.and_then(Value::as_str)
}

/// Returns a member of an object; two members of one name are an error.
fn find_member(object: &CstObject, name: &str) -> Result<Option<CstObjectProp>> {
    let properties = object.properties().into_iter();
    let mut properties_of_name =
        properties.filter(|property| property.decoded_name().as_deref() == Some(name));
    let first = properties_of_name.next();
    match properties_of_name.next() {
        None => Ok(first),
        Some(_) => Err(SetupProblem::new(
            format!("it holds {name:?} twice"),
            "take one of them out, then run `hardwon init` again",
        )),
    }
}

/// Returns a member that is an object, and that object.
fn find_object(object: &CstObject, name: &str) -> Result<Option<(CstObjectProp, CstObject)>> {
    let property = find_member(object, name)?;
    Ok(property.and_then(|property| Some((property.clone(), property.object_value()?))))
}

fn object_or_create(object: &CstObject, name: &str) -> Result<CstObject> {
    find_member(object, name)?;
    let value = object.object_value_or_create(name);
    value.ok_or_else(|| wrong_shape(name, "an object"))
}

fn array_or_create(object: &CstObject, name: &str) -> Result<CstArray> {
    find_member(object, name)?;
    let value = object.array_value_or_create(name);
    value.ok_or_else(|| wrong_shape(name, "a list"))
}

fn wrong_shape(name: &str, what: &str) -> SetupProblem {
    SetupProblem::new(
        format!("{name:?} in it is not {what}"),
        "fix it, then run `hardwon init` again",
    )
}

fn not_an_object() -> SetupProblem {
    SetupProblem::new(
        "it does not hold a JSON object",
        "fix or remove it, then run `hardwon init` again",
    )
}

fn is_empty_object(object: &CstObject) -> bool {
    object.properties().is_empty() && !object.children().iter().any(CstNode::is_comment)
}

fn is_empty_array(array: &CstArray) -> bool {
    array.elements().is_empty() && !array.children().iter().any(CstNode::is_comment)
}

fn parse_root(text: &str) -> Result<CstRootNode> {
    let options = ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    };
    CstRootNode::parse(text, &options).map_err(|error| {
        SetupProblem::new(
            format!("it is not valid JSON: {error}"),
            "fix it, then run `hardwon init` again",
        )
    })
}

fn parse_value(text: &str) -> Value {
    let root = parse_root(split_mark(text).1).ok();
    let value = root.and_then(|root| root.to_serde_value());
    value.unwrap_or_default()
}

/// Splits off the byte order mark that some editors put before a text.
fn split_mark(text: &str) -> (&str, &str) {
    let body = text.strip_prefix('\u{feff}').unwrap_or(text);
    text.split_at(text.len() - body.len())
}

/// Makes an element of an event's list from a hook.
fn hook_input(hook: &HookEntry) -> CstInputValue {
    let handler = members_input(&hook.handler);
    if !hook.is_grouped {
        return handler;
    }
    let group = ("hooks".to_owned(), CstInputValue::Array(vec![handler]));
    CstInputValue::Object(vec![group])
}

fn members_input(members: &Members) -> CstInputValue {
    let pairs = members.iter();
    let pairs = pairs.map(|(name, value)| ((*name).to_owned(), to_input(value)));
    CstInputValue::Object(pairs.collect())
}

fn members_value(members: &Members) -> Value {
    let pairs = members.iter();
    let pairs = pairs.map(|(name, value)| ((*name).to_owned(), value.clone()));
    Value::Object(pairs.collect())
}

fn server_value(server: &CstObjectProp) -> Value {
    let value = server.value().and_then(|value| value.to_serde_value());
    value.unwrap_or_default()
}

fn to_input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(is) => CstInputValue::Bool(*is),
        Value::Number(number) => CstInputValue::Number(number.to_string()),
        Value::String(text) => CstInputValue::String(text.clone()),
        Value::Array(items) => CstInputValue::Array(items.iter().map(to_input).collect()),
        Value::Object(members) => {
            let pairs = members.iter();
            let pairs = pairs.map(|(name, value)| (name.clone(), to_input(value)));
            CstInputValue::Object(pairs.collect())
        }
    }
}

#[cfg(test)]
pub(super) mod tests;
