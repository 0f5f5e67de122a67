"""Keeping the transformers library from talking over this one."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import transformers


@contextmanager
def quiet_transformers() -> Iterator[None]:
    """No warnings and no progress bars of transformers while the block runs."""
    messages: Any = transformers.utils.logging
    verbosity, bars = messages.get_verbosity(), messages.is_progress_bar_enabled()
    messages.set_verbosity_error()
    messages.disable_progress_bar()
    try:
        yield
    finally:
        messages.set_verbosity(verbosity)
        if bars:
            messages.enable_progress_bar()
