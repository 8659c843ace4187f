"""Imports all families. Each adds its cases on import."""
import diffusion  # noqa: F401
import flexible  # noqa: F401
import nms  # noqa: F401
import states  # noqa: F401
import text  # noqa: F401
import torchvision_models  # noqa: F401
import vision  # noqa: F401
