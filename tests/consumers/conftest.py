"""SciPy reads its switch when it is imported, which the tests of this folder do first."""

from __future__ import annotations

import os

os.environ.setdefault("SCIPY_ARRAY_API", "1")
