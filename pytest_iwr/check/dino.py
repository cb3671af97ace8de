"""The DINO metric: how alike two pictures are to a model that was shown many."""

import hashlib
from collections.abc import Sequence
from functools import cached_property
from importlib.metadata import version
from pathlib import Path

import numpy as np

from pytest_iwr.check import dino_model, dino_weights
from pytest_iwr.check.dino_input import SIDES_PX, Preprocessing, prepare
from pytest_iwr.check.dino_shapes import WIDTH
from pytest_iwr.check.embeddings import Embedding, Embeddings
from pytest_iwr.check.readings import digest
from pytest_iwr.images import Picture

RECIPE = "1"
"""Changes with every constant that embeddings depend on: they are kept by it."""
_SHORT = 16
"""Digits of the checksum that are told."""


class Dino:
    """Cosine of class tokens of DINOv2-base (Oquab et al. 2023), as in IWR-Bench.

    Embeddings are kept by content: a reference picture is embedded once for all
    models and runs. Nothing heavy is imported before it is needed.
    """

    def __init__(
        self,
        weights: Path | None,
        *,
        preprocessing: Preprocessing = "paper",
        threads: int = 1,
        cache: Path | None = None,
    ) -> None:
        """Take weights from a file, `None`: from the hub; keep embeddings in `cache`.

        `threads` is the limit for all of PyTorch in this process.
        """
        self._file = weights
        self._preprocessing: Preprocessing = preprocessing
        self._threads = threads
        self._cache = cache

    @property
    def version(self) -> str:
        """Name model, preprocessing, weights and package.

        The weights are checked by their names and shapes, not loaded. Raises UsageError
        for a file that is not theirs.
        """
        return (
            f"{dino_model.NAME} {self._preprocessing} "
            f"sha256:{self._sha256[:_SHORT]} timm {version('timm')}"
        )

    def load(self) -> None:
        """Get and check the weights now. Raises UsageError, never makes some up."""
        _ = self._model

    def similarity(self, reference: Picture, shot: Picture) -> float:
        """Give the cosine of both embeddings, 0..1; negative ones are 0."""
        one, two = (e.astype(np.float64) for e in self.embed((reference, shot)))
        cosine = float(one @ two / (np.linalg.norm(one) * np.linalg.norm(two)))
        return min(1.0, max(0.0, cosine))

    def embed(self, pictures: Sequence[Picture]) -> tuple[Embedding, ...]:
        """Give the class token of each picture, of 768 numbers. Raises UsageError."""
        names = [digest(picture) for picture in pictures]
        found = {name: self._embeddings.recall(name) for name in names}
        new = {
            name: picture
            for name, picture in zip(names, pictures, strict=True)
            if found[name] is None
        }
        made = dict(zip(new, self._ask(tuple(new.values())), strict=True))
        for name, embedding in made.items():
            self._embeddings.keep(name, embedding)
        return tuple(made[n] if (e := found[n]) is None else e for n in names)

    def _ask(self, pictures: Sequence[Picture]) -> list[Embedding]:
        tokens: list[Embedding] = []
        for first in range(0, len(pictures), dino_model.BATCH):
            some = pictures[first : first + dino_model.BATCH]
            inputs = [prepare(picture, self._preprocessing) for picture in some]
            tokens += self._model(np.stack(inputs))
        return tokens

    @cached_property
    def _model(self) -> dino_model.Model:
        side = SIDES_PX[self._preprocessing]
        return dino_model.load(self._weights, side, self._threads)

    @cached_property
    def _weights(self) -> Path:
        dino_model.require_packages()
        file = dino_weights.find(self._file)
        dino_weights.check(file)
        return file

    @cached_property
    def _sha256(self) -> str:
        return dino_weights.fingerprint(self._weights)

    @cached_property
    def _embeddings(self) -> Embeddings:
        parts = (self._sha256, self._preprocessing, version("torch"), version("timm"))
        edition = hashlib.sha256(" ".join((*parts, RECIPE)).encode()).hexdigest()
        folder = self._cache / "dino" / edition[:16] if self._cache else None
        return Embeddings(folder, WIDTH)
