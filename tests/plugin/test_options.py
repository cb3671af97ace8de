"""Options that are wrong end the run at once, with a message and exit status 4."""

import pytest

from pytest_iwr.artifacts import slug
from tests.plugin.kit import Project


@pytest.mark.parametrize(
    ("arguments", "message"),
    (
        (("--iwr-pages=nowhere",), "*nowhere*"),
        (
            ("--iwr-pages=pages", "--iwr-model=gpt-6"),
            "ERROR: --iwr-model=gpt-6: *no folder*. Did you mean 'gpt-5'[?]",
        ),
        (("--iwr-max-cost=-1", "--iwr-pages=pages"), "ERROR: --iwr-max-cost=-1.0: *"),
        (("--iwr-max-connections=9-5",), "ERROR: --iwr-max-connections=9-5: *"),
        (("--iwr-model-config=no.yaml", "--iwr-model=x"), "ERROR: *no.yaml*"),
        (
            ("--iwr-generator=a:b", "--iwr-pages=pages"),
            "ERROR: --iwr-pages and --iwr-generator: *",
        ),
        (("--iwr-generator=a:b", "--iwr-max-cost=1"), "ERROR: --iwr-max-cost: *"),
        (("--iwr-generator=nothing",), "ERROR: --iwr-generator=nothing: *"),
        (("--iwr-epochs=0",), "ERROR: --iwr-epochs=0: *"),
        (("--iwr-step-timeout=0",), "ERROR: --iwr-step-timeout=0: *"),
        (("--iwr-fail-on=never",), "*--iwr-fail-on: invalid choice: 'never'*"),
    ),
)
def test_wrong_option(
    project: Project, arguments: tuple[str, ...], message: str
) -> None:
    """The message names the option and what to do."""
    project.task("shop")
    project.page("gpt-5", "shop")
    result = project.run(*arguments)
    assert result.ret == 4
    result.stderr.fnmatch_lines([message])


def test_wrong_option_is_said_once_with_workers(project: Project) -> None:
    """Workers do not start when the options are wrong."""
    project.task("shop")
    project.page("gpt-5", "shop")
    result = project.evaluate("-n2", "--iwr-model=gpt-6")
    assert result.ret == 4
    assert (result.stdout.str() + result.stderr.str()).count("gpt-6") == 1


def test_wrong_minimum(project: Project) -> None:
    """A similarity that is none is refused."""
    project.pytester.makeini("[pytest]\niwr_min_similarity = 2\n")
    result = project.run()
    assert result.ret == 4
    result.stderr.fnmatch_lines(["ERROR: iwr_min_similarity = '2': not a number *"])


def test_models_that_meet_in_one_folder(project: Project) -> None:
    """Two names that would be written alike are refused, both named."""
    project.task("shop")
    for model in ("a b", slug("a b")):
        project.page(model, "shop")
    result = project.evaluate()
    assert result.ret == 4
    result.stderr.fnmatch_lines([f"ERROR: the models 'a b' and '{slug('a b')}' *"])


def test_help_teaches_the_options(project: Project) -> None:
    """Every option is in `--help`, with its default."""
    result = project.run("--help")
    result.stdout.fnmatch_lines(
        [
            "*--iwr-pages=DIR*",
            "*--iwr-model=NAME*",
            "*--iwr-epochs=N*",
            "*--iwr-output=DIR*",
            "*--iwr-fail-on={model,error}*",
            "*--iwr-browser-executable=FILE*",
            "*--iwr-step-timeout=SECONDS*",
        ]
    )
    result.stdout.fnmatch_lines(["*iwr_min_similarity*"])
