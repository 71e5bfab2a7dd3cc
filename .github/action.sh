#!/usr/bin/env bash
# What the action of action.yml does: install dlint in an environment of its own, and check. Its inputs are INPUT_*.
set -euo pipefail

# -I: nothing that lies in the repository under test is imported.
environment=$RUNNER_TEMP/dlint
"$DLINT_PYTHON" -I -m venv "$environment"
programs=$environment/bin
[[ -d $programs ]] || programs=$environment/Scripts
package=$GITHUB_ACTION_PATH
if [[ -n $INPUT_VERSION ]]; then
    package=torch-dlint==$INPUT_VERSION
fi
"$programs/python" -I -m pip install --quiet --disable-pip-version-check "$package"

arguments=(check)
for choice in level baseline diff-base; do
    name=INPUT_$(tr 'a-z-' 'A-Z_' <<<"$choice")
    if [[ -n ${!name} ]]; then
        arguments+=("--$choice=${!name}")
    fi
done
while IFS= read -r line; do
    [[ -z $line ]] || arguments+=("$line")
done <<<"$INPUT_ARGS"
arguments+=(--)
while IFS= read -r line; do
    [[ -z $line ]] || arguments+=("$line")
done <<<"$INPUT_PATHS"

# The second of two runs has its answer from the first.
export DLINT_CACHE_DIR=$RUNNER_TEMP/dlint-cache
if [[ $INPUT_SARIF == true ]]; then
    "$programs/dlint" "${arguments[@]:0:1}" --output-format sarif --output-file "$RUNNER_TEMP/dlint.sarif" \
        "${arguments[@]:1}" >"$RUNNER_TEMP/dlint.txt" || true # the run below says the same, and ends alike
fi
exec "$programs/dlint" "${arguments[@]}"
