"""Embeddings are kept by content, and never cost a run."""

from pathlib import Path

import numpy as np
import pytest

from pytest_iwr.check.embeddings import Embedding, Embeddings

ONE: Embedding = np.array((1.5, -2.25, 1e-7), np.float32)


def test_next_process_knows_what_was_kept(tmp_path: Path) -> None:
    """Every number comes back as it was, to the last digit."""
    Embeddings(tmp_path, 3).keep("abcdef", ONE)
    recalled = Embeddings(tmp_path, 3).recall("abcdef")
    assert recalled is not None
    assert np.array_equal(recalled, ONE)
    assert recalled.dtype == np.float32


def test_unknown_picture_is_told() -> None:
    """Nothing is made up."""
    assert Embeddings(None, 3).recall("abcdef") is None


@pytest.mark.parametrize(
    "content", (b"", b"12345", ONE.tobytes()[:8], ONE.tobytes() * 2, b"\xff" * 12)
)
def test_damaged_embedding_is_a_miss(tmp_path: Path, content: bytes) -> None:
    """Another length, or what is no number, is made anew."""
    Embeddings(tmp_path, 3).keep("abcdef", ONE)
    (path,) = (file for file in tmp_path.rglob("*") if file.is_file())
    path.write_bytes(content)
    embeddings = Embeddings(tmp_path, 3)
    assert embeddings.recall("abcdef") is None
    embeddings.keep("abcdef", ONE)
    assert Embeddings(tmp_path, 3).recall("abcdef") is not None


def test_taken_folder_costs_time_only(tmp_path: Path) -> None:
    """Where nothing can be written, memory is left."""
    taken = tmp_path / "file"
    taken.touch()
    embeddings = Embeddings(taken, 3)
    embeddings.keep("abcdef", ONE)
    assert embeddings.recall("abcdef") is ONE


def test_embeddings_in_memory_have_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """A very long run starts afresh instead of growing."""
    monkeypatch.setattr("pytest_iwr.check.embeddings.MOST", 2)
    embeddings = Embeddings(None, 3)
    for name in ("one", "two", "three"):
        embeddings.keep(name, ONE)
    assert list(embeddings.known) == ["three"]
