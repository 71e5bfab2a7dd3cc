"""``dlint prove``: run the proofs on this machine."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, cast

import click

from dlint.cli import FINDINGS
from dlint.cli.completing import codes
from dlint.cli.options import CannotDo
from dlint.cli.output import complain, say, say_json

if TYPE_CHECKING:
    from rich.console import Console

    from dlint.proofs.environment import Environment
    from dlint.proofs.judge import Verdict
    from dlint.proofs.proof import Fixture, Proof, StartMethod


@click.command(name="prove")
@click.argument("rules", nargs=-1, metavar="[RULE]...", shell_complete=codes)
@click.option(
    "--output-format",
    type=click.Choice(["text", "json", "markdown"]),
    default="text",
    show_default=True,
    help="How to print the verdicts.",
)
@click.option(
    "--start-method",
    type=click.Choice(["fork", "forkserver", "spawn"]),
    help="Only the claims about this start method of multiprocessing.",
)
@click.option(
    "--keep",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Leave the programs, what they printed and every stack in DIR.",
)
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    default=min(8, 2 * (os.cpu_count() or 1)),
    show_default=True,
    help="Programs that run at the same time; a hung one uses no CPU.",
)
def prove(
    rules: tuple[str, ...], output_format: str, start_method: str | None, keep: Path | None, jobs: int
) -> None:
    """Show on this machine that the mistakes hurt, and that the remedies help.

    Runs a small training program for every claim of every rule (or of each RULE: a code, the beginning
    of one, or a name) under a watchdog, and the same program after the remedy. Exits with 0 when every
    claim was shown or could not be shown here, with 1 when one was contradicted, with 2 when it could not
    run.
    """
    from rich.console import Console

    from dlint.proofs import environment as environments
    from dlint.proofs import proof as proofs
    from dlint.proofs import table
    from dlint.proofs.prove import claims

    errors = Console(stderr=True)
    try:
        fixtures = _chosen(rules)
    except (FileNotFoundError, proofs.ProofError) as error:
        _fail(str(error))
    if not sys.platform.startswith("linux"):
        _fail(f"the proofs run on Linux; this is {sys.platform}")
    with errors.status("Looking at this environment"):
        environment = environments.look()
    if environment.torch is None or environment.numpy is None:
        missing = [
            name
            for name, version in (("torch", environment.torch), ("NumPy", environment.numpy))
            if version is None
        ]
        told = f" ({environment.torch_error})" if environment.torch_error else ""
        _fail(
            f"the proofs need {' and '.join(missing)} in the environment of {sys.executable}{told}; "
            'install with: pip install "torch-dlint[prove]"'
        )
    method = cast("StartMethod | None", start_method)
    wanted = claims([each for fixture in fixtures for each in fixture.proofs], method)
    verdicts = _run(errors, environment, wanted, keep, jobs)
    unproved = [fixture for fixture in fixtures if fixture.no_proof]
    if output_format == "json":
        say_json([table.as_json(verdicts, unproved, environment)])
    elif output_format == "markdown":
        from dlint.proofs.levels import levels

        say([table.as_markdown(verdicts, unproved, environment, levels(fixtures))])
    else:
        console = Console()
        console.print(table.versions(environment), highlight=False)
        console.print(table.terminal(verdicts, unproved))
        console.print(f"{table.counts(verdicts)}.", highlight=False)
    if keep is not None:
        complain(f"programs, output and stacks are in {keep}")
    if any(verdict.status == "contradicted" for verdict in verdicts):
        sys.exit(FINDINGS)


def _fail(message: str) -> NoReturn:
    raise CannotDo(f"prove: {message}")


def _chosen(rules: Sequence[str]) -> list[Fixture]:
    from dlint.proofs import programs, proof

    fixtures = [proof.read(folder) for folder in programs.folders()]
    if not rules:
        return fixtures
    chosen = []
    for rule in rules:
        found = [each for each in fixtures if each.code.startswith(rule.upper()) or each.rule == rule.lower()]
        if not found:
            raise click.UsageError(f"no rule {rule!r} has a proof; `dlint rules` lists them")
        chosen += [each for each in found if each not in chosen]
    return chosen


def _run(
    errors: Console,
    environment: Environment,
    wanted: Sequence[tuple[Proof, StartMethod]],
    keep: Path | None,
    jobs: int,
) -> list[Verdict]:
    """Run all claims behind a progress display; the verdicts in the order of the claims."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    from dlint.proofs.judge import Verdict, plan
    from dlint.proofs.keep import keep as keep_programs
    from dlint.proofs.prove import prove as prove_claims
    from dlint.proofs.run import Run
    from dlint.running.runner import Runner

    total = sum(len(plan(*claim)) for claim in wanted if environment.lacks(claim[0].needs, claim[1]) is None)
    verdicts: dict[tuple[str, str, str], Verdict] = {}
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("programs"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=errors, transient=True) as progress, Runner[Run](jobs) as runner:
        task = progress.add_task("Proving", total=total)
        for each in prove_claims(runner, environment, wanted):
            if isinstance(each, Verdict):
                verdicts[each.proof.code, each.proof.name, each.method] = each
            else:
                run, result = each
                progress.update(task, advance=1, description=f"{run.proof.code} {run.program}")
                if keep is not None:
                    keep_programs(keep, run, result)
    return [verdicts[proof.code, proof.name, method] for proof, method in wanted]
