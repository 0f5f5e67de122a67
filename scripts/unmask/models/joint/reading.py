"""Moved: unmask.models.joint.architectures."""

from unmask.models.joint.architectures import PIXELS as PIXELS
from unmask.models.joint.architectures import Reading as Reading
