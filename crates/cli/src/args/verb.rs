//! The commands of `hardwon lesson` that other doors have as well: their arguments are made of what the verb takes.
//!
//! What must be given stands in its place, the number of the lesson first; what may be given is an option.

use clap::{
    Arg, ArgAction, ArgMatches, Command, FromArgMatches, Subcommand,
    builder::{PossibleValuesParser, Str},
};
use hardwon_api::v1::verbs::{self, Members, Verb, VerbDoor};
use serde_json::Value;

/// A verb that was typed.
#[derive(Debug)]
pub struct VerbCommand {
    /// The verb's name.
    pub name: String,
    /// What was given.
    pub members: Members,
    /// Whether to print JSON.
    pub json: bool,
}

/// The verbs that are commands.
struct VerbCommands(Vec<Command>);

impl VerbDoor for VerbCommands {
    fn admit<V: Verb>(&mut self) {
        if V::IS_COMMAND {
            self.0.push(build_command::<V>());
        }
    }
}

fn list_commands() -> Vec<Command> {
    let mut commands = VerbCommands(Vec::new());
    verbs::admit_all(&mut commands);
    commands.0
}

fn build_command<V: Verb>() -> Command {
    let schema = Value::Object(verbs::request_schema::<V>());
    let names = schema["required"].as_array().into_iter().flatten();
    let names: Vec<&str> = names.filter_map(Value::as_str).collect();
    let properties = schema["properties"].as_object().into_iter().flatten();
    let mut arguments: Vec<(Option<usize>, Arg)> = properties
        .map(|(name, property)| {
            let place = names.iter().position(|other| other == name);
            (place, build_argument(name, property, place.is_some()))
        })
        .collect();
    arguments.sort_by_key(|(place, _)| place.map_or(usize::MAX, |place| place));
    let json = Arg::new("json").long("json").help("Print JSON");
    Command::new(V::NAME)
        .about(V::TITLE)
        .args(arguments.into_iter().map(|(_, argument)| argument))
        .arg(json.action(ArgAction::SetTrue))
}

fn build_argument(name: &str, property: &Value, is_required: bool) -> Arg {
    let about = property["description"].as_str().unwrap_or_default();
    let argument = Arg::new(name.to_owned())
        .value_name(Str::from(name.to_uppercase()))
        .help(about.trim_end_matches('.').to_owned())
        .required(is_required);
    let argument = match property["enum"].as_array() {
        Some(words) => {
            let words = words.iter().filter_map(Value::as_str).map(str::to_owned);
            argument.value_parser(PossibleValuesParser::new(words))
        }
        None => argument,
    };
    if is_required {
        argument
    } else {
        argument.long(name.to_owned())
    }
}

impl Subcommand for VerbCommand {
    fn augment_subcommands(command: Command) -> Command {
        command.subcommands(list_commands())
    }

    fn augment_subcommands_for_update(command: Command) -> Command {
        Self::augment_subcommands(command)
    }

    fn has_subcommand(name: &str) -> bool {
        list_commands().iter().any(|verb| verb.get_name() == name)
    }
}

impl FromArgMatches for VerbCommand {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let missing = || clap::Error::new(clap::error::ErrorKind::MissingSubcommand);
        let (name, matches) = matches.subcommand().ok_or_else(missing)?;
        let mut verbs = list_commands().into_iter();
        let verb = verbs.find(|verb| verb.get_name() == name);
        let verb = verb.ok_or_else(missing)?;
        let members = verb.get_arguments().filter_map(|argument| {
            let id = argument.get_id().as_str();
            let text = matches.try_get_one::<String>(id).ok().flatten()?;
            Some((id.to_owned(), Value::from(text.as_str())))
        });
        Ok(Self {
            name: name.to_owned(),
            members: members.collect(),
            json: matches.get_flag("json"),
        })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}
