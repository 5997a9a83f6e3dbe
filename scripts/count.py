#!/usr/bin/env python3
"""Counts the house: lines of code, names, docs, habits, and circles of modules.

Usage: scripts/count.py [CRATE...]; all crates by default. Prints tables, for comparing one state of the code
with another. It reads text and does not parse Rust, so its figures are good for trends, not to the last digit:

- lines: without tests, comments and blanks. What is shipped (product), the simulator, the contract suite and tests
  are told apart: only the first is what a user gets;
- tokens: words, numbers, texts and signs of those lines, which no formatting changes;
- tables: lines of `const` and `static` items of more than one line;
- one-word functions: of all functions outside tests and traits' implementations, those whose name has
  one word;
- shared type names: structs, enums and traits whose name another one of the workspace has;
- a doc's first sentence: median of its words, over all documented items;
- habits, per 10,000 lines of the product: closures of `|it|`; locals that are called by a bare participle or a question
  word (`let found`, `let what`); `match` on a truth where `if` would do; helpers of one expression that are called once;
- circles: groups of sibling modules that use each other in a round, at every level of a crate; a name
  that a module passes on counts for the module that it comes from (`cli/tests/it/modules.rs` holds it).
"""

import collections
import pathlib
import re
import statistics
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent / "crates"
SIMULATOR = "sim"
SUITE = "store-suite"
QUESTION_WORDS = {"what", "who", "whom", "whose", "which", "where", "when", "how", "why", "whether"}
IRREGULAR = set(
    "begun bought bound broken brought built came caught chosen come done drawn driven eaten fallen fed felt "
    "fled forgotten fought found given gone got grown had heard held hidden hit hurt kept known laid led lent "
    "lost made meant met paid put risen said seen sent shown shut sold sought spent split spoken stood "
    "taken taught thought thrown told took torn went woken won worn written".split()
)
NOUNS_IN_ED = {"bed", "breed", "deed", "embed", "feed", "greed", "need", "red", "seed", "shed", "speed", "weed"}


def split_tests(text):
    """Parts a file's code from its inline test module, which stands at the end."""
    code, *tests = re.split(r"^#\[cfg\(test\)\]\nmod tests \{", text, maxsplit=1, flags=re.M)
    return code, "".join(tests)


def is_test(path):
    parts = path.parts
    return "tests" in parts or "benches" in parts or path.stem == "tests" or path.stem.endswith("_tests")


def sources(crate):
    for path in sorted((crate / "src").rglob("*.rs")):
        if not is_test(path.relative_to(crate)):
            yield path, split_tests(path.read_text())[0]


def kind_of(crate):
    """Returns what a crate's code outside of tests is for."""
    return {SIMULATOR: "simulator", SUITE: "suite"}.get(crate.name, "product")


def texts_by_kind(crates):
    """Returns the texts of the product, the simulator, the suite and tests."""
    kinds = {"product": [], "simulator": [], "suite": [], "tests": []}
    for crate in crates:
        for path in sorted(crate.rglob("*.rs")):
            if is_test(path.relative_to(crate)):
                kinds["tests"].append(path.read_text())
            elif path.is_relative_to(crate / "src"):
                code, tests = split_tests(path.read_text())
                kinds[kind_of(crate)].append(code)
                kinds["tests"] += [tests] if tests else []
    return kinds


def code_lines(text):
    lines = (line.strip() for line in text.splitlines())
    return sum(1 for line in lines if line and not line.startswith("//"))


def count_tokens(text):
    code = re.sub(r"^\s*//.*$", "", text, flags=re.M)
    return len(re.findall(r'"(?:[^"\\]|\\.)*"|\w+|::|->|=>|[^\s\w]', code))


def table_lines(text):
    """Counts the lines of constants and statics that take more than one."""
    lines, until = 0, None
    for line in text.splitlines():
        if until is None and re.match(r"\s*(?:pub(?:\([^)]*\))? )?(?:const|static) \w+:.*[^;]$", line):
            until = re.match(r"\s*", line).group()
        if until is not None:
            lines += bool(line.strip()) and not line.strip().startswith("//")
            until = None if line.startswith(until) and re.match(r"[^\s].*;$", line[len(until) :]) else until
    return lines


def is_participle(name):
    return name in QUESTION_WORDS | IRREGULAR or (name.endswith("ed") and name not in NOUNS_IN_ED and "_" not in name)


def habits(texts):
    """Returns how often each habit is met, over all texts of the product."""
    text = "\n".join(re.sub(r"^\s*//.*$", "", text, flags=re.M) for text in texts)
    locals_ = re.findall(r"\blet (?:mut )?([a-z]+)\b(?!\()", text)
    helpers = re.findall(r"^ *(?:pub(?:\([^)]*\))? )?(?:const )?fn (\w+)[^{};]*\{\n[^\n]*\n *\}$", text, re.M)
    imports = r"^ *(?:pub(?:\([^)]*\))? )?use [^;]+;"
    used = collections.Counter(re.findall(r"\w+", re.sub(imports, "", text, flags=re.M)))
    return {
        "`|it|`": len(re.findall(r"\|(?:&|mut )*it\|", text)),
        "bare participles": sum(map(is_participle, locals_)),
        "`match` on a truth": len(re.findall(r"\bmatch [^{};]*\{\s*(?:true|false)\b", text)),
        "one-call helpers": sum(used[name] == 2 for name in helpers),
    }


def functions(text):
    """Returns the names of functions, those of trait implementations left out."""
    inside, depth, names = False, 0, []
    for line in text.splitlines():
        if re.match(r"(unsafe )?impl\b.*\bfor\b.*\{\s*$", line):
            inside = True
        elif inside and line.startswith("}"):
            inside = False
        found = re.match(r"\s*(?:pub(?:\([^)]*\))? )?(?:const |async |unsafe )*fn (\w+)", line)
        if found and not inside:
            names.append(found.group(1))
    return names


def types(text):
    written = re.findall(r"^\s*(?:pub(?:\([^)]*\))? )?(?:struct|enum|trait) (\w+)", text, re.M)
    named = re.findall(r"named_enum! \{\n(?:\s*///.*\n)*\s*(\w+) \{", text)
    return written + named


def first_sentences(text):
    docs, block = [], []
    for line in [*text.splitlines(), ""]:
        found = re.match(r"\s*///(.*)", line)
        if found:
            block.append(found.group(1).strip())
        elif block:
            paragraph = " ".join(block).split("  ")[0]
            docs.append(len(re.split(r"(?<=[.!?:])\s", paragraph)[0].split()))
            block = []
    return docs


def module_of(crate, path):
    parts = list(path.relative_to(crate / "src").with_suffix("").parts)
    return tuple(part for part in parts if part not in ("lib", "main", "mod"))


def expand(tree):
    """Returns every name that a `use` tree brings into scope, with the path that it comes from."""
    head, brace, group = tree.strip().partition("{")
    if brace:
        head = [name for name in head.strip().split("::") if name]
        leaves = [leaf for part in split_group(group.rpartition("}")[0]) for leaf in expand(part)]
        paths = [(alias, [*head, *path]) for alias, path in leaves]
        return [(path[-2] if alias == "self" else alias, [it for it in path if it != "self"]) for alias, path in paths]
    path, _, alias = head.partition(" as ")
    path = path.strip().split("::")
    return [(alias.strip() or path[-1], path)]


def split_group(group):
    """Splits a group at the commas that are not in a group inside of it."""
    parts, depth = [""], 0
    for char in group:
        depth += (char == "{") - (char == "}")
        if char == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += char
    return [part for part in parts if part.strip()]


def names(text):
    """Returns where a file's imports come from, and all paths that it names, comments left out."""
    text = re.sub(r"//.*", "", text)
    trees = re.findall(r"^ *(?:pub(?:\([^)]*\))? )?use ([^;]+);", text, re.M)
    leaves = [leaf for tree in trees for leaf in expand(tree)]
    inline = [path.split("::") for path in re.findall(r"(?:\w+::)+\w+", text)]
    return dict(leaves), [path for _, path in leaves] + inline


def resolve(path, here, files, steps=9):
    """Returns the module that a path leads to, through names that modules pass on; None if out of the crate."""
    base = () if path[0] == "crate" else here
    rest = path[1:] if path[0] == "crate" else path
    while rest and rest[0] in ("self", "super"):
        base, rest = base[: len(base) - (rest[0] == "super")], rest[1:]
    if rest == path and (*here, path[0]) not in files and files[here][0].get(path[0], path)[0] == path[0]:
        return None
    while rest:
        if (*base, rest[0]) in files:
            base, rest = (*base, rest[0]), rest[1:]
        elif steps and rest[0] in files[base][0]:
            return resolve(files[base][0][rest[0]] + rest[1:], base, files, steps - 1)
        else:
            break
    return base


def circles(crate):
    files = {module_of(crate, path): names(text) for path, text in sources(crate)}
    links = set()
    for here, (_, paths) in files.items():
        for there in (resolve(path, here, files) for path in paths):
            level = 0
            while there and level < min(len(here), len(there)) and here[level] == there[level]:
                level += 1
            if there and level < len(here) and level < len(there):
                links.add((here[: level + 1], there[: level + 1]))
    groups = strongly_connected(links)
    return [sorted("::".join(it) for it in group) for group in groups]


def strongly_connected(links):
    nodes = {node for link in links for node in link}
    after = {node: {b for a, b in links if a == node} for node in nodes}

    def reach(start):
        seen, todo = set(), [start]
        while todo:
            for node in after[todo.pop()]:
                if node not in seen:
                    seen.add(node)
                    todo.append(node)
        return seen

    reached = {node: reach(node) for node in nodes}
    groups, done = [], set()
    for node in sorted(nodes):
        if node not in done and node in reached[node]:
            group = {other for other in reached[node] if node in reached[other]} | {node}
            done |= group
            groups.append(group)
    return [group for group in groups if len(group) > 1]


def print_crates(crates):
    """Prints a row for each crate, and returns the names of all functions and all circles."""
    every_name, rounds = [], []
    print(f"{'crate':14} {'lines':>7} {'files':>6} {'functions':>10} {'one word':>9} {'circles':>8}")
    for crate in crates:
        texts = [text for _, text in sources(crate)]
        names = [name for text in texts for name in functions(text)]
        size, found = sum(map(code_lines, texts)), circles(crate)
        one = sum("_" not in name for name in names)
        share = f"{100 * one / max(len(names), 1):.0f} %"
        print(f"{crate.name:14} {size:7} {len(texts):6} {len(names):10} {share:>9} {len(found):8}")
        every_name += names
        rounds += [(crate.name, group) for group in found]
    return every_name, rounds


def print_kinds(kinds):
    print(f"\n{'kind':14} {'lines':>7} {'files':>6} {'tokens':>10} {'tables':>9}")
    for kind, texts in kinds.items():
        sums = [sum(map(count, texts)) for count in (code_lines, count_tokens, table_lines)]
        print(f"{kind:14} {sums[0]:7} {len(texts):6} {sums[1]:10} {sums[2]:9}")


def print_habits(texts):
    size = max(sum(map(code_lines, texts)), 1)
    print("\nper 10,000 lines of the product:")
    for habit, times in habits(texts).items():
        print(f"{habit:18} {1e4 * times / size:7.1f} ({times})")


def main():
    wanted = sys.argv[1:]
    crates = [it for it in sorted(ROOT.iterdir()) if (it / "src").is_dir() and (not wanted or it.name in wanted)]
    every_name, rounds = print_crates(crates)
    kinds = texts_by_kind(crates)
    print_kinds(kinds)
    print_habits(kinds["product"])
    texts = [text for crate in crates for _, text in sources(crate)]
    every_type = [name for text in texts for name in types(text)]
    every_doc = [words for text in texts for words in first_sentences(text)]
    one = sum("_" not in name for name in every_name)
    shared = {name for name in every_type if every_type.count(name) > 1}
    print(f"\nfunctions: {len(every_name)}, of one word: {100 * one / max(len(every_name), 1):.0f} %, circles: {len(rounds)}")
    print(f"types: {len(every_type)}, names that more than one has: {len(shared)}")
    print(f"words in a doc's first sentence, median: {statistics.median(every_doc):.0f}")
    for crate, group in rounds:
        print(f"circle in {crate}: {', '.join(group)}")


if __name__ == "__main__":
    main()
