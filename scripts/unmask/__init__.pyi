from unmask.command.scoring import load, score

__all__ = ["__version__", "load", "score"]

__version__: str
