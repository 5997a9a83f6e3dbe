//! Which module uses which: no circles between siblings, and the core in the order that is drawn.
//!
//! Reads text and does not parse Rust: `use` trees and the paths in the code, comments and tests left
//! out. A name that a module passes on counts for the module that it comes from.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use crate::env::repository;

/// A module's path, or a name's, in its crate.
type Names = Vec<String>;
/// Modules that use each other, by what they are called below the same parent.
type Links = BTreeSet<(Names, Names)>;

/// Circles that are there, as a crate and its modules; one that stays for good says why in the `//!` of
/// each. The fields of a lesson's file and what writes them still name each other.
const KNOWN_CIRCLES: &[(&str, &[&str])] = &[(
    "core",
    &[
        "lesson_md::fields",
        "lesson_md::file",
        "lesson_md::schema",
        "lesson_md::write",
    ],
)];

/// What a module's text names.
#[derive(Default)]
struct SourceFile {
    /// Where the names come from that it brings into scope.
    imports: BTreeMap<String, Names>,
    /// The paths that it names anywhere.
    paths: Vec<Names>,
}

impl SourceFile {
    fn from_text(text: &str) -> Self {
        let text = text.split("\n#[cfg(test)]\nmod tests {").next().unwrap();
        let lines = text.lines().map(|line| line.split("//").next().unwrap());
        let code: String = lines.flat_map(|line| [line, "\n"]).collect();
        let mut file = Self::default();
        for statement in code.split_inclusive(';') {
            match statement.rsplit_once("use ") {
                Some((before, tree)) if before.rsplit('\n').next().is_some_and(may_precede_use) => {
                    for (alias, path) in expand_tree(tree.trim_end_matches(';')) {
                        file.paths.push(path.clone());
                        file.imports.insert(alias, path);
                    }
                    file.paths.extend(find_paths(before));
                }
                _ => file.paths.extend(find_paths(statement)),
            }
        }
        file
    }
}

fn may_precede_use(before: &str) -> bool {
    let before = before.trim();
    before.is_empty() || before.starts_with("pub")
}

fn find_paths(code: &str) -> impl Iterator<Item = Names> {
    let words = code.split(|c: char| !c.is_alphanumeric() && c != '_' && c != ':');
    let words = words.map(|word| word.trim_matches(':'));
    let paths = words.filter(|word| word.contains("::"));
    paths.map(|path| path.split("::").map(str::to_owned).collect())
}

/// Returns every name that a `use` tree brings into scope, and where it comes from.
fn expand_tree(tree: &str) -> Vec<(String, Names)> {
    let tree = tree.trim();
    if let Some((head, group)) = tree.split_once('{') {
        let head: Names = head.split("::").map(|it| it.trim().to_owned()).collect();
        let head = &head[..head.len() - 1];
        let group = group.rsplit_once('}').map_or(group, |it| it.0);
        let leaves = split_group(group).into_iter().flat_map(expand_tree);
        let joined = leaves.map(|(alias, path)| {
            let path: Names = head.iter().cloned().chain(path).collect();
            let path: Names = path.into_iter().filter(|it| it != "self").collect();
            match alias.as_str() {
                "self" => (path.last().unwrap().clone(), path),
                _ => (alias, path),
            }
        });
        return joined.collect();
    }
    let (path, alias) = tree.split_once(" as ").unwrap_or((tree, ""));
    let path: Names = path.split("::").map(|it| it.trim().to_owned()).collect();
    let alias = match alias.trim() {
        "" => path.last().unwrap().clone(),
        alias => alias.to_owned(),
    };
    vec![(alias, path)]
}

/// Splits a group at the commas that are not in a group inside of it.
fn split_group(group: &str) -> Vec<&str> {
    let mut depth = 0;
    let parts = group.split(|c| {
        depth += i32::from(c == '{') - i32::from(c == '}');
        c == ',' && depth == 0
    });
    parts.filter(|part| !part.trim().is_empty()).collect()
}

/// A crate's modules and what they name.
struct ModuleGraph {
    files: BTreeMap<Names, SourceFile>,
}

impl ModuleGraph {
    fn from_crate(name: &str) -> Self {
        let root = repository().join("crates").join(name).join("src");
        let mut files = BTreeMap::new();
        let mut folders = vec![root.clone()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                let module = module_of(path.strip_prefix(&root).unwrap());
                let is_test = |it: &String| it == "tests" || it.ends_with("_tests");
                if module.iter().any(is_test) {
                } else if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|ext| ext == "rs") {
                    let text = fs::read_to_string(&path).unwrap();
                    files.insert(module, SourceFile::from_text(&text));
                }
            }
        }
        Self { files }
    }

    /// Returns the module that a path leads to from another one; none if it leads out of the crate.
    fn resolve_path(&self, path: &[String], here: &[String], steps: usize) -> Option<Names> {
        let mut base = here.to_vec();
        let mut rest = path;
        match path.first()?.as_str() {
            "crate" => (base, rest) = (Vec::new(), &path[1..]),
            "self" | "super" => {
                while let Some((first, after)) = rest.split_first()
                    && (first == "self" || first == "super")
                {
                    base.truncate(base.len() - usize::from(first == "super"));
                    rest = after;
                }
            }
            first => {
                let imported = self.files.get(here).and_then(|it| it.imports.get(first));
                let is_child = self.files.contains_key(&join_path(here, first));
                let is_known = is_child || imported.is_some_and(|it| it[0] != first);
                is_known.then_some(())?;
            }
        }
        while let Some((first, after)) = rest.split_first() {
            let child = join_path(&base, first);
            if self.files.contains_key(&child) {
                (base, rest) = (child, after);
                continue;
            }
            let imported = self.files.get(&base).and_then(|it| it.imports.get(first));
            if let Some(imported) = imported.filter(|_| steps > 0) {
                let path: Names = imported.iter().chain(after).cloned().collect();
                return self.resolve_path(&path, &base, steps - 1);
            }
            break;
        }
        Some(base)
    }

    /// Returns which sibling uses which, at every level.
    fn sibling_links(&self) -> Links {
        let mut links = Links::new();
        for (here, file) in &self.files {
            for there in file
                .paths
                .iter()
                .filter_map(|it| self.resolve_path(it, here, 9))
            {
                let same = here.iter().zip(&there).take_while(|(a, b)| a == b).count();
                if same < here.len() && same < there.len() {
                    links.insert((here[..=same].to_vec(), there[..=same].to_vec()));
                }
            }
        }
        links
    }
}

fn module_of(path: &Path) -> Names {
    let path = path.with_extension("");
    let parts = path.iter().map(|part| part.to_string_lossy().into_owned());
    parts
        .filter(|it| !matches!(it.as_str(), "lib" | "main"))
        .collect()
}

fn join_path(base: &[String], name: &str) -> Names {
    base.iter().cloned().chain([name.to_owned()]).collect()
}

/// Returns the groups of modules that use each other in a round.
fn find_circles(links: &Links) -> BTreeSet<Vec<String>> {
    let reach = |start: &Names| {
        let (mut seen, mut todo) = (BTreeSet::new(), vec![start]);
        while let Some(node) = todo.pop() {
            let after = links.iter().filter(|(from, _)| from == node);
            todo.extend(after.filter(|(_, to)| seen.insert(to)).map(|(_, to)| to));
        }
        seen
    };
    let nodes: BTreeSet<&Names> = links.iter().map(|(from, _)| from).collect();
    let reached: BTreeMap<&Names, _> = nodes.iter().map(|node| (*node, reach(node))).collect();
    let round = |node: &&Names| {
        let others = reached[*node]
            .iter()
            .filter(|it| reached.get(**it).is_some_and(|back| back.contains(*node)));
        others.map(|it| it.join("::")).collect::<Vec<_>>()
    };
    nodes
        .iter()
        .map(round)
        .filter(|group| group.len() > 1)
        .collect()
}

#[test]
fn modules_that_are_siblings_do_not_use_each_other_in_a_round() {
    let mut found = BTreeSet::new();
    for entry in fs::read_dir(repository().join("crates")).unwrap() {
        let name = entry.unwrap().file_name().to_string_lossy().into_owned();
        let circles = find_circles(&ModuleGraph::from_crate(&name).sibling_links());
        found.extend(circles.into_iter().map(|circle| (name.clone(), circle)));
    }
    let owned = |names: &[&str]| names.iter().map(|it| (*it).to_owned()).collect();
    let known: BTreeSet<(String, Vec<String>)> = (KNOWN_CIRCLES.iter())
        .map(|(name, circle)| ((*name).to_owned(), owned(circle)))
        .collect();
    assert_eq!(found, known, "a circle that is gone leaves the list");
}

/// Returns the modules of the core as `ARCHITECTURE.md` draws them, from below.
fn drawn_modules() -> Vec<String> {
    let page = fs::read_to_string(repository().join("ARCHITECTURE.md")).unwrap();
    let section = page.split("\n## The core, from below\n").nth(1).unwrap();
    let drawing = section.split("```").nth(1).unwrap();
    let names = drawing.lines().filter_map(|line| line.split('|').next());
    names
        .flat_map(str::split_whitespace)
        .map(str::to_owned)
        .collect()
}

#[test]
fn the_core_stands_as_it_is_drawn() {
    let drawn = drawn_modules();
    let root = fs::read_to_string(repository().join("crates/core/src/lib.rs")).unwrap();
    let modules = root.lines().filter_map(|line| line.split_once("mod "));
    let modules: Vec<&str> = modules
        .map(|(_, name)| name.trim_end_matches(';'))
        .collect();
    assert_eq!(modules, drawn, "lib.rs and the drawing");
    let place = |module: &Names| drawn.iter().position(|it| *it == module[0]);
    let links = ModuleGraph::from_crate("core").sibling_links();
    let tops: Vec<_> = links.iter().filter(|(from, _)| from.len() == 1).collect();
    let upward: Vec<_> = tops
        .iter()
        .filter(|(from, to)| place(from) < place(to))
        .collect();
    assert!(
        upward.is_empty() && tops.len() > 50,
        "{}: {upward:?}",
        tops.len()
    );
}

/// A module that passes a name on does not hide where it comes from.
#[test]
fn a_circle_is_seen_through_names_that_are_passed_on() {
    let texts = [
        (
            vec![],
            "mod a;\nmod b;\npub use b::{deep::Noun, verb as act};",
        ),
        (
            vec!["a"],
            "use std::fmt;\nuse crate::{\n    act,\n    c::{self, Other},\n};",
        ),
        (vec!["b"], "pub mod deep;\n// super::c::Word\nfn verb() {}"),
        (vec!["b", "deep"], "struct Noun(fmt::Result);"),
        (
            vec!["c"],
            "fn f() { super::a::g(); }\n#[cfg(test)]\nmod tests {\n crate::b::h(); }",
        ),
    ];
    let files = texts.into_iter().map(|(module, text)| {
        let module: Names = module.into_iter().map(str::to_owned).collect();
        (module, SourceFile::from_text(text))
    });
    let links = ModuleGraph {
        files: files.collect(),
    }
    .sibling_links();
    let shown: Vec<String> = links
        .iter()
        .map(|(a, b)| format!("{} {}", a.join("::"), b.join("::")))
        .collect();
    assert_eq!(shown, ["a b", "a c", "c a"]);
    let circles = find_circles(&links);
    assert_eq!(circles.into_iter().collect::<Vec<_>>(), [["a", "c"]]);
}
