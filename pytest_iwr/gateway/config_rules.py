"""What a file of models must keep to beyond the types of its fields."""

from collections.abc import Collection, Iterator
from difflib import get_close_matches
from typing import NamedTuple

from pytest_iwr.addresses import is_loopback
from pytest_iwr.gateway.address import address_fault
from pytest_iwr.gateway.secrets import find_secrets, variable_fault
from pytest_iwr.load.parse import Finding, Part, Where
from pytest_iwr.records import Plain

PROVIDERS = "providers"
MODELS = "models"


class Layer(NamedTuple):
    """An entry of the file that a model takes settings from."""

    section: str
    """`providers` or `models`."""
    name: str
    part: Part


def layers(root: Part, alias: str) -> tuple[Layer, ...]:
    """Give what a model is made of, the strongest first.

    That is its own entry, then its provider, then what it extends with the provider of
    that, and so on. What is not there, or comes a second time, ends the chain.
    """
    found: list[Layer] = []
    seen: set[str] = set()
    name: str | None = alias
    while name is not None and name not in seen:
        seen.add(name)
        entry = _entries(root, MODELS).get(name)
        if entry is None:
            break
        found.append(Layer(MODELS, name, entry))
        provider = _text(entry, "provider")
        shared = _entries(root, PROVIDERS).get(provider) if provider else None
        if provider and shared is not None:
            found.append(Layer(PROVIDERS, provider, shared))
        name = _text(entry, "extends")
    return tuple(found)


def find_breaches(root: Part) -> Iterator[Finding]:
    """Give the breaches of all rules, one for each part of the file.

    Entries of wrong types are passed over.
    """
    named: set[int] = set()
    for finding in _breaches(root):
        if id(finding.part) not in named:
            named.add(id(finding.part))
            yield finding


def _breaches(root: Part) -> Iterator[Finding]:
    yield from find_secrets(root)
    for section in (PROVIDERS, MODELS):
        for name, entry in _entries(root, section).items():
            yield from _faulty_fields(entry, (section, name))
    for alias, entry in _entries(root, MODELS).items():
        yield from _lost_references(root, alias, entry)
        yield from _missing_fields(root, alias, entry)


def _entries(root: Part, section: str) -> dict[str, Part]:
    part = root.parts.get(section)
    return {str(name): entry for name, entry in part.parts.items()} if part else {}


def _text(entry: Part, field: str) -> str | None:
    part = entry.parts.get(field)
    return str(part.value) if part and isinstance(part.value, str) else None


def _is_null(part: Part) -> bool:
    return isinstance(part.value, Plain) and part.value.core is None


def _faulty_fields(entry: Part, where: Where) -> Iterator[Finding]:
    for field, fault_of in (("base_url", address_fault), ("key_env", variable_fault)):
        text = _text(entry, field)
        part = entry.parts.get(field)
        if text is None or part is None:
            continue
        fault = None if field == "key_env" and _is_null(part) else fault_of(text)
        if fault is not None:
            yield Finding((*where, field), part.line, fault, part)


def _lost_references(root: Part, alias: str, entry: Part) -> Iterator[Finding]:
    for field, section in (("provider", PROVIDERS), ("extends", MODELS)):
        name, part = _text(entry, field), entry.parts.get(field)
        if name is None or part is None:
            continue
        known = _entries(root, section)
        message = None
        if name not in known:
            message = f"there is no {name!r} in `{section}`. {_nearest(name, known)}"
        elif section == MODELS and _comes_back(root, alias):
            message = "the models extend each other in a circle. Remove one `extends`"
        if message is not None:
            yield Finding((MODELS, alias, field), part.line, message, part)


def _nearest(name: str, known: Collection[str]) -> str:
    near = get_close_matches(name, known, n=1)
    if near:
        return f"Did you mean {near[0]!r}?"
    return f"Known: {', '.join(known)}" if known else "Add it"


def _comes_back(root: Part, alias: str) -> bool:
    """Tell whether a model extends itself in the end."""
    models = _entries(root, MODELS)
    name = _text(models[alias], "extends")
    for _ in models:
        if name is None or name == alias or name not in models:
            break
        name = _text(models[name], "extends")
    return name == alias


def _missing_fields(root: Part, alias: str, entry: Part) -> Iterator[Finding]:
    if not isinstance(entry.value, dict):
        return
    chain = layers(root, alias)
    if _comes_back(root, alias) or any(_is_lost(root, layer) for layer in chain):
        return  # what is missing may stand in what was meant
    address = _first(chain, "base_url")
    where = (MODELS, alias)
    if address is None:
        message = (
            "has no `base_url`, and no `provider` or `extends` with one."
            " Add `base_url: https://...`"
        )
        yield Finding(where, entry.line, message, entry)
    elif _needs_key(str(address.value)) and _first(chain, "key_env") is None:
        message = (
            "has no `key_env`, which only endpoints on this machine may lack. Add"
            " `key_env: NAME_OF_VARIABLE`, or `key_env: null` where none is taken"
        )
        yield Finding(where, entry.line, message, entry)


def _needs_key(address: str) -> bool:
    return address_fault(address) is None and not is_loopback(address)


def _is_lost(root: Part, layer: Layer) -> bool:
    return layer.section == MODELS and any(
        _text(layer.part, field) not in {None, *_entries(root, section)}
        for field, section in (("provider", PROVIDERS), ("extends", MODELS))
    )


def _first(chain: Collection[Layer], field: str) -> Part | None:
    found = (layer.part.parts.get(field) for layer in chain)
    return next((part for part in found if part is not None), None)
