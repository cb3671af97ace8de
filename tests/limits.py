"""Limits of the operating system, as other machines have them."""

import errno
import resource
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path


@contextmanager
def files_left(count: int) -> Iterator[None]:
    """Let this process open so many files more, while the context is open."""
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    listed = list(Path("/dev/fd").iterdir())
    taken = {int(file.name) for file in listed if file.exists()}  # the list's own not
    free = [n for n in range(len(taken) + count + 1) if n not in taken]
    resource.setrlimit(resource.RLIMIT_NOFILE, (free[count], limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)


@contextmanager
def no_files_left() -> Iterator[None]:
    """Let this process open no file more, while the context is open.

    What is free below the limit is taken, too: other threads open and close meanwhile.
    """
    with ExitStack() as taken, files_left(1):
        try:
            while True:
                taken.enter_context(Path("/dev/null").open("rb"))
        except OSError as error:
            if error.errno != errno.EMFILE:
                raise
        yield
