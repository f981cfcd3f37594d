from typing import Any

table: Any  # a PyCapsule
