#!/usr/bin/env bash
# What the GitHub action runs: the models are read once for each form of output that is asked for.
#
# Reads INPUT_* (see action.yml), writes sarif and exit-code to GITHUB_OUTPUT and a table to GITHUB_STEP_SUMMARY.
# Never fails for findings: a later step does, after the upload.
set -uo pipefail

bin=$RUNNER_TEMP/cfgexplain/bin
[ -d "$RUNNER_TEMP/cfgexplain/Scripts" ] && bin=$RUNNER_TEMP/cfgexplain/Scripts
sarif=$RUNNER_TEMP/cfgexplain.sarif
targets=$RUNNER_TEMP/cfgexplain-targets.txt
printf '%s\n' "$INPUT_TARGETS" > "$targets"
[ -n "${HF_TOKEN:-}" ] || unset HF_TOKEN

# One element for each line that is not empty.
options=()
lines() {
    while IFS= read -r line || [ -n "$line" ]; do
        line=${line%$'\r'}
        [ -z "$line" ] || options+=("${@:2}" "$line")
    done <<< "$1"
}
[ "$INPUT_RECURSIVE" != true ] || options+=(--recursive)
lines "$INPUT_EXCLUDE" --exclude
[ -z "$INPUT_FAIL_ON" ] || options+=("--fail-on=$INPUT_FAIL_ON")
[ -z "$INPUT_TENSOR_PARALLEL" ] || options+=("--tensor-parallel=$INPUT_TENSOR_PARALLEL")
[ -z "$INPUT_BASELINE" ] || options+=("--baseline=$INPUT_BASELINE")
lines "$INPUT_ARGS"

run() { "$bin/cfgexplain" check --targets-from "$targets" ${options[@]+"${options[@]}"} "$@"; }

run --format sarif --output "$sarif"
code=$?
echo "exit-code=$code" >> "$GITHUB_OUTPUT"
[ ! -f "$sarif" ] || echo "sarif=$sarif" >> "$GITHUB_OUTPUT"
[ "$code" -ne 2 ] || exit 0
[ "$INPUT_SUMMARY" != true ] || run --quiet --format markdown >> "$GITHUB_STEP_SUMMARY" 2> /dev/null
if [ "$INPUT_ANNOTATIONS" = true ]; then
    run --quiet --format github 2> /dev/null
else
    run --quiet --color never 2> /dev/null
fi
exit 0
