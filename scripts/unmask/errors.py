"""The one error that is for the user to fix."""


class InputError(Exception):
    """Bad input: the message is one line that names the file, key, row or model at fault."""

    def __init__(self, message: str) -> None:
        super().__init__(" ".join(message.split()))
