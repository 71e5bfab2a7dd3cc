"""Changes of a file's bytes: encodings, line endings, what editors and transfers leave behind."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

Change = Callable[[bytes, Random], bytes]

_CODINGS = (b"latin-1", b"utf-8", b"cp1252", b"ascii", b"utf-7", b"rot13", b"hex", b"idna", b"utf-16", b"x" * 300, b"..")  # fmt: skip


def carriage_returns(data: bytes, _random: Random) -> bytes:
    return data.replace(b"\n", b"\r\n")


def old_line_ends(data: bytes, _random: Random) -> bytes:
    return data.replace(b"\n", b"\r")


def mixed_line_ends(data: bytes, random: Random) -> bytes:
    lines = data.split(b"\n")
    ends = (b"\n", b"\r\n", b"\r", b"\f\n", b"\x0b", b"\x1c", b"\xe2\x80\xa8")
    return b"".join(line + random.choice(ends) if random.random() < 0.2 else line + b"\n" for line in lines)


def byte_order_mark(data: bytes, random: Random) -> bytes:
    return random.choice((b"\xef\xbb\xbf", b"\xef\xbb\xbf\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")) + data


def wide_encoding(data: bytes, random: Random) -> bytes:
    text = data.decode("utf-8", "replace")
    return text.encode(random.choice(("utf-16", "utf-16-le", "utf-32", "utf-7")), "replace")


def coding_line(data: bytes, random: Random) -> bytes:
    return b"# -*- coding: " + random.choice(_CODINGS) + b" -*-\n" + data


def foreign_byte(data: bytes, random: Random) -> bytes:
    index = random.randint(0, len(data))
    return data[:index] + bytes([random.randrange(256)]) + data[index:]


def nul(data: bytes, random: Random) -> bytes:
    index = random.randint(0, len(data))
    return data[:index] + b"\0" * random.choice((1, 1, 512)) + data[index:]


def odd_letter(data: bytes, random: Random) -> bytes:
    """A letter that Python reads as another one, that is wider than one column, or that nobody sees."""
    letters = (
        "\uff43",
        "é",
        "e\u0301",
        "☃",
        "\u202e",
        "\u200b",
        "\ufeff",
        "\U0001d499",
        "🧨" * 3,
        "\x1b[31m",
        "\x07",
        "\x85",
    )
    index = random.randint(0, len(data))
    return data[:index] + random.choice(letters).encode() + data[index:]


def no_last_line_end(data: bytes, _random: Random) -> bytes:
    return data.rstrip(b"\n") + b"\\"


def cut(data: bytes, random: Random) -> bytes:
    return data[: random.randint(0, len(data))]


CHANGES: dict[str, Change] = {
    change.__name__: change
    for change in (
        carriage_returns,
        old_line_ends,
        mixed_line_ends,
        byte_order_mark,
        wide_encoding,
        coding_line,
        foreign_byte,
        nul,
        odd_letter,
        no_last_line_end,
        cut,
    )
}
NAMES = tuple(CHANGES)
