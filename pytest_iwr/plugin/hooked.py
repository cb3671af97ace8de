"""Pages that come from the hook `pytest_iwr_generate`."""

from collections.abc import Callable
from pathlib import Path

import pytest

from pytest_iwr.generate.call import call, source_sha256
from pytest_iwr.generate.page_cache import PageCache
from pytest_iwr.generate.product import ProductGenerator
from pytest_iwr.generate.request import PageRequest
from pytest_iwr.records import NoPage, Task

_NAME = "hook pytest_iwr_generate"


class HookGenerator(ProductGenerator):
    """A product that a `conftest.py` or a plugin brings by the hook."""

    def __init__(
        self,
        config: pytest.Config,
        folder: Callable[[Task, str, int], Path],
        cache: PageCache,
        template: Path | None = None,
    ) -> None:
        """Know whom to ask."""
        super().__init__(folder, cache, template)
        self._config = config
        self._hook = config.hook.pytest_iwr_generate

    @property
    def address(self) -> str:
        """What results call it."""
        return _NAME

    def identity(self) -> dict[str, str]:
        """Who implements the hook, and the digests of their files."""
        found = self._hook.get_hookimpls()
        return {impl.plugin_name: source_sha256(impl.function) for impl in found}

    def ask(self, request: PageRequest) -> bytes | NoPage:
        """Have the page made; raises EndpointError."""

        def made(request: PageRequest) -> object:
            return self._hook(request=request, config=self._config)

        content = call(made, request, _NAME)
        if content is None:
            return NoPage(kind="empty", reason=f"the {_NAME} made nothing")
        return content
