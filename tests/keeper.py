"""Keeps modules loaded, whatever `pytester` forgets."""

import sys
from pathlib import Path
from types import ModuleType


class Keeper:
    """Keeps the modules that an inner run was the first to load.

    The run forgets them at its end, and loading them a second time in one process does
    harm: compiled ones crash, PyTorch's among them, and others raise errors of a class
    that those who loaded the first one do not catch.
    """

    def __init__(self, scratch: Path) -> None:
        """To be made before `pytester`; modules below `scratch` may be forgotten."""
        self._scratch = str(scratch)
        self._before = set(sys.modules)
        self._loaded: dict[str, ModuleType] = {}

    def pytest_unconfigure(self) -> None:
        """Look at what is loaded at the run's end."""
        for name, module in sys.modules.items():
            file = getattr(module, "__file__", None) or ""
            if name not in self._before and not file.startswith(self._scratch):
                self._loaded[name] = module

    def put_back(self) -> None:
        """Load them again; once `pytester` has ended, for good."""
        sys.modules.update(self._loaded)
