#!/usr/bin/env python3
"""Counts the house: lines of code, names, docs, and circles of modules.

Usage: scripts/count.py [CRATE...]; all crates by default. Prints one table, for comparing one state of
the code with another. It reads text and does not parse Rust, so its figures are good for trends, not to
the last digit:

- lines: without tests, comments and blanks;
- one-word functions: of all functions outside tests and traits' implementations, those whose name has
  one word;
- shared type names: structs, enums and traits whose name another one of the workspace has;
- a doc's first sentence: median of its words, over all documented items;
- circles: groups of sibling modules that use each other in a round, at every level of a crate; a name
  that a module passes on counts for the module that it comes from (`cli/tests/it/modules.rs` holds it).
"""

import pathlib
import re
import statistics
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent / "crates"


def product(text):
    """Leaves out the inline test modules, which stand at the end of their files."""
    return re.split(r"^#\[cfg\(test\)\]\nmod tests \{", text, maxsplit=1, flags=re.M)[0]


def is_test(path):
    parts = path.parts
    return "tests" in parts or "benches" in parts or path.stem == "tests" or path.stem.endswith("_tests")


def sources(crate):
    for path in sorted((crate / "src").rglob("*.rs")):
        if not is_test(path.relative_to(crate)):
            yield path, product(path.read_text())


def code_lines(text):
    lines = (line.strip() for line in text.splitlines())
    return sum(1 for line in lines if line and not line.startswith("//"))


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


def main():
    wanted = sys.argv[1:]
    crates = [it for it in sorted(ROOT.iterdir()) if (it / "src").is_dir() and (not wanted or it.name in wanted)]
    every_type, every_doc, every_name, lines, rounds = [], [], [], 0, []
    print(f"{'crate':10} {'lines':>7} {'files':>6} {'functions':>10} {'one word':>9} {'circles':>8}")
    for crate in crates:
        texts = [text for _, text in sources(crate)]
        names = [name for text in texts for name in functions(text)]
        size, found = sum(map(code_lines, texts)), circles(crate)
        one = sum("_" not in name for name in names)
        share = f"{100 * one / max(len(names), 1):.0f} %"
        print(f"{crate.name:10} {size:7} {len(texts):6} {len(names):10} {share:>9} {len(found):8}")
        every_type += [name for text in texts for name in types(text)]
        every_doc += [words for text in texts for words in first_sentences(text)]
        every_name += names
        lines += size
        rounds += [(crate.name, group) for group in found]
    one = sum("_" not in name for name in every_name)
    shared = {name for name in every_type if every_type.count(name) > 1}
    print(f"{'all':10} {lines:7} {'':6} {len(every_name):10} {100 * one / len(every_name):7.0f} % {len(rounds):8}")
    print(f"types: {len(every_type)}, names that more than one has: {len(shared)}")
    print(f"words in a doc's first sentence, median: {statistics.median(every_doc):.0f}")
    for crate, group in rounds:
        print(f"circle in {crate}: {', '.join(group)}")


if __name__ == "__main__":
    main()
