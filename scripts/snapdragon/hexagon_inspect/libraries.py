"""Finds and opens the files to inspect: given paths, members of archives, or the NPU libraries of the newest build."""

import functools
import pathlib
import re
import tempfile

from .elf import Elf
from .errors import InspectError

_LIBRARY = re.compile(r"libggml-htp-v(\d+)\.so$")
_BUILD_FOLDERS = ("build*", "pkg-*")


def open_libraries(paths):
    """The Elfs of files and of the Hexagon members of archives. Raises InspectError for what cannot be read or is
    nothing of both."""
    found = []
    for path in paths:
        data = _read(path)
        if data.startswith(b"!<arch>\n"):
            found += _open_members(path, data)
        else:
            found.append(Elf(str(path), data))
    return found


def _read(path):
    try:
        return pathlib.Path(path).read_bytes()
    except OSError as error:
        raise InspectError(f"{path}: {error.strerror}") from error


def _open_members(path, data):
    members = []
    for place, (name, content) in enumerate(_members(path, data)):
        if content[:4] == b"\x7fELF":
            file = pathlib.Path(_unpacked().name) / f"{pathlib.Path(path).name}-{place}.o"
            file.write_bytes(content)
            members.append(Elf(f"{path}({name})", content, str(file)))
    if not members:
        raise InspectError(f"{path}: an archive without ELF files")
    return members


@functools.lru_cache(maxsize=None)
def _unpacked():
    """The folder that members of archives are unpacked to, so that the disassembler can read them; it goes when the
    program ends."""
    return tempfile.TemporaryDirectory(prefix="hexagon-inspect-")


def _members(path, data):
    """Yields (name, content) of the members of an ar archive with GNU names."""
    names, at = b"", 8
    while at + 60 <= len(data):
        header = data[at:at + 60]
        try:
            size = int(header[48:58])
        except ValueError as error:
            raise InspectError(f"{path}: damaged archive") from error
        content = data[at + 60:at + 60 + size]
        name = header[:16].rstrip()
        if name == b"//":
            names = content
        elif name[:1] == b"/" and name[1:].isdigit():
            name = names[int(name[1:]):].split(b"\n")[0]
        if name not in (b"/", b"//", b"/SYM64/"):
            yield name.rstrip(b"/").decode("utf-8", "replace"), content
        at += 60 + size + size % 2


def parse_arch(text):
    """73 of "73" or "v73". Raises InspectError for anything else."""
    match = re.fullmatch(r"v?(\d+)", text)
    if not match:
        raise InspectError(f"--arch {text}: expected an architecture such as v73")
    return int(match[1])


def find_libraries(arch, root):
    """The paths of the NPU libraries in the folder of the newest one below root's build*/ and pkg-*/ folders, lowest
    architecture first; only the given architecture if it is not None. Raises InspectError if there is none."""
    found = [p for pattern in _BUILD_FOLDERS for folder in root.glob(pattern) for p in folder.rglob("libggml-htp-v*.so")
             if _LIBRARY.search(p.name) and p.is_file()]
    wanted = [p for p in found if arch is None or int(_LIBRARY.search(p.name)[1]) == arch]
    if not wanted:
        which = "libggml-htp-v*.so" if arch is None else f"libggml-htp-v{arch}.so"
        raise InspectError(f"no {which} below {root}/build* or {root}/pkg-*; name one with --lib")
    newest = max(wanted, key=lambda p: p.stat().st_mtime)
    return sorted((p for p in wanted if p.parent == newest.parent), key=lambda p: int(_LIBRARY.search(p.name)[1]))
