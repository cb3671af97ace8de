"""`iwr serve-mock` as users start it, and the scripts that it reads."""

import re
import signal
import socket
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

import httpx2
import pytest

from pytest_iwr.cli import main
from pytest_iwr.errors import UsageError
from pytest_iwr.gateway.mock import MockEndpoint, Script
from pytest_iwr.gateway.mock.script_file import load_script
from pytest_iwr.load.parse import parse
from pytest_iwr.load.validate import validate

SCRIPT = """\
seed: 3
latency_s: 0.01
rules:
  - when: {text: shop, attempt: 1}
    status: 429
    retry_after_s: 1
  - when: {text: shop}
    page: pages/shop.html
  - when: {nth: [3, 9], model: m, unless: {temperature: 1}}
    json: {choices: [], n: 1}
  - error: {message: 'no', code: quota}
    headers: {X-Number: 1.50}
"""
PAGE = "<!DOCTYPE html>\n<html><p>Hello</p></html>\n"


class Command(NamedTuple):
    """A running `iwr serve-mock`."""

    process: subprocess.Popen[str]
    head: str
    """Its first lines."""

    @property
    def url(self) -> str:
        """The address that it has printed."""
        found = re.search(r"http://\S+/v1", self.head)
        assert found, self.head
        return found[0]

    def end(self, number: int = signal.SIGINT) -> tuple[int, str]:
        """End it as Ctrl-C does; gives the exit status and what else it printed."""
        self.process.send_signal(number)
        said, _ = self.process.communicate(timeout=30)
        return self.process.returncode, said


Start = Callable[..., Command]
Ask = Callable[..., httpx2.Response]


@pytest.fixture
def start() -> Iterator[Start]:
    """Give a function that starts `iwr serve-mock`."""
    running: list[subprocess.Popen[str]] = []

    def start(*arguments: str) -> Command:
        process = subprocess.Popen(
            [sys.executable, "-m", "pytest_iwr", "serve-mock", *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        running.append(process)
        assert process.stdout is not None
        return Command(process, "".join(process.stdout.readline() for _ in range(3)))

    yield start
    for process in running:
        process.kill()
        process.communicate()


@pytest.fixture
def ask() -> Iterator[Ask]:
    """Give a function that asks an endpoint."""
    with httpx2.Client(trust_env=False) as http:

        def ask(url: str, text: str = "Hello") -> httpx2.Response:
            body = {"model": "m", "messages": [{"role": "user", "content": text}]}
            return http.post(f"{url}/chat/completions", json=body)

        yield ask


def test_script_of_a_file_answers_as_written(tmp_path: Path, ask: Ask) -> None:
    """Pages are looked up beside the file; text in it is taken as it stands."""
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "shop.html").write_text(PAGE, encoding="utf-8")
    file = tmp_path / "script.yaml"
    file.write_text(SCRIPT, encoding="utf-8")
    script = load_script(file)
    assert (script.seed, script.latency_s) == (3, 0.01)
    with MockEndpoint(script) as mock:
        got = [ask(mock.url, text) for text in ("shop", "shop", "a", "b")]
    assert [response.status_code for response in got] == [429, 200, 200, 500]
    content = got[1].json()["choices"][0]["message"]["content"]
    assert content == f"```html\n{PAGE}```\n"
    assert got[2].json() == {"choices": [], "n": 1}
    assert got[3].json()["error"]["code"] == "quota"
    assert got[3].headers["x-number"] == "1.50"


def test_every_problem_of_a_script_has_its_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wrong names, wrong values, two contents and missing pages are told at once."""
    monkeypatch.chdir(tmp_path)
    text = """\
rules:
  - when: {modle: m, chance: 2, nth: 0}
    status: fine
  - page: absent.html
  - text: a
    body: b
latency: 2
"""
    Path("script.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(UsageError) as caught:
        load_script(Path("script.yaml"))
    assert (
        str(caught.value)
        == """\
script.yaml:2: rules[0].when: unknown key 'modle'. Did you mean 'model'?
script.yaml:2: rules[0].when.chance: must be at most 1, is 2.
script.yaml:2: rules[0].when.nth: must be at least 1, is 0.
script.yaml:3: rules[0].status: must be a whole number, is 'fine'.
script.yaml:4: rules[1].page: there is no file 'absent.html' beside the script. \
Correct the path.
script.yaml:5: rules[2]: has text and body. Keep one of them.
script.yaml:7: unknown key 'latency'. Did you mean 'latency_s'?"""
    )


def test_command_prints_how_to_use_it_and_a_line_for_each_request(
    start: Start, ask: Ask, tmp_path: Path
) -> None:
    """What it prints can be pasted into a shell; Ctrl-C ends it with 0."""
    page = tmp_path / "page.html"
    page.write_text(PAGE, encoding="utf-8")
    mock = start("--page", str(page))
    assert "<p>Hello</p>" in ask(mock.url).text
    status, said = mock.end()
    assert mock.head == (
        f"Mock endpoint at {mock.url}; Ctrl-C ends it. Use it with:\n"
        f"  OPENAI_BASE_URL={mock.url} OPENAI_API_KEY=mock \\\n"
        "    pytest tasks --iwr-model=mock\n"
    )
    assert status == 0
    assert re.fullmatch(
        r"#1 m: 0 images, 5 characters, attempt 1 -> 200 in \S+ s by rule 1\n"
        r"Requests: 1, at most 1 at once\n",
        said,
    )


@pytest.mark.parametrize("number", (signal.SIGINT, signal.SIGTERM))
def test_command_ends_cleanly_while_a_request_waits(
    start: Start, tmp_path: Path, number: int
) -> None:
    """Neither Ctrl-C nor SIGTERM waits for an answer that never comes."""
    script = tmp_path / "script.yaml"
    script.write_text("rules: [{hangs: true}]\n", encoding="utf-8")
    mock = start(str(script))
    address = urlsplit(mock.url)
    with socket.create_connection(("127.0.0.1", address.port or 0)) as client:
        head = f"POST {address.path}/chat/completions HTTP/1.1\r\nHost: a\r\n"
        client.sendall(f"{head}Content-Length: 2\r\n\r\n{{}}".encode())
        status, said = mock.end(number)
    assert (status, "Traceback" in said) == (0, False)


def test_command_picks_pages_by_their_names_in_the_prompt(
    start: Start, ask: Ask, tmp_path: Path
) -> None:
    """A longer name is looked for first; where none is found, a small page comes."""
    for name in ("shop", "shop-2"):
        (tmp_path / name).mkdir()
        page = tmp_path / name / "index.html"
        page.write_text(f"<html>{name}!</html>", encoding="utf-8")
    mock = start("--pages", str(tmp_path))
    assert "<html>shop!" in ask(mock.url, "the shop task").text
    assert "<html>shop-2!" in ask(mock.url, "the shop-2 task").text
    assert "Mock page" in ask(mock.url, "another").text


def test_command_lets_a_share_fail_in_three_ways(start: Start, ask: Ask) -> None:
    """The same seed fails the same prompts; all of them fail with a share of 1."""

    def outcomes(count: int, *arguments: str) -> list[str]:
        mock = start(*arguments)
        found = []
        for number in range(count):
            try:
                found.append(str(ask(mock.url, f"prompt {number}").status_code))
            except httpx2.TransportError:
                found.append("dropped")
        return found

    some = outcomes(60, "--fail", "0.3", "--seed", "5")
    assert outcomes(60, "--fail", "0.3", "--seed", "5") == some
    assert set(some) == {"200", "429", "500", "dropped"}
    assert set(outcomes(20, "--fail", "1")) == {"429", "500", "dropped"}


@pytest.mark.parametrize(
    ("arguments", "said"),
    (
        (("--fail", "2"), "--fail: must be from 0 to 1, is 2."),
        (("--latency", "-1"), "--latency: must be 0 or more, is -1."),
        (("--port", "70000"), "--port: must be from 0 to 65535, is 70000."),
        (("--page", "absent.html"), "absent.html: the page cannot be read: "),
        (("--pages", "absent"), "absent: there is no <name>/index.html."),
        (("absent.yaml",), "absent.yaml: the script cannot be read: "),
    ),
)
def test_command_refuses_wrong_options(
    arguments: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Bad usage is exit status 4, with what to correct."""
    assert main(["serve-mock", *arguments]) == 4
    assert capsys.readouterr().err.startswith(said)


def test_help_holds_a_script_that_can_be_loaded(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The example in the help is a script, but for the page that it names."""
    with pytest.raises(SystemExit) as caught:
        main(["serve-mock", "--help"])
    said = capsys.readouterr().out
    assert caught.value.code == 0
    example = said[said.index("  rules:\n") : said.index("docs/models.md")]
    root, found = parse(textwrap.dedent(example).encode())
    script, invalid = validate(root, Script)
    assert (found, invalid) == ([], [])
    assert script is not None
    assert len(script.rules) == 4
