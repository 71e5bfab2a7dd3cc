"""What the helpers assert is explained as in a test."""

from __future__ import annotations

import pytest

pytest.register_assert_rewrite("program.sources")
