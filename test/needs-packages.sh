#!/bin/sh
# Every program that a script of ours calls is in test/packages/table, and what a test of tier check calls is in the list of
# check: on a bare machine nothing is missed, and nothing is skipped because nobody named it.
# tier: check
# seconds: 39
. "${0%/*}/common.sh"
need python3 shfmt
cd "$here/.."

# scripts: those of shell, Python and make
scripts() {
  grep -lE '^(#!/bin/(ba)?sh|#!.*python3|# shellcheck shell=)' test/* test/*/* bench/* bench/helpers/* examples/* examples/*/* .ci/* 2>/dev/null
  ls test/*/*.py bench/*.py Makefile examples/*/Makefile
}

# tiers FILE…: a line FILE TIER for each; a helper has the tier of the earliest test that names it, be it through others
tiers() {
  awk '
    FNR == 1 && FILENAME ~ /^test\/[^\/]*\.sh$/ && FILENAME != "test/common.sh" { tier[FILENAME] = "all" }
    /^# tier: check$/ { tier[FILENAME] = "check" }
    { file[FILENAME] = 1
      text = $0
      while (match(text, /(unit|toolchain|dispatch|faults|fuzz|mutations|mutants|keys|soak|cuda|packages)\/[A-Za-z0-9_.-]+|common\.sh/)) {
        names[FILENAME, "test/" substr(text, RSTART, RLENGTH)] = 1
        text = substr(text, RSTART + RLENGTH)
      } }
    END {
      tier["test/run"] = tier["test/demo"] = tier["test/install-packages"] = "check"
      do {
        changed = 0
        for (edge in names) {
          split(edge, ends, SUBSEP)
          if (ends[2] in file && tier[ends[1]] != "" && tier[ends[2]] != "check" && tier[ends[2]] != tier[ends[1]]) {
            if (tier[ends[2]] == "" || tier[ends[1]] == "check") { tier[ends[2]] = tier[ends[1]]; changed = 1 }
          }
        }
      } while (changed)
      for (name in file) print name, tier[name] == "" ? (name ~ /^examples\// ? "check" : "all") : tier[name]
    }' "$@"
}

# missing FILE…: what is wrong with them
missing() {
  tiers "$@" >"$T/tiers"
  # the commands that the table knows are looked for in more places than where any word would be a command
  python3 test/packages/called.py "$(sed -n '/^debian/d; s/^[a-z,]\{1,\}  *[a-z0-9-]\{1,\} *//p' test/packages/table | tr '\n' ' ')" "$@" >"$T/called"
  awk '
    FILENAME ~ /table$/ { if ($1 !~ /^#/) for (i = 3; i <= NF; i++) list[$i] = $1; next }
    FILENAME ~ /tiers$/ { tier[$1] = $2; next }
    {
      file = $1
      sub(/:[0-9]*$/, "", file)
      if (!($2 in list)) print $1 ": no line of test/packages/table has " $2
      else if (tier[file] == "check" && list[$2] !~ /debian|build|demo|check|optional/)
        print $1 ": " $2 " is called in a test of tier check, and is not in the list of check but of " list[$2]
    }' test/packages/table "$T/tiers" "$T/called"
}

# shellcheck disable=SC2046 # our names have no blanks
found=$(missing $(scripts))
[ -z "$found" ] || fail "$found"
[ "$(wc -l <"$T/called")" -gt 1000 ] || fail "only $(wc -l <"$T/called") calls were seen"

# What is not named is found, wherever it stands.
n=0
# bad TEXT LINE…: a test with these lines, which is to be complained of with TEXT
bad() {
  n=$((n + 1))
  echo "$T/$n.sh:$1" >>"$T/expected"
  shift
  printf '%s\n' '#!/bin/sh' '# tier: check' "$@" >"$T/$n.sh"
}
bc='no line of test/packages/table has bc'
bad "3: $bc" "sum=\$(echo 1+1 | bc)"
bad "3: $bc" "x() { if true; then env A=1 timeout -k 1 5 bc; fi; }"
bad "3: $bc" "need bc"
bad "3: $bc" "find . -exec bc {} +"
bad "3: $bc" "sh -c 'cd / && bc'"
bad "3: $bc" "trap 'bc' EXIT"
bad "5: $bc" 'cat >script <<END' '#!/bin/sh' 'echo \$1 | bc' END
bad "3: $bc" "printf '#!/bin/sh\\nbc\\n' >script"
bad "3: $bc" "python3 -c 'import subprocess; subprocess.run([\"bc\", \"-l\"])'"
bad "5: $bc" "python3 - <<'END'" 'import shutil' 'shutil.which("bc")' END
bad '3: shellcheck is called in a test of tier check, and is not in the list of check but of all' 'shellcheck true'
printf '%s\n' '#!/bin/sh' '# tier: all' 'shellcheck true | bc() { true; }' >"$T/good.sh"
missing test/common.sh "$T"/*.sh | sort >"$T/found"
sort "$T/expected" | diff - "$T/found" >"$T/differ" || fail "complaints that are missing, and others: $(cat "$T/differ")"
