"""`docs/models.md` says what is true, and its examples run."""

import re
from pathlib import Path

import pytest

from pytest_iwr.errors import UsageError
from pytest_iwr.gateway.config import ModelEntry, load_models
from pytest_iwr.gateway.mock import Rule, Script, When
from pytest_iwr.gateway.mock.script_file import load_script
from pytest_iwr.gateway.retry import Patience
from pytest_iwr.generate.template import Variables
from pytest_iwr.records import ImageLimits, ModelConfig, Price, Record

TEXT = (Path(__file__).parents[2] / "docs" / "models.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```(\w+)\n(.*?)```", TEXT, re.DOTALL)
FILES = [text for kind, text in BLOCKS if text.startswith("# models.yaml\n")]
SCRIPTS = [text for kind, text in BLOCKS if text.startswith("# script.yaml\n")]
TESTS = [text for kind, text in BLOCKS if kind == "python"]
SAID = [text for kind, text in BLOCKS if kind == "text"]


def rows(section: str) -> set[str]:
    """Give the names in the first column of a section's tables."""
    body = TEXT.split(f"\n## {section}\n")[1].split("\n## ")[0]
    cells = re.findall(r"^\| (.*?) \|", body, re.MULTILINE)
    return {name for cell in cells for name in re.findall(r"`(\w+)`", cell)}


def fields(record: type[Record]) -> set[str]:
    """Give the keys that a record has in files."""
    return {field.alias or name for name, field in record.model_fields.items()}


@pytest.mark.parametrize("text", FILES)
def test_file_of_models_loads(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each example is a whole file, all models of which can be asked."""
    monkeypatch.chdir(tmp_path)
    Path("models.yaml").write_text(text, encoding="utf-8")
    aliases = re.findall(r"^  ([\w-]+):$", text.partition("models:\n")[2], re.MULTILINE)
    environ = dict.fromkeys(re.findall(r"key_env: (\w+)", text), "k")
    assert list(load_models(Path("models.yaml"), environ, aliases)) == aliases


def test_mistake_is_told_as_the_page_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The message that is shown is the one for a slip in the first example."""
    monkeypatch.chdir(tmp_path)
    text = FILES[0].replace("    model: ", "    modle: ")
    Path("models.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(UsageError) as caught:
        load_models(Path("models.yaml"), {}, [])
    assert [f"{caught.value}\n"] == SAID


def test_every_field_of_a_model_is_described() -> None:
    """The tables have all fields, and no others."""
    assert rows("Which model is where") == fields(ModelEntry)
    described = rows("What a model is sent") - set(vars(Variables()))
    assert described == fields(ImageLimits) | {"limits"}
    assert all(f"{name}:" in FILES[1] for name in fields(Price))


def test_defaults_are_those_of_the_record() -> None:
    """What the page says to hold by default does."""
    config = ModelConfig(alias="a", model="m", base_url="u")
    assert f"with its reasoning; {config.max_tokens}." in TEXT
    assert f"0 to 2; {config.temperature:g}." in TEXT
    assert f"its answer; {config.timeout_s:g} |" in TEXT
    assert f"`many` ({config.limits.many})" in TEXT
    assert config.vision == "images"
    assert Patience().attempts == 10
    assert Patience().longest_wish_s == 60


def test_every_variable_of_a_template_is_described() -> None:
    """Whoever writes a template finds all that it may use."""
    names = set(vars(Variables()))
    assert names == rows("What a model is sent") - fields(ImageLimits) - {"limits"}


@pytest.mark.parametrize("text", SCRIPTS)
def test_script_loads(text: str, tmp_path: Path) -> None:
    """The example is a whole script."""
    file = tmp_path / "script.yaml"
    file.write_text(text, encoding="utf-8")
    assert load_script(file).rules


def test_every_field_of_a_script_is_described() -> None:
    """The tables have all that a rule can say; the example has the rest."""
    assert rows("A mock endpoint") == fields(When) | fields(Rule)
    assert all(f"{name}:" in SCRIPTS[0] for name in fields(Script))


def test_example_in_python_passes(pytester: pytest.Pytester) -> None:
    """The test that is shown can be copied."""
    assert len(TESTS) == 1
    pytester.makepyfile(test_product=TESTS[0])
    pytester.runpytest_subprocess("-p", "no:cacheprovider").assert_outcomes(passed=1)
