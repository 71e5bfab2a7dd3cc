"""The way of a repair: find, edit, judge the whole program again, and only then write.

``results`` is what a run gives; ``loop`` goes from one repair to the next, ``promised`` tells what each would
change; ``workshop`` has the present texts and performs a remedy on them; ``judge`` tells whether the program
is better for it; ``lines`` and ``text`` look at one file before and after. Nothing here writes a file: see
:mod:`dlint.rewriting.files`.
"""

from dlint.repair.loop import repair
from dlint.repair.promised import promised
from dlint.repair.results import Approve, Enough, Left, Repaired, Repairs, Step
from dlint.repair.text import check_text

__all__ = ["Approve", "Enough", "Left", "Repaired", "Repairs", "Step", "check_text", "promised", "repair"]
