//! Tells from a path alone what kind of file it is, as far as that changes what a secret in it means.
//!
//! A password in a test is nearly always made up, and a random text in a lock file is a digest. What a file holds is not
//! looked at here.

use super::credential_file::TEMPLATE_WORDS;

/// What a path says about its file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PathClass {
    /// Settings, scripts, data, notes: where people write secrets down.
    Settings,
    /// Program code.
    Code,
    /// Tests, fixtures, examples, benchmarks.
    Sample,
    /// Settings to be copied and filled in: `.env.example`.
    Template,
    /// Documents for readers: they show how a value would be written.
    Document,
    /// Files that programs write and that are full of digests: lock files, minified code, pictures.
    Generated,
}

/// Parts of a path below which everything is a test or an example.
#[rustfmt::skip]
const SAMPLE_WORDS: &[&str] = &[
    "test", "tests", "testing", "testdata", "testcase", "testcases", "testsuite", "testutil", "testutils",
    "testsupport", "testlib", "spec", "specs", "fixture", "fixtures", "mock", "mocks", "example", "examples",
    "sample", "samples", "demo", "demos", "bench", "benches", "benchmark", "benchmarks", "e2e", "cypress",
    "playground", "playgrounds", "fuzz", "snapshots", "cassettes", "stubs", "tutorial", "tutorials",
];

/// Parts of a path below which everything is written for readers.
#[rustfmt::skip]
const DOCUMENT_WORDS: &[&str] = &["doc", "docs", "documentation", "guide", "guides", "man", "manual", "changelogs", "website"];

#[rustfmt::skip]
const DOCUMENT_ENDINGS: &[&str] = &["md", "mdc", "mdx", "rst", "adoc", "asciidoc", "markdown", "rdoc", "textile", "pod", "html", "htm"];

#[rustfmt::skip]
const CODE_ENDINGS: &[&str] = &[
    "rs", "py", "pyi", "rb", "js", "mjs", "cjs", "ts", "mts", "cts", "tsx", "jsx", "go", "c", "h", "cc", "cpp", "hpp", "cxx",
    "java", "kt", "kts", "scala", "swift", "cs", "fs", "vb", "php", "pl", "pm", "lua", "ex", "exs", "erl", "hs",
    "ml", "clj", "dart", "svelte", "vue", "astro", "erb", "m", "mm", "zig", "nim", "jl", "r", "sol", "css", "scss", "less", "tcl",
    "groovy", "proto", "graphql", "el", "vim", "rake", "gemspec", "asm", "s",
];

#[rustfmt::skip]
const GENERATED_ENDINGS: &[&str] = &[
    "lock", "sum", "svg", "map", "snap", "min.js", "min.css", "bundle.js", "ipynb", "po", "pot", "woff", "woff2", "ttf",
    "eot", "ai", "eps", "ps", "psd", "png", "jpg", "jpeg", "gif", "ico", "pdf", "webp", "avif", "zip", "gz", "xz", "bz2", "jar", "class", "wasm", "phar",
];

#[rustfmt::skip]
const GENERATED_NAMES: &[&str] = &[
    "package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "yarn.lock", "go.sum", "cargo.lock", "gemfile.lock",
    "composer.lock", "poetry.lock", "pipfile.lock", "uv.lock", "verification-metadata.xml", "gradlew", "gradlew.bat", "mvnw", "mvnw.cmd",
];

impl PathClass {
    /// Classifies a path that has `/` between its parts.
    pub fn of_path(path: &str) -> Self {
        let as_written = path;
        let path = path.to_ascii_lowercase();
        let name = path.rsplit('/').next().unwrap_or(&path);
        let ends_in = |endings: &[&str]| {
            endings.iter().any(|ending| {
                let stem = name.strip_suffix(ending);
                stem.is_some_and(|stem| stem.ends_with('.'))
            })
        };
        let has_word_in = |path: &str, words: &[&str]| {
            let parts = path.split(['/', '_', '-', '.', ' ']);
            parts.into_iter().any(|part| words.contains(&part))
        };
        let has_word = |words: &[&str]| has_word_in(&path, words);
        let folder = &path[..path.len() - name.len()];
        let is_data = !ends_in(CODE_ENDINGS) && !ends_in(DOCUMENT_ENDINGS);
        if is_data && has_word_in(name, TEMPLATE_WORDS) && !has_word_in(folder, SAMPLE_WORDS) {
            Self::Template
        } else if has_word(SAMPLE_WORDS) || is_test_name(as_written) {
            Self::Sample
        } else if GENERATED_NAMES.contains(&name) || ends_in(GENERATED_ENDINGS) {
            Self::Generated
        } else if ends_in(DOCUMENT_ENDINGS) || has_word(DOCUMENT_WORDS) {
            Self::Document
        } else if ends_in(CODE_ENDINGS) {
            Self::Code
        } else {
            Self::Settings
        }
    }
}

/// Returns whether a part of the path is a test by how it ends: `FooTest.java`, `src/androidTest`.
fn is_test_name(path: &str) -> bool {
    path.split('/').any(|part| {
        let stem = part.split('.').next().unwrap_or(part);
        ["Test", "Tests", "Spec"].iter().any(|word| {
            let before = stem.strip_suffix(word);
            before.is_some_and(|before| before.ends_with(|c: char| c.is_alphanumeric()))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths() {
        for (path, expected) in [
            ("web/.env.sample", PathClass::Template),
            ("tests/.env.sample", PathClass::Sample),
            ("example.py", PathClass::Sample),
            ("src/main.rs", PathClass::Code),
            (".env", PathClass::Settings),
            ("config/database.yml", PathClass::Settings),
            ("deploy.sh", PathClass::Settings),
            ("tests/it/main.rs", PathClass::Sample),
            ("src/foo_test.go", PathClass::Sample),
            ("a/FooTest.java", PathClass::Sample),
            ("a/b.spec.ts", PathClass::Sample),
            ("src/latest.rs", PathClass::Code),
            ("contest/a.py", PathClass::Code),
            ("README.md", PathClass::Document),
            ("docs/conf.py", PathClass::Document),
            ("Cargo.lock", PathClass::Generated),
            ("a/b.min.js", PathClass::Generated),
            (".env.example", PathClass::Template),
        ] {
            assert_eq!(PathClass::of_path(path), expected, "{path}");
        }
    }
}
