"""Bytes of a YAML file → data by YAML 1.2 rules, and the line of each part of it."""

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import yaml
from yaml import MappingNode, Node, ScalarNode, SequenceNode
from yaml.composer import Composer

from pytest_iwr.load.syntax import explain
from pytest_iwr.records import Plain

try:
    from yaml import CBaseLoader
except ImportError as error:
    raise ImportError(
        "PyYAML is here without libyaml, which all its wheels contain."
        " Run: pip install --force-reinstall --only-binary pyyaml pyyaml"
    ) from error

Key = str | int
Where = tuple[Key, ...]

MAX_NODES = 50_000
"""Values of a file with all its aliases expanded; 800 rich steps have some 16,000."""
MAX_DEPTH = 40
"""Values inside values, with all aliases expanded; honest tasks have some 10."""

_CORE = "tag:yaml.org,2002:"
_PLAIN = "plain"
_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
INVISIBLE = re.compile(
    "[^\t\n\r -~\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd"
    "\U00010000-\U0010ffff]"
)
"""Not allowed: control characters, and what YAML 1.1 parsers take for line breaks."""
_SCALAR_TAGS: dict[str, tuple[type, ...]] = {
    f"{_CORE}int": (int,),
    f"{_CORE}float": (int, float),
    f"{_CORE}bool": (bool,),
    f"{_CORE}null": (type(None),),
}


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """A value of a file, and where it and its own parts stand.

    An alias gives the very same part again, so parts are told apart by identity.
    """

    value: object
    """`Plain`, `str`, a list or a dict of such values."""
    line: int
    """Counted from 1."""
    parts: dict[Key, "Part"]
    lines: dict[Key, int]
    """The line of each key or entry."""
    size: int = 1
    """Number of values in it, itself included, with all aliases expanded."""
    depth: int = 1

    def walk(self, where: Where = ()) -> Iterator[tuple[Where, "Part"]]:
        """Give this part and all parts below it, each with its place."""
        yield where, self
        for key, part in self.parts.items():
            yield from part.walk((*where, key))


class Finding(NamedTuple):
    """A mistake, or a piece of advice, at a place of the file."""

    where: Where
    line: int
    message: str
    part: Part | None = None
    """The part at fault; it says which findings are copies made by an alias."""


class Unreadable(Exception):  # noqa: N818  # carries a finding to `load`, not a fault
    """The file has no parts: bytes, syntax, a bomb or a cycle."""

    def __init__(self, line: int, message: str, where: Where = ()) -> None:
        """Keep the one finding."""
        super().__init__(message)
        self.finding = Finding(where, line, message)


def parse(
    data: bytes, noun: str = "task", least: str = "`iwr: 1` and `steps:`"
) -> tuple[Part, list[Finding]]:
    """Give the parts of the one document in `data`, and what YAML forbids in it.

    `noun` is what messages call the document, `least` what it must hold. Raises
    Unreadable where there is nothing to go on with.
    """
    text = _decode(data)
    composer = _Composer(text)
    try:
        root, second_line = composer.documents()
    except yaml.MarkedYAMLError as error:
        raise Unreadable(*explain(error, text)) from error
    finally:
        composer.dispose()
    if root is None or (isinstance(root, ScalarNode) and not root.value):
        raise Unreadable(1, f"empty {noun}. Write at least {least}")
    if second_line is not None:
        message = f"a second document starts here. Put each {noun} into its own file"
        raise Unreadable(second_line, message)
    builder = _Builder(composer.alias_lines)
    return builder.part(root, ()), builder.findings


def _decode(data: bytes) -> str:
    bom, encoding = next((b for b in _BOMS if data.startswith(b[0])), (b"", ""))
    body = data[len(bom) :]
    encoding = encoding or _encoding_without_bom(body)
    try:
        text = body.decode(encoding)
    except UnicodeDecodeError as error:
        before = body[: error.start].decode(encoding, "replace")
        bad = body[error.start]
        message = f"byte {bad:#04x} is not {encoding.upper()}. Save the file as UTF-8"
        raise Unreadable(_line_at(before), message) from error
    if (found := INVISIBLE.search(text)) is not None:
        char = found[0]
        instead = (
            f', or write "\\u{ord(char):04x}" in double quotes' if ord(char) else ""
        )
        message = (
            f"the invisible character U+{ord(char):04X} is not allowed."
            f" Remove it{instead}"
        )
        raise Unreadable(_line_at(text[: found.start()]), message)
    return text


def _encoding_without_bom(body: bytes) -> str:
    """Tell UTF-16 from UTF-8 by the zero halves (YAML 1.2.2, section 5.2)."""
    match [byte == 0 for byte in body[:4]]:
        case [True, False, True, False]:
            return "utf-16-be"
        case [False, True, False, True]:
            return "utf-16-le"
        case _:
            return "utf-8"


def _line_at(before: str) -> int:
    return before.replace("\r\n", "\n").replace("\r", "\n").count("\n") + 1


class _Composer(Composer, CBaseLoader):
    """PyYAML's composer over libyaml's parser.

    PyYAML's own parser refuses what YAML 1.2 allows, such as `{text: Why?}`. This
    one marks plain scalars, keeps the lines of aliases, and counts.
    """

    def __init__(self, text: str) -> None:
        Composer.__init__(self)
        CBaseLoader.__init__(self, text)
        self.alias_lines: dict[tuple[int, int], int] = {}
        """The line of an alias, by the identity of its list and its index in it."""
        self._depth = 0
        self._count = 0

    def documents(self) -> tuple[Node | None, int | None]:
        """Give the first document's root, and the line of the second document."""
        root = self.get_node() if self.check_node() else None
        return root, self._next_line() if self.check_node() else None

    def compose_node(self, parent: Node | None, index: object) -> Node | None:
        self._count += 1
        if self._count > MAX_NODES:
            raise Unreadable(self._next_line(), _too_large())
        if self._depth >= MAX_DEPTH:
            raise Unreadable(self._next_line(), _too_deep())
        if self.check_event(yaml.AliasEvent) and isinstance(index, int):
            self.alias_lines[id(parent), index] = self._next_line()
        self._depth += 1
        node = super().compose_node(parent, index)  # type: ignore[arg-type]  # a key too
        self._depth -= 1
        return node

    def resolve(
        self, kind: type[Node], value: str | None, implicit: tuple[bool, bool]
    ) -> str:
        if kind is ScalarNode and implicit[0]:
            return _PLAIN
        tag: str = super().resolve(kind, value, implicit)  # type: ignore[no-untyped-call]  # stub
        return tag

    def _next_line(self) -> int:
        event = self.peek_event()
        mark = event.start_mark if event else None
        return int(mark.line) + 1 if mark else 1


def _too_large() -> str:
    return (
        f"the file has more than {MAX_NODES} values, aliases expanded."
        " Use fewer aliases, or several tasks"
    )


def _too_deep() -> str:
    return f"values are nested more than {MAX_DEPTH} deep. Flatten them"


class _Builder:
    """Nodes → parts, each node once, so that an alias costs nothing."""

    def __init__(self, alias_lines: dict[tuple[int, int], int]) -> None:
        self.findings: list[Finding] = []
        self._alias_lines = alias_lines
        self._done: dict[int, Part] = {}
        self._open: set[int] = set()
        self._merged = 0

    def part(self, node: Node, where: Where) -> Part:
        """Give the part of a node; raises Unreadable for a bomb and a cycle."""
        if (part := self._done.get(id(node))) is not None:
            return part
        line = node.start_mark.line + 1
        if id(node) in self._open:
            message = "an alias stands inside the value that it names. Write it out"
            raise Unreadable(line, message, where)
        self._open.add(id(node))
        match node:
            case MappingNode():
                part = self._mapping(node, where)
            case SequenceNode():
                part = self._list(node, where)
            case ScalarNode():
                part = Part(self._scalar(node, where), line, {}, {})
            case _:
                raise AssertionError(node)
        self._open.remove(id(node))
        if part.size > MAX_NODES:
            raise Unreadable(line, _too_large(), where)
        if part.depth > MAX_DEPTH:
            raise Unreadable(line, _too_deep(), where)
        self._done[id(node)] = part
        return part

    def _list(self, node: SequenceNode, where: Where) -> Part:
        self._check_tag(node, "seq", where)
        parts: dict[Key, Part] = {}
        lines: dict[Key, int] = {}
        for index, child in enumerate(node.value):
            parts[index] = self.part(child, (*where, index))
            alias_line = self._alias_lines.get((id(node), index))
            lines[index] = alias_line or child.start_mark.line + 1
        return _branch(
            [part.value for part in parts.values()],
            node.start_mark.line + 1,
            parts,
            lines,
        )

    def _mapping(self, node: MappingNode, where: Where) -> Part:
        self._check_tag(node, "map", where)
        parts: dict[Key, Part] = {}
        lines: dict[Key, int] = {}
        merges = []
        for key_node, child in node.value:
            line = key_node.start_mark.line + 1
            if not isinstance(key_node, ScalarNode):
                self._find(where, line, "a key is a list or a mapping. Write text")
                continue
            key = str(self._scalar(key_node, where))
            if key in lines:
                first = lines[key]
                message = (
                    f"key {key!r} stands here again, first in line {first}."
                    " Remove one of them"
                )
                self._find(where, line, message)
                continue
            lines[key] = line
            if key == "<<" and key_node.tag == _PLAIN:
                merges.append(child)
            else:
                parts[key] = self.part(child, (*where, key))
        if merges:
            del lines["<<"]
            self._merge(merges[0], where, parts, lines)
        value = {key: part.value for key, part in parts.items()}
        return _branch(value, node.start_mark.line + 1, parts, lines)

    def _merge(
        self, node: Node, where: Where, parts: dict[Key, Part], lines: dict[Key, int]
    ) -> None:
        """Add the keys that are not there yet; of several mappings the first wins."""
        sources = node.value if isinstance(node, SequenceNode) else [node]
        for source in sources:
            if not isinstance(source, MappingNode):
                line = source.start_mark.line + 1
                self._find(where, line, "`<<` needs an alias of a mapping")
                continue
            merged = self.part(source, where)
            self._merged += len(merged.parts)
            if self._merged > MAX_NODES:
                raise Unreadable(merged.line, _too_large(), where)
            for key, part in merged.parts.items():
                if key not in parts:
                    parts[key] = part
                    lines[key] = merged.lines[key]

    def _scalar(self, node: ScalarNode, where: Where) -> str:
        text: str = node.value
        line = node.start_mark.line + 1
        if node.tag == _PLAIN:
            return Plain(text)
        if node.tag in _SCALAR_TAGS:
            self._check_core(Plain(text), node.tag, line, where)
            return Plain(text)
        self._check_tag(node, "str", where)
        return text

    def _check_core(self, plain: Plain, tag: str, line: int, where: Where) -> None:
        wanted = _SCALAR_TAGS[tag]
        if type(plain.core) not in wanted:
            short = tag.removeprefix(_CORE)
            message = f"{str(plain)!r} is no !!{short}. Correct it, or remove the tag"
            self._find(where, line, message)

    def _check_tag(self, node: Node, kind: str, where: Where) -> None:
        if node.tag != _CORE + kind:
            tag = node.tag.replace(_CORE, "!!")
            message = (
                f"the tag {tag} is not known here. Remove it, or put a text that"
                " starts with '!' in quotes"
            )
            self._find(where, node.start_mark.line + 1, message)

    def _find(self, where: Where, line: int, message: str) -> None:
        self.findings.append(Finding(where, line, message))


def _branch(
    value: object, line: int, parts: dict[Key, Part], lines: dict[Key, int]
) -> Part:
    return Part(
        value,
        line,
        parts,
        lines,
        size=1 + sum(part.size for part in parts.values()),
        depth=1 + max((part.depth for part in parts.values()), default=0),
    )
