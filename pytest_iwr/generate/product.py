"""Pages that the user's own product makes: a Python callable, or an HTTP service."""

import re
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import partial
from http import HTTPStatus
from pathlib import Path
from urllib.parse import urlsplit

from pytest_iwr import records as r
from pytest_iwr.addresses import shown_url
from pytest_iwr.errors import EndpointError, UsageError
from pytest_iwr.generate.call import call, find_callable, source_sha256
from pytest_iwr.generate.page_cache import PageCache, key_of
from pytest_iwr.generate.post import Got, Patience, post
from pytest_iwr.generate.request import PageRequest, page_request
from pytest_iwr.generate.site import (
    NotASiteError,
    check,
    is_zip,
    store_page,
    write_generation,
)
from pytest_iwr.generate.template import Template

_BLANK = b" \t\r\n\f\v\0\xef\xbb\xbf"
_TAG = re.compile(rb"<[A-Za-z!]")
_TAGS = re.compile(r"<(script|style|head)\b.*?</\1\s*>|<[^>]*>", re.DOTALL)
_SHOWN = 200
_REFUSED = HTTPStatus.UNPROCESSABLE_ENTITY
_GOOD = range(200, 300)
_MOST_READ = 20_000


class ProductGenerator(ABC):
    """A generator that has a product make each page, or takes it from the cache."""

    def __init__(
        self,
        folder: Callable[[r.Task, str, int], Path],
        cache: PageCache,
        template: Path | None = None,
    ) -> None:
        """Know where the page of a task goes; raises UsageError for the template."""
        self.cache = cache
        self._folder = folder
        self._template = Template(template)

    @property
    @abstractmethod
    def address(self) -> str:
        """What the product is called in results, without secrets."""

    @abstractmethod
    def identity(self) -> dict[str, str]:
        """What tells the product from others and from itself once it was changed."""

    @abstractmethod
    def ask(self, request: PageRequest) -> bytes | r.NoPage:
        """Have the page made; raises EndpointError."""

    def request(self, task: r.Task, model: str, epoch: int) -> PageRequest:
        """Give what the product gets; raises TaskError."""
        return page_request(task, model, epoch, self._template)

    def key(self, request: PageRequest) -> str:
        """Give the key of a page in the cache."""
        return key_of(
            {
                "product": dict(self.identity()),
                "request": request.digest(),
                "model": request.model,
                "epoch": request.epoch,
            }
        )

    def page(self, task: r.Task, model: str, epoch: int) -> r.Page:
        """Have a page made and store it, in the shape that results know.

        Raises EndpointError where the product fails, and TaskError.
        """
        request = self.request(task, model, epoch)
        key = self.key(request)
        began_s = time.monotonic()
        kept = self.cache.get(key, partial(self._make, request))
        asked = r.Asked(
            key=key,
            alias=model,
            model=self.address,
            purpose="generate",
            epoch=epoch,
            label=task.id,
            is_hit=kept.is_hit,
            status="ok",
            attempts=0 if kept.is_hit else 1,
            took_s=round(time.monotonic() - began_s, 3),
        )
        generation = r.Generation(
            model=model,
            endpoint=self.address,
            prompt_sha256=request.digest(),
            asked=asked,
        )
        folder = self._folder(task, model, epoch)
        if isinstance(kept.content, r.NoPage):
            write_generation(folder, generation)
            return kept.content.model_copy(update={"generation": generation})
        origin = f"made by {self.address}"
        return store_page(folder, kept.content, origin, generation)

    def _make(self, request: PageRequest) -> bytes | r.NoPage:
        made = self.ask(request)
        return made if isinstance(made, r.NoPage) else _why_no_page(made) or made


class CallableGenerator(ProductGenerator):
    """Pages from a Python callable, given as `package.module:name`.

    It is called with a `PageRequest`, from several threads at a time, and may be
    `async`. It gives HTML as text or bytes, a zip file's bytes, the path of such a file
    or of a folder, or files by name; `None` or nothing: there is no page, worth zero.
    What it raises is an error, and the task stays unscored.
    """

    def __init__(
        self,
        address: str,
        folder: Callable[[r.Task, str, int], Path],
        cache: PageCache,
        template: Path | None = None,
    ) -> None:
        """Import it; raises UsageError where it is not there, or not to be called."""
        super().__init__(folder, cache, template)
        self._address = address
        self._callable = find_callable(address)

    @property
    def address(self) -> str:
        """`package.module:name`."""
        return self._address

    def identity(self) -> dict[str, str]:
        """Its name, and the digest of the file that it is written in."""
        return {"callable": self._address, "source": source_sha256(self._callable)}

    def ask(self, request: PageRequest) -> bytes | r.NoPage:
        """Call it; raises EndpointError."""
        made = call(self._callable, request, self._address)
        return made if made is not None else _empty()


class HttpGenerator(ProductGenerator):
    """Pages from an HTTP service: a POST of a form, answered by HTML or a zip.

    Fields: `task`, `model`, `epoch`, `prompt`, `placeholder`, `width`, `height`,
    `scale`, `mobile`, `touch`, `device`; files: `video`, `assets` and `sheets`, the
    last two as often as there are such files. An empty answer or 204: there is no
    page; 422: the product refuses. Both are worth zero. All else but 2xx is an error,
    after further tries, and the task stays unscored.
    """

    def __init__(
        self,
        url: str,
        folder: Callable[[r.Task, str, int], Path],
        cache: PageCache,
        template: Path | None = None,
        patience: Patience | None = None,
    ) -> None:
        """Raises UsageError for what is no address."""
        super().__init__(folder, cache, template)
        parts = urlsplit(url)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise UsageError(
                f"--iwr-generator={shown_url(url)}: no address of a service. Give "
                "https://…, or package.module:callable."
            )
        self._url = url
        self._patience = patience or Patience()

    @property
    def address(self) -> str:
        """The URL without user, password and query."""
        return shown_url(self._url)

    def identity(self) -> dict[str, str]:
        """Its whole address."""
        return {"url": self._url}

    def ask(self, request: PageRequest) -> bytes | r.NoPage:
        """Post the request; raises EndpointError."""
        return _outcome(self.address, post(self._url, request, self._patience))


def _outcome(address: str, got: Got) -> bytes | r.NoPage:
    """Tell what an answer is: a page, the product's failure, or an error."""
    if got.status == _REFUSED:
        reason = f"the product refuses: {_plain(got.body)}"
        return r.NoPage(kind="refused", reason=reason)
    if got.status not in _GOOD:
        raise EndpointError(
            f"{address}: HTTP {got.status}: {_plain(got.body)}. Run again; see why the "
            "product answers so."
        )
    if got.mime == "application/json":
        raise EndpointError(
            f"{address}: JSON in place of a page: {_plain(got.body)}. Answer with HTML "
            "or a zip file."
        )
    return got.body


def _why_no_page(content: bytes) -> r.NoPage | None:
    """Say why something is no page; `None` where it is one."""
    if not content.strip(_BLANK):
        return _empty()
    try:
        check(content)
    except NotASiteError as error:
        return r.NoPage(reason=str(error))
    if is_zip(content) or _TAG.search(content.replace(b"\0", b"")):
        return None
    return r.NoPage(reason=f"what the product made is no HTML: {_plain(content)}")


def _empty() -> r.NoPage:
    return r.NoPage(kind="empty", reason="the product made nothing")


def _plain(body: bytes) -> str:
    """Give the beginning of a text, without tags, for people."""
    text = _TAGS.sub(" ", body[:_MOST_READ].decode("utf-8", "replace"))
    line = " ".join(text.split())
    return repr(line if len(line) <= _SHOWN else line[: _SHOWN - 1] + "…")
