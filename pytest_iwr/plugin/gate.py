"""The gate: who holds keys, models' configurations and the gateway of a run.

Pages, judge and grounder ask through it. Workers know its address and a token, never a
key.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, NamedTuple

import pytest

from pytest_iwr.plugin.options import Making

if TYPE_CHECKING:
    from pytest_iwr.artifacts import RunFolder
    from pytest_iwr.chat import GatewayChat
    from pytest_iwr.gateway import Gateway, Status
    from pytest_iwr.records import ModelConfig


class GateAddress(NamedTuple):
    """Where models are asked, as text for a worker."""

    url: str
    token: str


class Gate:
    """In the process that the user started: knows how models are asked.

    Nothing is opened unasked.
    """

    def __init__(self, config: pytest.Config, making: Making) -> None:
        """Know the options; no model is wanted yet."""
        self.configs: dict[str, ModelConfig] = {}
        """All models that the run may ask, by alias."""
        self.files: Callable[[], RunFolder] | None = None
        """Where the run's files are; known once the run is planned."""
        self.is_open_to_tests = False
        """Models are asked while pages are tested, and so by workers, too."""
        self._config = config
        self._making = making
        self._gateway: Gateway | None = None
        self._chat: GatewayChat | None = None
        self._lock = threading.RLock()

    def want(
        self, aliases: Iterable[str], option: str, *, in_tests: bool = False
    ) -> None:
        """Be ready to ask some models, which `option` has named.

        `in_tests`: while pages are tested. Raises UsageError for those without an
        endpoint or a key, with the lines to add.
        """
        from pytest_iwr.gateway.config import load_models  # noqa: PLC0415 - late

        making = self._making
        asks = not making.is_dry and making.cache != "only"
        self.configs |= load_models(
            making.model_config,
            os.environ,
            tuple(aliases),
            needs_keys=asks and not self._config.option.collectonly,
            option=option,
        )
        self.is_open_to_tests |= in_tests
        self.check_cache()

    def check_cache(self) -> None:
        """Raise UsageError where the cache's folder is none."""
        cache_dir = self._making.cache_dir
        if cache_dir.exists() and not cache_dir.is_dir():
            from pytest_iwr.errors import UsageError  # noqa: PLC0415 - late

            raise UsageError(f"{cache_dir}: is no folder. Give another one.")

    @property
    def is_wanted(self) -> bool:
        """Tell whether the run may ask any model."""
        return bool(self.configs)

    @property
    def gateway(self) -> Gateway:
        """The gateway, which need not be started."""
        from pytest_iwr.gateway import Gateway  # noqa: PLC0415 - late
        from pytest_iwr.gateway.config import find_keys  # noqa: PLC0415 - late

        assert self.files is not None  # noqa: S101 - the plan sets it at once
        with self._lock:
            if self._gateway is None:
                making = self._making
                self._gateway = Gateway(
                    self.configs,
                    keys=find_keys(self.configs, os.environ),
                    cache_dir=making.cache_dir,
                    ledger=self.files().ledger,
                    mode=making.cache,
                    connections=making.connections,
                    max_cost_usd=making.max_cost_usd,
                )
            return self._gateway

    def open(self) -> GatewayChat:
        """Start the gateway, and give what asks through it.

        Raises UsageError where cache or ledger cannot be written.
        """
        from pytest_iwr.chat import GatewayChat  # noqa: PLC0415 - late

        with self._lock:
            gateway = self.gateway
            if self._chat is None:
                gateway.start()
                self._chat = GatewayChat(gateway.url, gateway.token)
            return self._chat

    def listen(self) -> GateAddress:
        """Let workers ask from now on; raises as `open`."""
        self.open()
        return GateAddress(self.gateway.url, self.gateway.token)

    @property
    def secret_names(self) -> frozenset[str]:
        """The environment variables that workers and browsers must not have."""
        from pytest_iwr.gateway.config import key_names  # noqa: PLC0415 - late
        from pytest_iwr.plugin.keys import like_keys  # noqa: PLC0415 - late

        return like_keys(os.environ) | key_names(self._making.model_config)

    @property
    def status(self) -> Status | None:
        """What the gateway says of the run; `None`: it was not needed."""
        return None if self._gateway is None else self._gateway.status()

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the user should know although the run went on."""
        return () if self._gateway is None else self._gateway.warnings

    def close(self) -> None:
        """Ask nothing more; what is under way is broken off."""
        with self._lock:
            if self._gateway is not None:
                self._gateway.close()
            if self._chat is not None:
                self._chat.close()
