"""What a file must mention to matter at all: asked of every file, before anything else is imported."""

from __future__ import annotations

# A file that mentions none of these can hold no finding: it is read, not parsed.
_WORDS = (
    b"DataLoader",
    b"Dataset",
    b"__getitem__",
    b"worker_init",
    b"data_collator",
    b"dataloader_num_workers",
    b"cv2",
    b"random",
    b"seed",
    b"Pool",
    b"Executor",
    b"Thread",
    b"Sampler",
    b"WebLoader",
    b"SubjectsLoader",
    b"torch",
)


def may_concern(text: str | bytes) -> bool:
    """Whether a file with this text can hold a finding at all."""
    data = text.encode(errors="replace") if isinstance(text, str) else text
    return any(word in data for word in _WORDS)
