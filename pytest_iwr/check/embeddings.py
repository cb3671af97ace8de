"""Embeddings of pictures, by content: in memory, and on disk across runs and models."""

import os
import tempfile
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

MOST = 4096
"""Embeddings in memory (3 KB each); beyond that it starts afresh."""

Embedding = NDArray[np.float32]
"""One axis; every number is finite."""


@dataclass
class Embeddings:
    """Remembers embeddings; a file that is missing or damaged is one to be made."""

    folder: Path | None
    """Where one file a picture is kept; `None`: in memory only."""
    length: int
    known: dict[str, Embedding] = field(default_factory=dict)
    """By the digest of the picture."""

    def recall(self, picture: str) -> Embedding | None:
        """Give what is known about a picture, `None` when that is nothing."""
        if picture not in self.known:
            loaded = self._load(picture)
            if loaded is None:
                return None
            self._remember(picture, loaded)
        return self.known[picture]

    def keep(self, picture: str, embedding: Embedding) -> None:
        """Know it from now on; a folder that cannot be written costs time only."""
        self._remember(picture, embedding)
        if self.folder is None:
            return
        path = self._path(self.folder, picture)
        with suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            handle, unfinished = tempfile.mkstemp(dir=path.parent)
            with os.fdopen(handle, "wb") as file:
                file.write(embedding.astype("<f4").tobytes())
            Path(unfinished).replace(path)

    def _remember(self, picture: str, embedding: Embedding) -> None:
        if len(self.known) >= MOST:
            self.known.clear()
        self.known[picture] = embedding

    def _load(self, picture: str) -> Embedding | None:
        if self.folder is None:
            return None
        with suppress(OSError, ValueError):  # also a length that is no number's
            data = self._path(self.folder, picture).read_bytes()
            embedding = np.frombuffer(data, "<f4").astype(np.float32)
            if embedding.shape == (self.length,) and np.isfinite(embedding).all():
                return embedding
        return None

    @staticmethod
    def _path(folder: Path, picture: str) -> Path:
        return folder / picture[:2] / f"{picture[2:]}.f32"
