#!/bin/sh
# The manifest of docs/many-machines.md is one that Kubernetes takes, by the schema of its API, in which no field is left that the schema lacks.
# tier: all
# seconds: 20
. "${0%/*}/common.sh"
need python3
cd "$T"
{ python3 -m venv venv && venv/bin/pip --disable-pip-version-check install -q kubernetes-validate; } >log 2>&1 ||
  skip "kubernetes-validate cannot be installed here: $(tail -n 1 log)"
sed -n '/^    apiVersion:/,/^$/s/^    //p' "$here/../docs/many-machines.md" >job.yaml
has 'the manifest' 'completionMode: Indexed' job.yaml
sed 's/completionMode/completionMod/' job.yaml >other.yaml
venv/bin/kubernetes-validate --strict other.yaml >log 2>&1 && fail 'a field that there is not goes unnoticed'
has 'a field that there is not' completionMod log
venv/bin/kubernetes-validate --strict job.yaml >log 2>&1 || fail "$(cat log)"
