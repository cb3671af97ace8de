"""Pages from an HTTP product: a real service on loopback, well and badly behaved."""

import gzip
import os
import socket
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from pytest_iwr import records as r
from pytest_iwr.errors import EndpointError, IwrError, UsageError
from pytest_iwr.generate.page_cache import PageCache
from pytest_iwr.generate.post import MOST_SENT, Patience
from pytest_iwr.generate.product import HttpGenerator
from pytest_iwr.generate.site import pack
from tests.generate.kit import HIDDEN, PAGE, Reply, Service, make_task, picture, serve
from tests.limits import files_left

QUICK = Patience(timeout_s=20, retries=3, pause_s=0.01, longest_pause_s=0.02)
Make = Callable[..., HttpGenerator]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Give a maker of generators before a service."""

    def open_(
        service: Service | str,
        cache: PageCache | None = None,
        patience: Patience = QUICK,
    ) -> HttpGenerator:
        return HttpGenerator(
            service if isinstance(service, str) else service.url,
            lambda task, model, epoch: (
                tmp_path / "pages" / model / f"{task.id}@{epoch}"
            ),
            cache or PageCache(tmp_path / "cache", "off"),
            patience=patience,
        )

    return open_


@pytest.fixture
def task(tmp_path: Path) -> r.Task:
    """Give a task with a video, two assets and a sheet."""
    assets = {"a.png": b"a\r\n--", "fonts/b.woff2": b"b"}
    return make_task(tmp_path / "shop", assets=assets, sheets=[picture(99, 99)])


def test_form_holds_the_inputs_and_never_the_steps(make: Make, task: r.Task) -> None:
    """Video, assets and sheets byte for byte, the instructions as a field."""
    home = Path(task.path).parent
    with serve() as service:
        page = make(service).page(task, "mine", 2)
        (sent,) = service.sent
    assert isinstance(page, r.Site)
    assert (Path(page.folder) / "index.html").read_text("utf-8") == PAGE
    assert dict(sent.fields) == {
        "task": "shop",
        "model": "mine",
        "epoch": "2",
        "prompt": sent.fields["prompt"],
        "placeholder": "__PLACEHOLDER_ASSETS_BASE_DIR__",
        "width": "1280",
        "height": "720",
        "scale": "1",
        "mobile": "false",
        "touch": "false",
        "device": "",
    }
    assert "and a video in which" in sent.fields["prompt"]
    assert sent.files == (
        ("video", "video.mp4", (home / "video.mp4").read_bytes()),
        ("assets", "a.png", b"a\r\n--"),
        ("assets", "fonts/b.woff2", b"b"),
        ("sheets", "sheet_1.png", (home / "sheets" / "sheet_1.png").read_bytes()),
    )
    assert HIDDEN not in repr(sent)


def test_many_assets_are_not_open_at_once(make: Make, tmp_path: Path) -> None:
    """A form may hold more files than a process may open."""
    assets = {f"{n:03}.png": b"%d" % n for n in range(100)}
    task = make_task(tmp_path / "many", assets=assets)
    with serve() as service, files_left(40):
        assert isinstance(make(service).page(task, "mine", 1), r.Site)
    sent = {
        name: data for field, name, data in service.sent[0].files if field != "video"
    }
    assert sent == assets


def test_too_large_a_form_is_refused(make: Make, task: r.Task) -> None:
    """Before it is in memory: a form of a quarter of a gigabyte is the task's mistake."""
    video = Path(task.path).parent / "video.mp4"
    os.truncate(video, MOST_SENT)  # takes no room on the disk
    with serve() as service:
        with pytest.raises(IwrError, match="more than 268435456") as caught:
            make(service).page(task, "mine", 1)
        assert not service.sent
    assert str(caught.value).startswith(f"{video}: ")


def test_zip_is_a_page_of_several_files(make: Make, task: r.Task) -> None:
    """Known by its first bytes, whatever its type is said to be."""
    files = {"index.html": PAGE.encode(), "img/a.png": b"a"}
    with serve(Reply(pack(files))) as service:
        page = make(service).page(task, "mine", 1)
    assert isinstance(page, r.Site)
    assert (Path(page.folder) / "img" / "a.png").read_bytes() == b"a"


@pytest.mark.parametrize(
    ("reply", "kind", "said"),
    (
        (Reply(b"", 204), "empty", "made nothing"),
        (Reply(b" \n"), "empty", "made nothing"),
        (Reply(b"<p>Not that.</p>", 422), "refused", "refuses: 'Not that.'"),
        (Reply(b"Done."), "no_page", "no HTML: 'Done.'"),
        (Reply(b"PK\x03\x04nonsense"), "no_page", "cannot be unpacked"),
        (Reply(pack({"../index.html": b"<p>"})), "no_page", "leads out"),
    ),
)
def test_service_without_a_page_has_failed(  # noqa: PLR0913, PLR0917 - a table's columns
    tmp_path: Path, make: Make, task: r.Task, reply: Reply, kind: str, said: str
) -> None:
    """Asked once, also in two runs, and worth zero."""
    with serve(reply) as service:
        pages = [
            make(service, PageCache(tmp_path / "cache")).page(task, "mine", 1)
            for _ in range(2)
        ]
        assert len(service.sent) == 1
    for page in pages:
        assert isinstance(page, r.NoPage)
        assert page.kind == kind
        assert said in page.reason


@pytest.mark.parametrize("status", (408, 425, 429, 500, 502, 503, 504))
def test_fault_that_may_pass_is_tried_again(
    make: Make, task: r.Task, status: int
) -> None:
    """The whole form is sent again."""
    with serve(Reply(b"", status), Reply(b"", status), Reply()) as service:
        assert isinstance(make(service).page(task, "mine", 1), r.Site)
        assert len(service.sent) == 3
        assert len({len(sent.files) for sent in service.sent}) == 1


@pytest.mark.parametrize("form", ("9999", "Wed, 21 Oct 2099 07:28:00 GMT"))
def test_retry_after_is_kept_within_reason(make: Make, task: r.Task, form: str) -> None:
    """Neither hours nor decades are waited for."""
    busy = Reply(b"", 429, {"Retry-After": form})
    with serve(busy, Reply()) as service:
        assert isinstance(make(service).page(task, "mine", 1), r.Site)


@pytest.mark.parametrize(
    ("reply", "tries", "said"),
    (
        (Reply(b"<h1>Bad Gateway</h1>", 502), 4, "HTTP 502: 'Bad Gateway'"),
        (Reply(b"slow down", 429), 4, "HTTP 429: 'slow down'"),
        (Reply(b"who are you", 401), 1, "HTTP 401: 'who are you'"),
        (Reply(b"", 404), 1, "HTTP 404"),
        (Reply(b"{}", 200, {"Content-Type": "application/json"}), 1, "JSON in place"),
        (Reply(PAGE.encode(), sends=30), 3, "its answer breaks off"),
        (Reply(b"", 307, {"Location": "/make"}), 6, "redirects more than 5 times"),
        (Reply(b"", 307, {"Location": "file:///etc/passwd"}), 1, "cannot be asked"),
    ),
)
def test_service_that_fails_is_an_error(
    make: Make, task: r.Task, reply: Reply, tries: int, said: str
) -> None:
    """Unscored, after further tries where they may help."""
    with serve(reply) as service:
        with pytest.raises(EndpointError, match=said):
            make(service).page(task, "mine", 1)
        assert len(service.sent) == tries


def test_half_an_answer_is_asked_for_again(make: Make, task: r.Task) -> None:
    """And never taken for a page."""
    with serve(Reply(PAGE.encode(), sends=30), Reply()) as service:
        page = make(service).page(task, "mine", 1)
    assert isinstance(page, r.Site)
    assert (Path(page.folder) / "index.html").read_text("utf-8") == PAGE


def test_too_long_an_answer_is_an_error(make: Make, task: r.Task) -> None:
    """Measured as it unfolds: 70 kB of gzip stand for 70 MB here."""
    bomb = gzip.compress(b"<p>" * (24 << 20))
    with (
        serve(Reply(bomb, headers={"Content-Encoding": "gzip"})) as service,
        pytest.raises(EndpointError, match="more than 67108864 bytes"),
    ):
        make(service).page(task, "mine", 1)


def test_service_that_does_not_answer_is_left(make: Make, task: r.Task) -> None:
    """After its time, once."""
    slow = Reply(waits_for=threading.Event())
    patience = QUICK._replace(timeout_s=1.0)
    with serve(slow) as service:
        with pytest.raises(EndpointError, match=r"no answer within 1 s"):
            make(service, patience=patience).page(task, "mine", 1)
        assert len(service.sent) == 1


def test_service_that_is_not_there_is_an_error(make: Make, task: r.Task) -> None:
    """With the address, but without what may be secret in it."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
        url = f"http://user:hush@127.0.0.1:{port}/make?key=hush"
        with pytest.raises(EndpointError, match="it cannot be reached") as caught:
            make(url).page(task, "mine", 1)
    assert str(caught.value).startswith(f"http://127.0.0.1:{port}/make: ")
    assert "hush" not in str(caught.value)
    assert caught.value.__cause__ is None


@pytest.fixture
def through(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Give what lets the user's settings send all requests through a proxy."""

    def set_(proxy: str) -> None:
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
            monkeypatch.setenv(name, proxy)
        for name in ("NO_PROXY", "no_proxy"):
            monkeypatch.setenv(name, "")

    return set_


@pytest.mark.parametrize("host", ("127.0.0.1", "localhost"))
def test_service_of_this_machine_is_reached_without_a_proxy(
    make: Make, task: r.Task, through: Callable[[str], None], host: str
) -> None:
    """Whatever proxy the user has, it does not know this machine's ports."""
    through("http://127.0.0.1:9")
    with serve() as service:
        url = service.url.replace("127.0.0.1", host)
        assert isinstance(make(url).page(task, "mine", 1), r.Site)


def test_redirect_to_this_machine_needs_no_proxy(
    make: Make, task: r.Task, through: Callable[[str], None]
) -> None:
    """Nor does one from elsewhere."""
    with serve() as service, serve(_to(service.url)) as proxy:
        through(f"http://127.0.0.1:{proxy.port}")
        page = make("http://builder.example/make").page(task, "mine", 1)
        sent = [one.path for one in service.sent]
    assert isinstance(page, r.Site)
    assert sent == ["/make"]


def _to(url: str) -> Reply:
    return Reply(b"", 307, {"Location": url})


def test_service_elsewhere_is_reached_through_the_proxy(
    make: Make, task: r.Task, through: Callable[[str], None]
) -> None:
    """The user's settings hold for it."""
    with serve() as proxy:
        through(f"http://127.0.0.1:{proxy.port}")
        page = make("http://builder.example/make").page(task, "mine", 1)
    assert isinstance(page, r.Site)
    assert [sent.path for sent in proxy.sent] == ["http://builder.example/make"]


@pytest.mark.parametrize("url", ("ftp://a/b", "https://", "http:///x"))
def test_address_that_is_none_is_a_usage_error(make: Make, url: str) -> None:
    """Before any task is run."""
    with pytest.raises(UsageError, match="no address of a service"):
        make(url)


def test_second_run_does_not_ask(tmp_path: Path, make: Make, task: r.Task) -> None:
    """The page comes from the cache, also when the service is gone."""
    with serve() as service:
        first = make(service, PageCache(tmp_path / "cache")).page(task, "mine", 1)
        url = service.url
    again = make(url, PageCache(tmp_path / "cache", "only")).page(task, "mine", 1)
    assert isinstance(first, r.Site)
    assert isinstance(again, r.Site)
    assert again.sha256 == first.sha256
    assert again.origin == f"made by {url}"
