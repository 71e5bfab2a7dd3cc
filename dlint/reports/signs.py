"""Text of the tree and of the user as it may be printed: what commands a terminal becomes a visible sign.

File names, source lines, names and messages come from code that nobody has read yet. A control character in
them would move the cursor, a newline would forge a finding, a bidirectional mark would reorder a line. All
that is printed for people goes through :func:`visible`, all JSON through :func:`data`.
"""

from __future__ import annotations

import codecs
import re

# Controls (C0, DEL, C1), marks that reorder or break a line or show nothing, lone surrogates. The joiners
# U+200C and U+200D stay: some scripts cannot be written without them.
_UNFIT = (
    "\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e0fff"
)
# Each is compiled when it is needed: by `re`, which remembers.
_ODD = f"[{_UNFIT}]"
_ODD_IN_LINES = rf"(?![\n\t])[{_UNFIT}]"
_ODD_IN_JSON = rf"(?!\n)[{_UNFIT}]"
_NOT_ASCII = "[^\x20-\x7e\n]"
_SHORT = {"\t": "\\t", "\n": "\\n", "\r": "\\r"}


def visible(text: str) -> str:
    """One line: ``\\n``, ``\\x1b``, ``\\u202e`` in place of what is no sign by itself."""
    return re.sub(_ODD, _sign, text)


def visible_lines(text: str) -> str:
    """The same for text of several lines, a diff: its newlines and tabs stay."""
    return re.sub(_ODD_IN_LINES, _sign, text)


def data(text: str, encoding: str | None) -> str:
    """JSON that says the same on a stream of any encoding, and is as harmless on a terminal as other text.

    All that is not ASCII stands within strings, where JSON's own signs may replace it.
    """
    odd = _ODD_IN_JSON if is_utf8(encoding) else _NOT_ASCII
    return re.sub(odd, _json_sign, text)


def is_utf8(encoding: str | None) -> bool:
    """Whether the stream can carry every character."""
    try:
        return encoding is not None and codecs.lookup(encoding).name in ("utf-8", "utf-8-sig")
    except LookupError:
        return False


def cells(text: str, encoding: str | None, column: int, tab: int) -> tuple[list[str], list[int]]:
    """What is shown for each character of a source line, and how many columns that takes.

    ``column`` is where the first one stands, so that tabs (of ``tab`` columns) end where they should. A
    character that the ``encoding`` cannot carry is shown as the stream will show it.
    """
    shown: list[str] = []
    widths: list[int] = []
    for character in text:
        sign = " " * (tab - column % tab) if character == "\t" else visible(character)
        width = len(sign)
        if sign == character:
            sign, width = _as_carried(character, encoding)
        shown.append(sign)
        widths.append(width)
        column += width
    return shown, widths


def _as_carried(character: str, encoding: str | None) -> tuple[str, int]:
    if character.isascii():
        return character, 1
    if encoding is not None and not is_utf8(encoding):
        try:
            character.encode(encoding)
        except (LookupError, UnicodeError):
            sign = _sign_of(character)
            return sign, len(sign)
    from unicodedata import category, east_asian_width

    if category(character) in ("Mn", "Me", "Cf"):  # stands on the character before it
        return character, 0
    return character, 2 if east_asian_width(character) in "WF" else 1


def _sign(match: re.Match[str]) -> str:
    return _sign_of(match[0])


def _sign_of(character: str) -> str:
    code = ord(character)
    if character in _SHORT:
        return _SHORT[character]
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _json_sign(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x10000:
        return f"\\u{code:04x}"
    code -= 0x10000
    return f"\\u{0xD800 + (code >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}"
