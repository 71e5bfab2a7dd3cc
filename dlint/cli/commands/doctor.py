"""``dlint doctor``: why does my training stand still?"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from dlint.cli import CLEAN, FAILED, FINDINGS
from dlint.cli.options import CannotDo
from dlint.cli.output import complain_of, say, say_json

if TYPE_CHECKING:
    from dlint.doctor.seen import Job

_MOST_BYTES = 50_000_000  # of a dump


@click.command(name="doctor", context_settings={"allow_interspersed_args": True})
@click.argument("job", nargs=-1, metavar="[PID | -- COMMAND...]", type=click.UNPROCESSED)
@click.option(
    "--dump",
    type=click.Path(allow_dash=True),
    metavar="FILE",
    help="Read stacks that py-spy, gdb or faulthandler wrote elsewhere; - is standard input.",
)
@click.option(
    "--native/--no-native",
    default=True,
    help="Ask for the frames of C code, too, for which py-spy holds each process for some milliseconds.  "
    "[default: --native]",
)
@click.option(
    "--seconds",
    type=click.FloatRange(min=0.2),
    default=5.0,
    show_default=True,
    help="How long to watch whether anything moves.",
)
@click.option(
    "--stall",
    type=click.FloatRange(min=1),
    default=60.0,
    show_default=True,
    metavar="SECONDS",
    help="With a command: how long nothing may move until it is looked at.",
)
@click.option("--kill", is_flag=True, help="With a command: end it when it stands still, with exit code 3.")
@click.option(
    "--env",
    "env",
    is_flag=True,
    help="Say what this machine and this Python bring to a job, and which findings of the project in the "
    "working directory happen here.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def doctor(
    job: tuple[str, ...],
    dump: str | None,
    native: bool,
    seconds: float,
    stall: float,
    kill: bool,
    env: bool,
    as_json: bool,
) -> int:
    """Say why a training job stands still: of the process PID and all below it, of a dump, or of a COMMAND
    that is run under watch.  --env asks the machine instead.

    Nothing of the job is changed, and it goes on afterwards. Exit code: 0 it works; 1 it stands still, or the
    dump shows a hang; 2 it could not be looked at. With a command: its own, or 3 where it stood still and
    --kill has ended it.
    """
    is_pid = len(job) == 1 and job[0].isdecimal()
    if (dump is not None) + bool(job) + env != 1:
        raise CannotDo("one of these: a PID, --dump FILE, --env, or -- and a command")
    if kill and (is_pid or not job):
        raise CannotDo("--kill goes with a command")
    if env:
        return _environment(as_json=as_json)
    if dump is not None:
        return _tell(_from_dump(dump), as_json=as_json)
    if is_pid:
        return _tell(_attached(int(job[0]), seconds, native=native), as_json=as_json)
    return _run(job, stall=stall, kill=kill, native=native, as_json=as_json)


def _from_dump(file: str) -> Job:
    from dlint.doctor import dumps
    from dlint.source.reading import SourceError, read_bytes, read_stream

    try:
        data = read_stream(sys.stdin.buffer) if file == "-" else read_bytes(Path(file), _MOST_BYTES)
        return dumps.read(data.decode("utf-8", "replace"))
    except (SourceError, dumps.NoStacks) as error:
        raise CannotDo(f"{'standard input' if file == '-' else file}: {error}") from error


def _attached(pid: int, seconds: float, *, native: bool) -> Job:
    from dlint.doctor.attach import CannotAttach, attach

    try:
        return attach(pid, seconds=seconds, native=native)
    except CannotAttach as error:
        raise CannotDo(str(error)) from error


def _tell(job: Job, *, as_json: bool, to_stderr: bool = False) -> int:
    from dlint.doctor.diagnosis import diagnose
    from dlint.doctor.report import as_data, as_text
    from dlint.trial.expected import findings_of

    diagnosis = diagnose(job, findings_of)
    if as_json:
        text = json.dumps(as_data(diagnosis), indent=2)
        if to_stderr:
            print(text, file=sys.stderr)
        else:
            say_json([text])
    elif to_stderr:
        for line in as_text(diagnosis):
            print(line, file=sys.stderr)
    else:
        say(as_text(diagnosis))
    return FINDINGS if diagnosis.hangs else CLEAN


def _environment(*, as_json: bool) -> int:
    from dlint import engine
    from dlint.cli.options import settings_for
    from dlint.doctor.machine import machine, start_method, torch_release
    from dlint.doctor.report import machine_as_data, machine_as_text

    facts = machine()
    release = torch_release()
    target = ".".join(release.split(".")[:2]) if release else None
    settings = settings_for([Path()], {"start_method": start_method(), "target_torch": target})
    report = engine.check([Path()], settings)
    here = [finding for finding in report.findings if finding.level == "error"]
    if as_json:
        say_json([json.dumps(machine_as_data(facts, here), indent=2)])
    else:
        say(machine_as_text(facts, here, len(report.findings)))
    complain_of(report.troubles)
    return FAILED if report.troubles else CLEAN


def _run(command: tuple[str, ...], *, stall: float, kill: bool, native: bool, as_json: bool) -> int:
    from dlint.doctor import watched

    def stood_still(pid: int) -> None:
        try:
            _tell(_attached(pid, 3.0, native=native), as_json=as_json, to_stderr=True)
        except CannotDo as error:
            print(f"dlint: nothing moved for {stall:g} s, and {error.message}", file=sys.stderr)

    code = watched.run(command, stall=stall, kill=kill, stood_still=stood_still)
    if code in (watched.NOT_FOUND, watched.NOT_EXECUTABLE):
        print(f"dlint: {command[0]}: cannot be run", file=sys.stderr)
    return code
