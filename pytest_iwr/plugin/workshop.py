"""The workshop: where pages of a run are made, in the one process that has the keys."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

from pytest_iwr.plugin.desk import Address, Counts, Desk, Wanted
from pytest_iwr.plugin.options import Making

if TYPE_CHECKING:
    from openai import OpenAI

    from pytest_iwr.artifacts import RunFolder
    from pytest_iwr.gateway import Gateway, Status
    from pytest_iwr.generate.model import ModelGenerator
    from pytest_iwr.generate.product import ProductGenerator
    from pytest_iwr.records import ModelConfig, Page, Task


class Workshop:
    """Makes pages by models or by the user's product; nothing is opened unasked."""

    def __init__(
        self, config: pytest.Config, making: Making, asked: tuple[str, ...]
    ) -> None:
        """Find who makes the pages of the models that are asked for.

        Raises UsageError where that is nobody.
        """
        self.making = making
        self.names = asked
        self.gateway: Gateway | None = None
        self.product: ProductGenerator | None = None
        self.model_generator: ModelGenerator | None = None
        self.files: Callable[[], RunFolder] | None = None
        """Where the run's files are; known once the run is planned."""
        self._config = config
        self._client: OpenAI | None = None
        self.configs: Mapping[str, ModelConfig] = {}
        self._keys: Mapping[str, str] = {}
        has_hook = bool(config.hook.pytest_iwr_generate.get_hookimpls())
        self.is_product = making.generator is not None or has_hook
        if self.is_product:
            self.names = asked or (_name_of(making.generator),)
            self.open_product()
        else:
            self._find_models()
            if making.prompt is not None:
                from pytest_iwr.generate.template import (  # noqa: PLC0415 - late
                    Template,
                )

                Template(making.prompt)  # a fault is the user's, before the run
        if making.cache_dir.exists() and not making.cache_dir.is_dir():
            from pytest_iwr.errors import UsageError  # noqa: PLC0415 - late

            raise UsageError(f"{making.cache_dir}: is no folder. Give another one.")
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
    def secret_names(self) -> frozenset[str]:
        """The environment variables that workers must not have."""
        from pytest_iwr.gateway.config import key_names  # noqa: PLC0415 - late
        from pytest_iwr.plugin.keys import like_keys  # noqa: PLC0415 - late

        return like_keys(os.environ) | key_names(self.making.model_config)

    @property
    def counts(self) -> Counts:
        """How far the pages are."""
        return self.desk.counts

    @property
    def status(self) -> Status | None:
        """What the gateway says of the run; `None`: it was not needed."""
        return None if self.gateway is None else self.gateway.status()

    def close(self) -> None:
        """Ask nothing more; what is under way is broken off."""
        self.desk.close()
        logger = logging.getLogger("urllib3.connectionpool")
        logger.removeFilter(_says_no_address)
        if self.gateway is not None:
            self.gateway.close()
        if self.model_generator is not None:
            self.model_generator.close()
        if self._client is not None:
            self._client.close()

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

    def open_models(self) -> ModelGenerator:
        """Give what asks models, through a gateway that is not started yet."""
        import openai  # noqa: PLC0415 - heavy

        from pytest_iwr.generate.model import (  # noqa: PLC0415 - late
            ModelGenerator,
            ask_through,
        )

        making = self.making
        gateway = self._made_gateway()
        self._client = openai.OpenAI(
            base_url=gateway.url,
            api_key=gateway.token,
            # The gateway is on this machine: a proxy of the user's must not see it.
            http_client=openai.DefaultHttpx2Client(trust_env=False),
        )
        self.model_generator = ModelGenerator(
            self.configs,
            ask_through(self._client),
            self._folder,
            making.prompt,
            native_video=making.is_video_native,
            prompts=None if making.cache == "off" else making.cache_dir / "prompts",
        )
        return self.model_generator

    def _open(self) -> ProductGenerator | ModelGenerator:
        if self.is_product:
            return self.open_product()
        self._made_gateway().start()
        return self.open_models()

    def _made_gateway(self) -> Gateway:
        from pytest_iwr.gateway import Gateway  # noqa: PLC0415 - late

        if self.gateway is None:
            making = self.making
            self.gateway = Gateway(
                self.configs,
                keys=self._keys,
                cache_dir=making.cache_dir,
                ledger=self._run_files().ledger,
                mode=making.cache,
                connections=making.connections,
                max_cost_usd=making.max_cost_usd,
            )
        return self.gateway

    def _find_models(self) -> None:
        from pytest_iwr.gateway.config import (  # noqa: PLC0415 - in use only
            find_keys,
            load_models,
        )

        making = self.making
        asks = not making.is_dry and making.cache != "only"
        self.configs = load_models(
            making.model_config,
            os.environ,
            self.names,
            needs_keys=asks and not self._config.option.collectonly,
        )
        self._keys = find_keys(self.configs, os.environ)

    def _run_files(self) -> RunFolder:
        assert self.files is not None  # noqa: S101 - the plan sets it at once
        return self.files()

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
