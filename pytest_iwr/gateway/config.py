"""Where each wanted model is: from the user's file, or from two variables."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated

from pydantic import Field, JsonValue

from pytest_iwr.addresses import is_loopback
from pytest_iwr.errors import UsageError
from pytest_iwr.gateway.address import address_fault
from pytest_iwr.gateway.config_rules import PROVIDERS, Layer, find_breaches, layers
from pytest_iwr.gateway.missing import no_endpoint, no_model, no_variable
from pytest_iwr.load.settings import read_settings
from pytest_iwr.records import AskOptions, ModelConfig, Record
from pytest_iwr.records.scalars import OR_NULL, Text

OPENAI_URL = "https://api.openai.com/v1"
"""Where `OPENAI_API_KEY` alone leads, as in OpenAI's own client."""
URL_VARIABLE = "OPENAI_BASE_URL"
KEY_VARIABLE = "OPENAI_API_KEY"
_ADDED = frozenset({"limits", "extra_body"})
"""Fields whose own fields are taken one by one, the stronger layer's first."""


class ProviderEntry(AskOptions):
    """What several models of the file have in common."""

    base_url: Text = ""
    key_env: Annotated[Text | None, OR_NULL] = None


class ModelEntry(ProviderEntry):
    """A model of the file; what it does not say, its provider or the other says."""

    model: Text = ""
    """What the endpoint calls it; by default the alias."""
    provider: Text | None = None
    """A name in `providers`."""
    extends: Text | None = None
    """Another alias, whose settings it takes."""


class ModelFile(Record):
    """A file for `--iwr-model-config`."""

    providers: dict[str, ProviderEntry] = Field(default_factory=dict)
    models: dict[str, ModelEntry]


def load_models(
    file: Path | None,
    environ: Mapping[str, str],
    wanted: Sequence[str],
    *,
    needs_keys: bool = True,
    option: str = "--iwr-model",
) -> dict[str, ModelConfig]:
    """Give each wanted model by its alias, in the order in which they are wanted.

    `option` is where the user has named them.

    With a file they are its models. Without one, each alias is a model's name at
    `OPENAI_BASE_URL` (by default OpenAI's own), with `OPENAI_API_KEY`. An endpoint on
    this machine may lack its key, and all may where `needs_keys` is false: nothing will
    be asked. Raises UsageError with all problems of the file, or
    with all wanted models that have no endpoint or no key, and the lines to add; other
    models of the file may lack their keys.
    """
    aliases = tuple(dict.fromkeys(wanted))
    if file is None:
        return _from_variables(environ, aliases, option, needs_keys=needs_keys)
    content, root = read_settings(
        file, ModelFile, find_breaches, noun="file of models", least="`models:`"
    )
    known = tuple(content.models)
    unknown = [alias for alias in aliases if alias not in content.models]
    problems = [no_model(file, alias, known, option) for alias in unknown]
    configs = {}
    for alias in aliases:
        if alias in unknown:
            continue
        chain = layers(root, alias)
        config = _config(alias, content, chain)
        if needs_keys and _lacks_key(config, environ):
            if not is_loopback(config.base_url):
                line, where = _place(chain, "key_env")
                at = f"{file}:{line}: {where}"
                problems.append(no_variable(at, config.key_env or "", environ))
            config = config.model_copy(update={"key_env": None})
        configs[alias] = config
    if problems:
        raise UsageError("\n".join(dict.fromkeys(problems)))
    return configs


def key_names(file: Path | None) -> frozenset[str]:
    """Give the variables of all keys that a file of models names, asked for or not.

    Without a file that of OpenAI. Raises UsageError for a file with problems.
    """
    if file is None:
        return frozenset({KEY_VARIABLE})
    content, _ = read_settings(
        file, ModelFile, find_breaches, noun="file of models", least="`models:`"
    )
    entries = (*content.providers.values(), *content.models.values())
    return frozenset(entry.key_env for entry in entries if entry.key_env)


def find_keys(
    configs: Mapping[str, ModelConfig], environ: Mapping[str, str]
) -> dict[str, str]:
    """Give the keys of models, by the names of their variables.

    White space around a key is removed. Raises UsageError, without the key, for one
    that cannot be sent in a header.
    """
    names = {config.key_env for config in configs.values() if config.key_env}
    keys = {name: environ[name].strip() for name in sorted(names) if name in environ}
    for name, key in keys.items():
        if not (key.isascii() and key.isprintable() and " " not in key):
            raise UsageError(
                f"{name}: the key in this variable has white space or other characters"
                " that no key has. Export it again."
            )
    return {name: key for name, key in keys.items() if key}


def _from_variables(
    environ: Mapping[str, str], aliases: Iterable[str], option: str, *, needs_keys: bool
) -> dict[str, ModelConfig]:
    address = environ.get(URL_VARIABLE, "").strip()
    has_key = bool(environ.get(KEY_VARIABLE, "").strip())
    fault = address_fault(address) if address else None
    if fault is not None:
        raise UsageError(f"{URL_VARIABLE}: {fault}.")
    is_open = bool(address) and is_loopback(address)
    if needs_keys and not has_key and not is_open:
        missing = tuple(aliases)
        if missing:
            raise UsageError(no_endpoint(missing, address, option))
        return {}
    return {
        alias: ModelConfig(
            alias=alias,
            model=alias,
            base_url=address or OPENAI_URL,
            key_env=KEY_VARIABLE if has_key else None,
        )
        for alias in aliases
    }


def _lacks_key(config: ModelConfig, environ: Mapping[str, str]) -> bool:
    return bool(config.key_env) and not environ.get(config.key_env or "", "").strip()


def _config(alias: str, content: ModelFile, chain: Iterable[Layer]) -> ModelConfig:
    """Merge the layers of a model, the strongest of which comes first."""
    values: dict[str, JsonValue] = {"alias": alias, "model": alias}
    for layer in reversed(tuple(chain)):
        is_shared = layer.section == PROVIDERS
        entries = content.providers if is_shared else content.models
        for name, value in _settings(entries[layer.name]).items():
            below = values.get(name) if name in _ADDED else None
            if isinstance(below, dict) and isinstance(value, dict):
                values[name] = {**below, **value}
            else:
                values[name] = value
    return ModelConfig.model_validate(values)


def _settings(entry: ProviderEntry) -> dict[str, JsonValue]:
    """Give what an entry says, and nothing that it only has by default."""
    said: dict[str, JsonValue] = entry.model_dump(exclude_unset=True)
    return {name: said[name] for name in said if name not in {"provider", "extends"}}


def _place(chain: Iterable[Layer], field: str) -> tuple[int, str]:
    """Give the line and the place of a field in the strongest layer that has it."""
    for layer in chain:
        if field in layer.part.lines:
            return layer.part.lines[field], f"{layer.section}.{layer.name}.{field}"
    raise AssertionError(field)
