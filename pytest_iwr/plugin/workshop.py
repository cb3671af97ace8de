"""The workshop: where pages of a run are made, in the one process that has the keys."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

from pytest_iwr.plugin.desk import Address, Counts, Desk, Wanted
from pytest_iwr.plugin.gate import Gate
from pytest_iwr.plugin.options import Making

if TYPE_CHECKING:
    from pytest_iwr.artifacts import RunFolder
    from pytest_iwr.chat import GatewayChat
    from pytest_iwr.generate.model import ModelGenerator
    from pytest_iwr.generate.product import ProductGenerator
    from pytest_iwr.records import Page, Task


class Workshop:
    """Makes pages by models or by the user's product; nothing is opened unasked."""

    def __init__(
        self,
        config: pytest.Config,
        making: Making,
        asked: tuple[str, ...],
        gate: Gate,
    ) -> None:
        """Find who makes the pages of the models that are asked for.

        Raises UsageError where that is nobody.
        """
        self.making = making
        self.names = asked
        self.gate = gate
        self.product: ProductGenerator | None = None
        self.model_generator: ModelGenerator | None = None
        self._config = config
        has_hook = bool(config.hook.pytest_iwr_generate.get_hookimpls())
        self.is_product = making.generator is not None or has_hook
        if self.is_product:
            self.names = asked or (_name_of(making.generator),)
            self.open_product()
            gate.check_cache()
        else:
            gate.want(asked, "--iwr-model")
            if making.prompt is not None:
                from pytest_iwr.generate.template import (  # noqa: PLC0415 - late
                    Template,
                )

                Template(making.prompt)  # a fault is the user's, before the run
        self.desk = Desk(self._open, threads=making.connections[1])

    def models(self) -> tuple[str, ...]:
        """Give the names of the models that pages are made by."""
        return self.names

    def page(self, task: Task, model: str, epoch: int) -> Page:
        """Give a page, made once in a run; raises the IwrError that prevented it."""
        return self.desk.page(task, model, epoch)

    def begin(self) -> None:
        """Make the pages that are expected."""
        self.desk.begin()

    def expect(self, wanted: Iterable[Wanted]) -> None:
        """Know which pages selected tests will ask for."""
        self.desk.expect(wanted)

    def listen(self) -> Address:
        """Let workers ask from now on."""
        return self.desk.listen()

    @property
    def counts(self) -> Counts:
        """How far the pages are."""
        return self.desk.counts

    def close(self) -> None:
        """Ask nothing more; what is under way is broken off."""
        self.desk.close()
        logger = logging.getLogger("urllib3.connectionpool")
        logger.removeFilter(_says_no_address)
        if self.model_generator is not None:
            self.model_generator.close()

    def open_product(self) -> ProductGenerator:
        """Give the user's product; raises UsageError where it cannot be found."""
        from pytest_iwr.generate.page_cache import PageCache  # noqa: PLC0415 - late
        from pytest_iwr.generate.product import (  # noqa: PLC0415 - late
            CallableGenerator,
            HttpGenerator,
        )

        if self.product is None:
            making = self.making
            cache = PageCache(making.cache_dir, making.cache, self._warn)
            rest = (self._folder, cache, making.prompt)
            if making.generator is None:
                from pytest_iwr.plugin.hooked import HookGenerator  # noqa: PLC0415

                self.product = HookGenerator(self._config, *rest)
            elif "://" in making.generator:
                logging.getLogger("urllib3.connectionpool").addFilter(_says_no_address)
                self.product = HttpGenerator(making.generator, *rest)
            else:
                root = str(self._config.invocation_params.dir)
                if root not in sys.path:
                    sys.path.insert(0, root)  # as `python -m pytest` has it
                self.product = CallableGenerator(making.generator, *rest)
        return self.product

    def open_models(self, chat: GatewayChat) -> ModelGenerator:
        """Give what asks models through a gateway, which need not be started yet."""
        from pytest_iwr.generate.model import (  # noqa: PLC0415 - late
            ModelGenerator,
            ask_through,
        )

        making = self.making
        self.model_generator = ModelGenerator(
            {name: self.gate.configs[name] for name in self.names},
            ask_through(chat),
            self._folder,
            making.prompt,
            native_video=making.is_video_native,
            prompts=None if making.cache == "off" else making.cache_dir / "prompts",
        )
        return self.model_generator

    def _open(self) -> ProductGenerator | ModelGenerator:
        if self.is_product:
            return self.open_product()
        return self.open_models(self.gate.open())

    def _run_files(self) -> RunFolder:
        assert self.gate.files is not None  # noqa: S101 - the plan sets it at once
        return self.gate.files()

    def _folder(self, task: Task, model: str, epoch: int) -> Path:
        return self._run_files().page(task.id, model, epoch)

    def _warn(self, words: str) -> None:
        self._config.issue_config_time_warning(pytest.PytestWarning(words), 2)


def _says_no_address(record: logging.LogRecord) -> bool:
    """Keep addresses of products, which may hold secrets, out of logs."""
    return not (record.threadName or "").startswith("iwr-")


def _name_of(generator: str | None) -> str:
    """Name a product for which the user has no name."""
    if generator is None:
        return "product"
    if "://" in generator:
        return urlsplit(generator).hostname or "product"
    return generator.rpartition(":")[2] or generator
