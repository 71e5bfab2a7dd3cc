"""Tests: by which names test libraries are asked for an error."""

from __future__ import annotations

# pytest.raises(...), self.assertRaises(...): what is in such a `with` is there to raise.
EXPECTS_ERROR = frozenset({"assertRaises", "assertRaisesRegex", "assertRaisesRegexp", "raises"})
