//! Names a command by its program and subcommand.
//!
//! Which programs take a subcommand is a table. The words after it are not interpreted here.

use super::{SHELLS, ShellCommand, ShellWord, base_name, is_listed, is_python, is_script};
use crate::text::word_table::{WordList, WordTable};

/// Programs whose first operand is a subcommand.
const WITH_SUBCOMMAND: &str = "\
    git cargo npm yarn pnpm bun deno docker docker-compose podman kubectl helm go pip \
    pip3 uv poetry pipenv conda gh glab terraform tofu pulumi aws az gcloud make just \
    task apt apt-get brew dnf yum pacman apk systemctl service dotnet mvn mvnw gradle \
    gradlew rake bundle rails gem composer artisan npx bunx rustup mix flutter dart \
    swift nix snap tox nox hatch pdm rye alembic flask django-admin vercel netlify fly \
    heroku wrangler turbo nx lerna ng vue expo pod fastlane ansible vagrant hardwon jj \
    hg svn bazel bazelisk buck2 pants packer consul vault nomad argocd istioctl flux skaffold minikube kind cdk sam \
    cf doctl oc virsh lxc rclone restic ollama supabase firebase eas expo prisma sst serverless hugo mise asdf dbt";

/// Subcommands that are groups, whose next word belongs to the name, and the programs that have them.
const GROUPS: &[(&str, &str)] = &[
    ("run run-script exec", "npm"),
    ("run", "yarn bun poetry pipenv hatch pdm conda"),
    ("run exec", "pnpm"),
    ("task", "deno"),
    (
        "compose image container volume network system buildx builder",
        "docker podman",
    ),
    ("mod tool", "go"),
    ("run pip tool", "uv"),
    ("exec", "bundle"),
    (
        "pr issue repo run auth release workflow secret variable cache label gist api mr ci",
        "gh glab",
    ),
    (
        "s3 s3api ec2 sts iam ecs ecr lambda rds logs cloudformation ssm dynamodb",
        "aws",
    ),
    (
        "compute container sql run functions group vm aks",
        "gcloud az",
    ),
    ("tool ef add remove nuget", "dotnet"),
    ("target component toolchain", "rustup"),
    ("submodule worktree remote stash bisect notes lfs", "git"),
    ("state workspace", "terraform tofu"),
    (
        "migrate db functions migration",
        "prisma drizzle-kit supabase",
    ),
    ("rollout config", "kubectl"),
    ("dependency repo", "helm"),
    ("d1 kv r2 pages secret queues", "wrangler"),
];

/// Options of such programs that take a value before the subcommand.
const VALUED: &str = "-C -c --prefix -n --namespace --context --manifest-path --cwd --dir --filter -F -w --workspace -H --project --profiles-dir \
    --git-dir --work-tree --profile --region -f --file -chdir";

/// Returns whether an option before a subcommand is followed by its value.
pub(crate) fn takes_value(option: &str) -> bool {
    static OPTIONS: WordList<64> = WordList::new(&[((), VALUED)]);
    OPTIONS.contains(option)
}

/// Returns whether a subcommand of a program is only a group of commands.
pub(crate) fn is_group(program: &str, verb: &str) -> bool {
    static OF_PROGRAMS: WordTable<&str, 64> = WordTable::new(GROUPS);
    let groups = OF_PROGRAMS.get(program);
    groups.is_some_and(|groups| is_listed(groups, verb))
}

/// Returns whether a program's first operand is a subcommand.
pub(crate) fn has_subcommands(program: &str) -> bool {
    static NAMES: WordList<256> = WordList::new(&[((), WITH_SUBCOMMAND)]);
    NAMES.contains(program)
}

impl ShellCommand {
    /// Returns the program and the subcommand, which is how people name a command.
    ///
    /// `git -C x push origin main` is `git push`; `python3 -m pytest -q` is `python3 -m pytest`.
    ///
    /// A script is a program by its file: `python3 tools/sync.py --all` is `sync.py`.
    pub fn label(&self) -> String {
        if let Some(script) = self.script_command() {
            return script.label();
        }
        let program = self.program();
        let mut label = program.to_owned();
        for index in self.subcommand_indexes() {
            label.push(' ');
            label.push_str(&self.words[index].text);
        }
        label
    }

    /// Returns the indexes of the words that make up the subcommand.
    pub fn subcommand_indexes(&self) -> Vec<usize> {
        let program = self.program();
        if let Some(script) = self.script_command() {
            let at = self.words.len() - script.words.len();
            let inner = script.subcommand_indexes().into_iter();
            return std::iter::once(at)
                .chain(inner.map(|inner| at + inner))
                .collect();
        }
        if is_python(program) {
            return self.python_subcommand_indexes();
        }
        if !has_subcommands(program) {
            return Vec::new();
        }
        let Some(first) = self.find_subcommand(1) else {
            return Vec::new();
        };
        let is_group = is_group(program, &self.words[first].text);
        let second = is_group.then(|| self.find_subcommand(first + 1)).flatten();
        [Some(first), second].into_iter().flatten().collect()
    }

    /// Returns the script that an interpreter is given, as the command that it is.
    pub(crate) fn script_command(&self) -> Option<Self> {
        const INTERPRETERS: &str = "node ruby php perl tsx ts-node";
        let program = self.program();
        let is_shell = SHELLS.contains(&program);
        let start = match program {
            "go" | "deno" if self.words.get(1)?.text == "run" => 2,
            _ if is_shell || is_python(program) || is_listed(INTERPRETERS, program) => 1,
            _ => return None,
        };
        let is_option = |word: &&ShellWord| word.text.starts_with('-');
        let options = self.words[start..].iter().take_while(is_option);
        let at = start + options.clone().count();
        let text = self.words.get(at)?.text.as_str();
        let is_file = is_shell || text.contains(['/', '.']) && text != "manage.py";
        let is_named =
            is_file && is_script(base_name(text)) && text.contains(char::is_alphanumeric);
        let is_inline = |option: &str| match is_shell {
            true => option.ends_with('c'),
            false => is_listed("-m -c -e -p -r --eval --print", option),
        };
        let mut options = options.map(|word| word.text.as_str());
        (is_named && !options.any(is_inline)).then(|| Self {
            words: self.words[at..].to_vec(),
            ..self.clone()
        })
    }

    fn python_subcommand_indexes(&self) -> Vec<usize> {
        match self.words.get(1).map(|word| word.text.as_str()) {
            Some("-m" | "manage.py") if self.words.len() > 2 => vec![1, 2],
            _ => Vec::new(),
        }
    }

    fn find_subcommand(&self, start: usize) -> Option<usize> {
        let mut index = start;
        while let Some(word) = self.words.get(index) {
            if takes_value(&word.text) {
                index += 2;
            } else if word.text.starts_with('-') {
                index += 1;
            } else {
                return is_subcommand_name(&word.text).then_some(index);
            }
        }
        None
    }
}

fn is_subcommand_name(text: &str) -> bool {
    text.len() <= 40
        && text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ':' | '.'))
}
