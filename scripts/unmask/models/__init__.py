"""Getting language models fit for scoring, and loading them.

transformers says errors alone and draws no bars, if it is imported after this package and the environment
says nothing else.
"""

import os

os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")
os.environ.setdefault("HF_HUB_DISABLE_PROGRESS_BARS", "1")
