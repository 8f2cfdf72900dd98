"""Usage: python -m tests.support.model_server [--port N]. Prints its URL, serves until it is interrupted."""

import argparse
import signal
import threading

from tests.support.model_server import ModelServer


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.support.model_server", description=__doc__)
    parser.add_argument("--port", type=int, default=0, help="0: any free port")
    port: int = parser.parse_args().port
    ended = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: ended.set())
    with ModelServer(port=port) as server:
        print(server.url, flush=True)
        ended.wait()


if __name__ == "__main__":
    main()
