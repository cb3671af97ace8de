"""Files of models, and what is said where a model has no endpoint or no key."""

import re
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from pytest_iwr.errors import UsageError
from pytest_iwr.gateway.config import find_keys, load_models
from pytest_iwr.records import ImageLimits, ModelConfig, Price

KEY = "sk-ant-api03-abcdefghijklmnopqrstuvwxyz"
SHARED = """\
providers:
  anthropic:
    base_url: https://api.anthropic.com/v1/
    key_env: ANTHROPIC_API_KEY
    limits: {max_images: 100, max_side_px: 8000}
    extra_body: {a: 1, b: {c: 2}}
models:
  claude:
    provider: anthropic
    model: claude-sonnet-4-20250514
    temperature: null
  thinking:
    extends: claude
    temperature: 1
    limits: {max_images: 20}
    extra_body: {b: {d: 3}, thinking: {type: enabled, budget_tokens: 1024}}
  local:
    base_url: http://localhost:8000/v1
    key_env: VLLM_KEY
    vision: none
    price: {input: 1, output: 2.5, cached_input: 0}
    context_tokens: 32768
    max_tokens: null
    reasoning_effort: low
    timeout_s: 30
"""
ENVIRON = {"ANTHROPIC_API_KEY": KEY}

Write = Callable[[str], Path]


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """Write `models.yaml` into the working folder."""
    monkeypatch.chdir(tmp_path)

    def write(text: str) -> Path:
        path = Path("models.yaml")
        path.write_text(text, encoding="utf-8")
        return path

    return write


def problems(
    file: Path | None, environ: Mapping[str, str] = ENVIRON, *wanted: str
) -> str:
    """Give what is said about a file, or about wanted models."""
    with pytest.raises(UsageError) as caught:
        load_models(file, environ, wanted)
    return str(caught.value)


def test_model_takes_from_its_provider(write: Write) -> None:
    """What an entry does not say, its provider says."""
    found = load_models(write(SHARED), ENVIRON, ["claude"])
    assert found == {
        "claude": ModelConfig(
            alias="claude",
            model="claude-sonnet-4-20250514",
            base_url="https://api.anthropic.com/v1/",
            key_env="ANTHROPIC_API_KEY",
            temperature=None,
            limits=ImageLimits(max_images=100, max_side_px=8000),
            extra_body={"a": 1, "b": {"c": 2}},
        )
    }


def test_model_extends_another(write: Write) -> None:
    """Fields replace the other's; limits and extra body are added to, field by field."""
    (found,) = load_models(write(SHARED), ENVIRON, ["thinking"]).values()
    assert (found.alias, found.model) == ("thinking", "claude-sonnet-4-20250514")
    assert found.temperature == 1.0
    assert found.limits == ImageLimits(max_images=20, max_side_px=8000)
    assert found.extra_body == {
        "a": 1,
        "b": {"d": 3},
        "thinking": {"type": "enabled", "budget_tokens": 1024},
    }


def test_all_fields_are_read(write: Write) -> None:
    """Numbers are numbers, `null` is nothing, and the model is called as its alias."""
    (found,) = load_models(write(SHARED), {"VLLM_KEY": "k"}, ["local"]).values()
    assert found == ModelConfig(
        alias="local",
        model="local",
        base_url="http://localhost:8000/v1",
        key_env="VLLM_KEY",
        vision="none",
        price=Price(input=1, output=2.5, cached_input=0),
        context_tokens=32768,
        max_tokens=None,
        reasoning_effort="low",
        timeout_s=30,
    )


def test_own_provider_is_stronger_than_what_is_extended(write: Write) -> None:
    """A model that extends another can be asked for elsewhere."""
    text = """\
providers:
  here: {base_url: 'http://127.0.0.1:1/v1', temperature: 0.5}
  there: {base_url: 'http://127.0.0.1:2/v1'}
models:
  a: {provider: here, model: x, vision: none}
  b: {extends: a, provider: there}
"""
    (found,) = load_models(write(text), {}, ["b"]).values()
    assert found.base_url == "http://127.0.0.1:2/v1"
    assert (found.model, found.vision, found.temperature) == ("x", "none", 0.5)


def test_wanted_order_is_kept_and_each_is_given_once(write: Write) -> None:
    """Models come in the order of the options."""
    wanted = ["thinking", "claude", "thinking"]
    assert list(load_models(write(SHARED), ENVIRON, wanted)) == ["thinking", "claude"]


@pytest.mark.parametrize("alias", ("qwen/qwen3-vl:free", "2048", "model", "true"))
def test_any_name_can_be_an_alias(write: Write, alias: str) -> None:
    """A name is taken as it is written, also one that YAML or the format knows."""
    text = f"models:\n  {alias}:\n    base_url: http://127.0.0.1:1/v1\n"
    (found,) = load_models(write(text), {}, [alias]).values()
    assert (found.alias, found.model) == (alias, alias)


def test_every_problem_is_told_at_once(write: Write) -> None:
    """Each has its line, its place and what to do."""
    text = """\
providers:
  anthropic:
    base_url: https://api.anthropic.com/v1/chat/completions
  x: {base_url: foo, key_env: $KEY}
models:
  claude:
    provider: antropic
    temprature: 5
    temperature: 3
  a: {extends: b}
  b: {extends: a, max_tokens: many}
  c: {model: x}
  f: {base_url: 'https://example.com/v1', vision: picture, limits: {max_image: 3}}
"""
    said = problems(write(text))
    assert (
        said
        == """\
models.yaml:3: providers.anthropic.base_url: is the address of one call. \
Remove `/chat/completions` from its end.
models.yaml:4: providers.x.base_url: is no address. \
Write one such as https://api.openai.com/v1.
models.yaml:4: providers.x.key_env: begins with '$'. \
Write the name of the variable alone.
models.yaml:7: models.claude.provider: there is no 'antropic' in `providers`. \
Did you mean 'anthropic'?
models.yaml:8: models.claude: unknown key 'temprature'. Did you mean 'temperature'?
models.yaml:9: models.claude.temperature: must be at most 2, is 3.
models.yaml:10: models.a.extends: the models extend each other in a circle. \
Remove one `extends`.
models.yaml:11: models.b.extends: the models extend each other in a circle. \
Remove one `extends`.
models.yaml:11: models.b.max_tokens: must be a whole number, is 'many'.
models.yaml:12: models.c: has no `base_url`, and no `provider` or `extends` with one. \
Add `base_url: https://...`.
models.yaml:13: models.f: has no `key_env`, which only endpoints on this machine may \
lack. Add `key_env: NAME_OF_VARIABLE`, or `key_env: null` where none is taken.
models.yaml:13: models.f.limits: unknown key 'max_image'. Did you mean 'max_images'?
models.yaml:13: models.f.vision: must be 'none', 'images' or 'video', is 'picture'."""
    )


@pytest.mark.parametrize("alias", ("model", "limits", "price", "models"))
def test_alias_that_is_a_name_of_the_format_is_no_field(
    write: Write, alias: str
) -> None:
    """What is wrong in such a model is told as in any other."""
    text = f"models:\n  {alias}: {{base_url: 'http://127.0.0.1/', modle: x}}\n"
    assert problems(write(text)) == (
        f"models.yaml:2: models.{alias}: unknown key 'modle'. Did you mean 'model'?"
    )


@pytest.mark.parametrize(
    ("line", "key"),
    (
        (f"api_key: {KEY}", KEY),
        ("api-key: hunter22", "hunter22"),
        (f"key_env: {KEY}", KEY),
        ("key_env: aB3dE5gH7jK9mN1pQ3sT5v", "aB3dE5gH7jK9mN1pQ3sT5v"),
        ("extra_body: {authorization: hunter22}", "hunter22"),
        (f"extra_body: {{headers: [x, 'Bearer {KEY}']}}", KEY),
        (f"model: {KEY}", KEY),
        (f"temperature: {KEY}", KEY),
        (f"unknown: {KEY}", KEY),
        ("base_url: https://user:hunter22@example.com/v1", "hunter22"),
        ("base_url: https://example.com/v1?key=hunter22", "hunter22"),
    ),
)
def test_keys_in_a_file_are_refused_and_not_shown(
    write: Write, line: str, key: str
) -> None:
    """A key belongs into a variable, and no message repeats it."""
    text = f"models:\n  m:\n    provider: p\n    {line}\n"
    said = problems(write(f"{text}providers: {{p: {{base_url: 'http://127.0.0.1/'}}}}"))
    assert re.fullmatch(r"models\.yaml:4: models\.m\.\S+: .*(key_env|`@`).*", said)
    assert key not in said


def test_null_says_that_an_endpoint_takes_no_key(write: Write) -> None:
    """A server in the same network may take none."""
    text = "models:\n  m: {base_url: 'http://10.0.0.5:8000/v1', key_env: null}\n"
    assert load_models(write(text), {}, ["m"])["m"].key_env is None


@pytest.mark.parametrize("name", ("MyCompany_OpenAI_Key2", "k", "_K9", "HF_TOKEN"))
def test_any_name_of_a_variable_is_taken(write: Write, name: str) -> None:
    """Only what is hardly a name is taken for a key."""
    text = f"models:\n  m: {{base_url: 'https://example.com/v1', key_env: {name}}}\n"
    assert load_models(write(text), {name: "k"}, ["m"])["m"].key_env == name


@pytest.mark.parametrize(
    "host", ("127.0.0.1:8000", "localhost", "[::1]:80", "0.0.0.0:9", "a.localhost")
)
def test_endpoint_of_this_machine_may_lack_its_key(write: Write, host: str) -> None:
    """Neither a name of a variable nor its value has to be there."""
    text = f"models:\n  a: {{base_url: 'http://{host}/v1'}}\n  b: {{extends: a, key_env: K}}\n"
    found = load_models(write(text), {"K": " "}, ["a", "b"])
    assert [config.key_env for config in found.values()] == [None, None]


def test_unwanted_models_may_lack_their_keys(write: Write) -> None:
    """A file may hold more models than one has keys for."""
    assert list(load_models(write(SHARED), {}, ["local"])) == ["local"]


def test_missing_key_is_told_with_the_line_to_add(write: Write) -> None:
    """The message says where the variable is named, and a name that is near."""
    said = problems(write(SHARED), {"ANTHROPIC_KEY": "k"}, "claude", "thinking")
    assert said == (
        "models.yaml:4: providers.anthropic.key_env: the environment variable"
        " ANTHROPIC_API_KEY is not set. Did you mean 'ANTHROPIC_KEY'? Set it:\n"
        "    export ANTHROPIC_API_KEY=<your key>"
    )


def test_unknown_alias_is_told_with_near_ones_or_the_lines_to_add(write: Write) -> None:
    """All unknown ones are told at once."""
    said = problems(write(SHARED), ENVIRON, "claud", "gpt-5")
    assert said == (
        "models.yaml: models: there is no model 'claud' (--iwr-model). It has: claude, thinking,"
        " local. Did you mean 'claude'?\n"
        "models.yaml: models: there is no model 'gpt-5' (--iwr-model). It has: claude, thinking,"
        " local. Add these lines:\n"
        "    models:\n"
        "      gpt-5:\n"
        "        model: gpt-5\n"
        "        base_url: https://api.openai.com/v1\n"
        "        key_env: OPENAI_API_KEY\n"
        "  with\n"
        "    export OPENAI_API_KEY=<your key>"
    )


def test_file_that_cannot_be_read_is_named(write: Write) -> None:
    """A missing, an empty and a broken file each say what they are."""
    assert problems(Path("absent.yaml")) == (
        "absent.yaml: the file of models cannot be read: No such file or directory."
        " Correct the path or its rights."
    )
    assert problems(write("")) == (
        "models.yaml:1: empty file of models. Write at least `models:`."
    )
    assert problems(write("models:\n  a: [\n")).startswith("models.yaml:3: ")
    assert problems(write("providers: {}\n")).endswith("has no `models`. Add it.")
    assert "must be a mapping" in problems(write("- models\n"))
    assert "models.a: must be a mapping" in problems(write("models: {a: b}\n"))


def test_variables_lead_to_an_endpoint() -> None:
    """Without a file the alias is the model's name there."""
    environ = {"OPENAI_BASE_URL": "https://example.com/v1", "OPENAI_API_KEY": "k"}
    assert load_models(None, environ, ["a/b"]) == {
        "a/b": ModelConfig(
            alias="a/b",
            model="a/b",
            base_url="https://example.com/v1",
            key_env="OPENAI_API_KEY",
        )
    }


def test_key_alone_leads_to_openai() -> None:
    """As with OpenAI's own client."""
    found = load_models(None, {"OPENAI_API_KEY": "k"}, ["gpt-5"])["gpt-5"]
    assert found.base_url == "https://api.openai.com/v1"


def test_address_of_this_machine_alone_is_enough() -> None:
    """A local server takes no key."""
    environ = {"OPENAI_BASE_URL": "http://127.0.0.1:8000/v1", "OPENAI_API_KEY": ""}
    assert load_models(None, environ, ["m"])["m"].key_env is None


def test_missing_endpoint_is_told_with_both_ways_to_give_one() -> None:
    """The lines are ready to be copied, for each wanted model."""
    said = problems(None, {}, "claude-sonnet-4", "qwen/qwen3-vl:free", "my: model")
    assert said == (
        "--iwr-model: no endpoint is known for 'claude-sonnet-4',"
        " 'qwen/qwen3-vl:free', 'my: model'. Either export, for one endpoint:\n"
        "    export OPENAI_BASE_URL=https://api.anthropic.com/v1/\n"
        "    export OPENAI_API_KEY=<your key>\n"
        "  or write a file, for any number of them,\n"
        "    models:\n"
        "      claude-sonnet-4:\n"
        "        model: claude-sonnet-4\n"
        "        base_url: https://api.anthropic.com/v1/\n"
        "        key_env: ANTHROPIC_API_KEY\n"
        "      qwen/qwen3-vl:free:\n"
        "        model: qwen/qwen3-vl:free\n"
        "        base_url: https://openrouter.ai/api/v1\n"
        "        key_env: OPENROUTER_API_KEY\n"
        '      "my: model":\n'
        '        model: "my: model"\n'
        "        base_url: http://127.0.0.1:8000/v1\n"
        "  with all of\n"
        "    export ANTHROPIC_API_KEY=<your key>\n"
        "    export OPENROUTER_API_KEY=<your key>\n"
        "  and name it: --iwr-model-config=models.yaml"
    )


@pytest.mark.parametrize("alias", ("claude-sonnet-4", "a/b:free", "my: model", "#1"))
def test_lines_to_add_are_a_file_that_works(write: Write, alias: str) -> None:
    """What the message shows can be pasted, and the alias is then known."""
    said = problems(None, {}, alias)
    lines = said.splitlines()
    first, last = lines.index("    models:"), 0
    last = next(
        i for i, line in enumerate(lines) if i > first and not line.startswith("    ")
    )
    text = "\n".join(line.removeprefix("    ") for line in lines[first:last])
    keys = dict.fromkeys(re.findall(r"export (\w+_API_KEY)=", said), "k")
    assert load_models(write(text), keys, [alias])[alias].model == alias


def test_missing_key_of_a_given_address_is_told() -> None:
    """The address that is set is kept in the lines to add."""
    said = problems(None, {"OPENAI_BASE_URL": "https://example.com/v1"}, "m")
    assert said.startswith("--iwr-model: there is no key for https://example.com/v1")
    assert "export OPENAI_BASE_URL=https://example.com/v1\n" in said


def test_wrong_address_in_the_variable_is_told_without_it() -> None:
    """It may hold a password."""
    said = problems(None, {"OPENAI_BASE_URL": "https://a:hunter2@example.com"}, "m")
    assert said.startswith("OPENAI_BASE_URL: holds a name or a password.")
    assert "hunter2" not in said


def test_nothing_wanted_needs_nothing(write: Write) -> None:
    """Stored pages need no endpoint; a file is checked all the same."""
    assert load_models(None, {}, []) == {}
    assert load_models(write(SHARED), {}, []) == {}


def test_keys_are_found_by_the_names_of_their_variables(write: Write) -> None:
    """Only those of the wanted models, without white space around."""
    environ = {"ANTHROPIC_API_KEY": f" {KEY}\n", "OTHER_API_KEY": "other"}
    found = load_models(write(SHARED), environ, ["claude", "thinking", "local"])
    assert find_keys(found, environ) == {"ANTHROPIC_API_KEY": KEY}


@pytest.mark.parametrize("key", ("two words", "line\nbreak", "schlüssel", "a\0b"))
def test_key_that_cannot_be_sent_is_refused_and_not_shown(
    write: Write, key: str
) -> None:
    """A header holds no white space and ASCII only."""
    environ = {"ANTHROPIC_API_KEY": key}
    found = load_models(write(SHARED), environ, ["claude"])
    with pytest.raises(UsageError, match="ANTHROPIC_API_KEY: the key in") as caught:
        find_keys(found, environ)
    assert key not in str(caught.value)
