"""Moved: unmask.models.joint.architectures."""

from unmask.models.joint.architectures import config_of as config_of
from unmask.models.joint.architectures import longest_text as longest_text
