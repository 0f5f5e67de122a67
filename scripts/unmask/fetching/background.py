"""Reading in a thread of its own, so that whoever waits for it can give up."""

import queue
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

Item = TypeVar("Item")

_AHEAD = 64
"""Items that are read before they are asked for, at most."""


class GivenUpError(Exception):
    """Nothing came in time."""


@dataclass(frozen=True)
class _Failed:
    error: Exception


class _Ended:
    pass


class Background(Generic[Item]):
    """The items of an iterator, which runs in a thread until it is through or `stop` is called.

    No call of the system can be made to end from outside, so a thread that hangs in one is left behind; it
    is a daemon and ends with the process.
    """

    def __init__(self, items: Iterator[Item]) -> None:
        self._items = items
        self._ready: queue.Queue[Item | _Failed | _Ended] = queue.Queue(_AHEAD)
        self._stopped = threading.Event()
        threading.Thread(target=self._run, daemon=True).start()

    def next(self, seconds: float) -> Item | None:
        """The next item, None after the last. Raises what the iterator raised; GivenUpError after a time."""
        try:
            item = self._ready.get(timeout=seconds)
        except queue.Empty:
            raise GivenUpError from None
        if isinstance(item, _Failed):
            raise item.error
        return None if isinstance(item, _Ended) else item

    def stop(self) -> None:
        """Have the thread end with the item that it is at."""
        self._stopped.set()

    def _run(self) -> None:
        try:
            for item in self._items:
                if not self._put(item):
                    return
            self._put(_Ended())
        except Exception as error:  # whoever asks for the next item gets it
            self._put(_Failed(error))

    def _put(self, item: Item | _Failed | _Ended) -> bool:
        while not self._stopped.is_set():
            try:
                self._ready.put(item, timeout=0.1)
            except queue.Full:
                continue
            return True
        return False
