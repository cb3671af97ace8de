"""What the mock endpoint answers, asked by the client that everybody uses."""

import json
import re
from pathlib import Path

import httpx2
import openai
import pytest

from pytest_iwr.errors import UsageError
from pytest_iwr.gateway.mock import (
    Answer,
    MockEndpoint,
    Rule,
    Script,
    Seen,
    TokenUsage,
    When,
)
from tests.gateway.mock_kit import PIXEL, Raw, ask, client, scripted


def test_without_a_script_a_page_in_a_fence_is_answered() -> None:
    """The answer is one whole document in a fence of HTML."""
    with MockEndpoint() as mock:
        said = ask(mock) or ""
    assert re.fullmatch(r"```html\n<!DOCTYPE html>\n.*</html>\n```\n", said, re.DOTALL)


def test_same_messages_give_the_same_page_and_others_another() -> None:
    """What differs between two tasks differs in their pages."""
    with MockEndpoint() as mock:
        first, again, other = ask(mock, "a"), ask(mock, "a"), ask(mock, "b")
    assert first == again
    assert first != other


def test_requests_are_kept_as_they_came() -> None:
    """The record holds headers, body, text, pictures and counts."""
    with MockEndpoint() as mock, client(mock) as asking:
        asking.chat.completions.create(
            model="m",
            messages=[
                {"role": "system", "content": "one"},
                {
                    "role": "user",
                    "content": [
                        {"type": "text", "text": "two"},
                        {"type": "image_url", "image_url": {"url": PIXEL}},
                    ],
                },
            ],
            temperature=0.5,
        )
        ask(mock)
        ask(mock)
    first, *others = mock.requests
    assert (first.model, first.text, first.images) == ("m", "one\ntwo", 1)
    assert first.headers["authorization"] == "Bearer mock"
    assert first.body is not None
    assert first.body["temperature"] == 0.5
    assert PIXEL in json.dumps(first.body)
    assert [(seen.nth, seen.attempt) for seen in others] == [(2, 1), (3, 2)]
    assert all(seen.ended_s and seen.ended_s >= seen.at_s for seen in mock.requests)


def test_pictures_can_be_kept_as_digests(http: httpx2.Client) -> None:
    """A run of many tasks does not fill the memory with pictures."""
    content: list[object] = [{"type": "image_url", "image_url": {"url": PIXEL}}]
    with (
        MockEndpoint(keeps_images=False) as mock,
    ):
        body = {"model": "m", "messages": [{"role": "user", "content": content}]}
        http.post(f"{mock.url}/chat/completions", json=body)
    (seen,) = mock.requests
    assert seen.images == 1
    assert "data:image/png;base64,sha256:" in json.dumps(seen.body)


def test_first_rule_that_holds_answers() -> None:
    """Rules are tried in order; where none holds, the small page comes."""
    rules = (
        Rule(when=When(text="shop"), text="SHOP"),
        Rule(when=When(model="other-*"), text="OTHER"),
        Rule(when=When(text="s"), text="S"),
    )
    with scripted(*rules) as mock:
        assert ask(mock, "the shop") == "SHOP"
        assert ask(mock, "yes") == "S"
        assert "Mock page" in (ask(mock, "hello") or "")


def test_nth_counts_what_else_holds() -> None:
    """`nth` counts the requests for which the rest of `when` is so."""
    with scripted(Rule(when=When(text="a", nth=(1, 3)), text="hit")) as mock:
        said = [ask(mock, text) == "hit" for text in ("b", "a", "aa", "b", "aaa")]
    assert said == [False, True, False, False, True]


def test_attempt_counts_the_same_messages() -> None:
    """With `attempt` every prompt fails once, whatever else is asked between."""
    with scripted(Rule(when=When(attempt=1), text="first")) as mock:
        said = [ask(mock, text) == "first" for text in ("a", "b", "a", "b", "c")]
    assert said == [True, True, False, False, True]


def test_chance_does_not_depend_on_the_order(raw: Raw) -> None:
    """The same prompts fail with one seed, in whatever order they come."""
    prompts = [f"prompt {number}" for number in range(40)]

    def failing(seed: int, order: list[str]) -> set[str]:
        with scripted(Rule(when=When(chance=0.3), status=500), seed=seed) as mock:
            return {text for text in order if raw(mock, text).status_code == 500}

    forth, back = failing(1, prompts), failing(1, prompts[::-1])
    assert forth == back
    assert 0 < len(forth) < len(prompts)
    assert failing(2, prompts) != forth


def test_body_and_json_are_sent_as_they_are(raw: Raw) -> None:
    """A page of HTML or any JSON can stand in an answer's place."""
    rules = (
        Rule(when=When(text="html"), body="<h1>502</h1>", status=502),
        Rule(json_={"choices": []}),
    )
    with scripted(*rules) as mock:
        html, data = raw(mock, "html"), raw(mock)
    assert html.status_code == 502
    assert (html.headers["content-type"], html.text) == (
        "text/html; charset=utf-8",
        "<h1>502</h1>",
    )
    assert data.json() == {"choices": []}


def test_refusal_filter_reasoning_and_usage_stand_in_the_answer(raw: Raw) -> None:
    """All that a caller has to look at can be given."""
    usage = TokenUsage(prompt=10, completion=7, cached=4, reasoning=3, cost=0.25)
    rules = (
        Rule(when=When(text="refuse"), refusal="No."),
        Rule(when=When(text="filter"), text="", finish_reason="content_filter"),
        Rule(text="t", reasoning="hm", usage=usage),
    )
    with scripted(*rules) as mock:
        refused, filtered, plain = (
            raw(mock, text).json() for text in ("refuse", "filter", "x")
        )
    message = refused["choices"][0]["message"]
    assert (message["refusal"], message["content"]) == ("No.", None)
    assert filtered["choices"][0]["finish_reason"] == "content_filter"
    assert plain["choices"][0]["message"]["reasoning_content"] == "hm"
    assert plain["usage"] == {
        "prompt_tokens": 10,
        "completion_tokens": 7,
        "total_tokens": 17,
        "prompt_tokens_details": {"cached_tokens": 4},
        "completion_tokens_details": {"reasoning_tokens": 3},
        "cost": 0.25,
    }


def test_page_of_a_file_is_fenced(tmp_path: Path) -> None:
    """A page that holds a fence gets a longer one."""
    page = tmp_path / "page.html"
    page.write_text("<html><script>a = `\n```\n`</script></html>", encoding="utf-8")
    with scripted(Rule(page=page)) as mock:
        said = ask(mock)
    assert said == f"````html\n{page.read_text(encoding='utf-8')}\n````\n"


def test_missing_page_is_told_before_the_start(tmp_path: Path) -> None:
    """A wrong path is an error of the script, not of a request."""
    rule = Rule(page=tmp_path / "absent.html")
    with pytest.raises(UsageError, match=r"absent\.html: the page cannot be read"):
        scripted(rule)


def test_stream_holds_the_same_words() -> None:
    """A client that asks for a stream gets one, with the usage at its end."""
    rule = Rule(text="streamed", usage=TokenUsage(completion=3))
    with scripted(rule) as mock, client(mock) as asking:
        chunks = list(
            asking.chat.completions.create(
                model="m", messages=[{"role": "user", "content": "x"}], stream=True
            )
        )
    said = [c.choices[0].delta.content or "" for c in chunks if c.choices]
    assert "".join(said) == "streamed"
    assert chunks[-1].usage is not None
    assert chunks[-1].usage.completion_tokens == 3


def test_a_function_can_answer() -> None:
    """A test can look at a request and answer from it."""

    def answer(seen: Seen) -> Answer | None:
        return Answer(text=seen.text.upper()) if seen.text == "me" else None

    with MockEndpoint(Script(rules=(Rule(text="rule"),)), answer=answer) as mock:
        assert ask(mock, "me") == "ME"
        assert ask(mock, "you") == "rule"


def test_models_are_listed_and_other_paths_are_not_there() -> None:
    """The list of models is answered, and nothing but it and completions."""
    with MockEndpoint() as mock, client(mock) as asking:
        names = [model.id for model in asking.models.list()]
        with pytest.raises(openai.NotFoundError):
            asking.embeddings.create(model="m", input="x")
    assert names == ["mock"]
    assert mock.requests == ()


def test_lines_of_the_log_hold_no_word_of_a_prompt(raw: Raw) -> None:
    """A line tells what was asked for, how often and what came of it."""
    lines: list[str] = []
    script = Script(rules=(Rule(when=When(text="secret"), status=500),))
    with MockEndpoint(script, log=lines.append) as mock:
        raw(mock, "secret words")
        raw(mock)
    failed, fine = lines
    assert re.fullmatch(
        r"#1 m: 0 images, 12 characters, attempt 1 -> 500 in \d+\.\d\d s by rule 1",
        failed,
    )
    assert " -> 200 in " in fine
