"""The files of this tree that the checks read, and C++ text without what only looks like code."""

import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent
SKIPPED = {".git", "build", ".cache", "__pycache__", "corpus"}  # corpus: what fuzzers found, no text


def files(*suffixes, root=ROOT):
    """Every file below root with one of the suffixes (all files without any), sorted, as paths relative to root."""
    found = []
    pending = [root]
    while pending:
        for entry in pending.pop().iterdir():
            if entry.name in SKIPPED or entry.is_symlink():
                continue
            if entry.is_dir():
                pending.append(entry)
            elif not suffixes or entry.suffix in suffixes:
                found.append(entry.relative_to(root))
    return sorted(found)


# Comments, raw strings, strings, character literals and preprocessor lines (with continuations).
_NOT_CODE = re.compile(
    r'//[^\n]*'
    r'|/\*.*?\*/'
    r'|R"(?P<tag>[^()\s\\]{0,16})\(.*?\)(?P=tag)"'
    r'|"(?:\\.|[^"\\\n])*"'
    r"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'"
    r'|^[ \t]*#(?:\\\n|[^\n])*',
    re.DOTALL | re.MULTILINE)


def code_only(text):
    """The text with everything but code blanked, on unchanged line numbers."""
    return _NOT_CODE.sub(lambda match: "\n" * match.group().count("\n") or " ", text)
