"""The step of a hosted CI: a workflow of its own for GitHub, a job in the file that GitLab reads."""

from __future__ import annotations

from collections.abc import Sequence

import yaml

from dlint.adoption import yaml_text
from dlint.adoption.refusal import CannotAdopt
from dlint.adoption.running import runs_dlint

_WORKFLOW = """\
name: dlint

on: [push, pull_request]

permissions:
  contents: read

jobs:
  dlint:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v7
        with:
          persist-credentials: false
      - uses: actions/setup-python@v7
        with:
          python-version: "3.12"
      - run: pip install torch-dlint
      - run: {command}
"""

_JOB = """\
dlint:{stage}
  image: python:3.12
  script:
    - pip install torch-dlint
    - {command}"""
# Where a job is that names no stage.
_USUAL = "test"


def workflow(options: Sequence[str] = ()) -> str:
    """A GitHub workflow that has dlint run, with options of `dlint check`."""
    return _WORKFLOW.format(command=" ".join(("dlint check", *options)))


def with_job(text: str, options: Sequence[str] = ()) -> str:
    """A .gitlab-ci.yml with the job as its last; the same text where it has dlint run. Raises CannotAdopt."""
    root = yaml_text.root(text)
    if runs_dlint(text):
        return text
    if "dlint" in yaml_text.keys_of(root):
        raise CannotAdopt("has a job 'dlint' of another kind")
    named = yaml_text.value_of(root, "stages")
    listed = named.value if isinstance(named, yaml.SequenceNode) else []
    stages = [each.value for each in listed if isinstance(each, yaml.ScalarNode)]
    stage = f"\n  stage: {_scalar(stages[0])}" if stages and _USUAL not in stages else ""
    command = " ".join(("dlint check", *options))
    lines = _JOB.format(stage=stage, command=command).split("\n")
    new = yaml_text.inserted(text, len(text), ["", *lines] if text.strip() else lines)
    if not yaml_text.says_nothing(root):
        yaml_text.check_added(text, new)
    if yaml_text.keys_of(yaml_text.root_of_new(new))[-1:] != ["dlint"]:
        raise CannotAdopt(yaml_text.BY_HAND)
    return new


def _scalar(value: object) -> str:
    """A name as YAML has it, in quotes where it needs them."""
    return str(yaml.safe_dump(value, width=10_000)).removesuffix("...\n").strip()
