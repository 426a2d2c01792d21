#!/bin/sh
# The recipe of docs/many-machines.md for a pack on a web server: curl's output goes to unpack as it comes. A redirect is followed; what is
# not there, torn, too slow, another's or no pack adds nothing to the cache, and the pipe says so. Afterwards a job compiles nothing.
# tier: check
. "${0%/*}/common.sh"
need curl python3
. "${0%/*}/unit/runtime_fixture.sh"
. "${0%/*}/unit/pack_fixture.sh"
many lib 3
install lib
lib=$T/lib/libkernels.so
export CK_JIT_ARCH=gfx942
api "open:$lib" compile:k0:store compile:k1:store compile:k2:store >/dev/null
mkdir "$T/www"
prebuild pack --all -o "$T/www/kernels.ckjit" >/dev/null
head -c 500 "$T/www/kernels.ckjit" >"$T/www/short.ckjit"
echo 'Not here' | zstd -q >"$T/www/text.ckjit"
lie "$T/www/kernels.ckjit" "$T/www/other.ckjit" "index(lambda lines: [line.replace('host x86_64', 'host aarch64') for line in lines])"
cat >"$T/server.py" <<'END'
import http.server, os, sys, time
os.chdir(sys.argv[1])
class Handler(http.server.SimpleHTTPRequestHandler):
    def do_GET(self):
        if self.path == "/moved.ckjit":
            self.send_response(302)
            self.send_header("Location", "/kernels.ckjit")
            self.end_headers()
        elif self.path in ("/torn.ckjit", "/slow.ckjit"):
            data = open("kernels.ckjit", "rb").read()
            self.send_response(200)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data[:len(data) // 2])
            self.wfile.flush()
            if self.path == "/slow.ckjit":
                time.sleep(3600)
        else:
            super().do_GET()
    def log_message(self, *words): pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
with open(sys.argv[2] + ".part", "w") as port: port.write(str(server.server_port))
os.rename(sys.argv[2] + ".part", sys.argv[2])
server.serve_forever()
END
python3 "$T/server.py" "$T/www" "$T/port" &
server=$!
trap 'kill "$server" 2>/dev/null; rm -rf "$T"' EXIT
await "the server" test -e "$T/port"
export http_proxy='' no_proxy='*'
# the recipe's pipe, as it stands there
# shellcheck disable=SC2016 # for sed
recipe=$(sed -n 's/^    \(curl .*| .*ckjit-prebuild unpack .*\)/\1/p' "$top/docs/many-machines.md" | head -n 1)
[ -n "$recipe" ] || fail "no recipe in docs/many-machines.md"
recipe=$(echo "$recipe" | sed "s|/opt/mylib/ck_jit/ckjit-prebuild|'$prebuild_'|; s|--speed-time [0-9]*|--speed-time 2|")
# fetched NAME CACHE: the recipe's status
fetched() {
  URL=http://127.0.0.1:$(cat "$T/port")/$1 CACHE=$2 sh -c "$recipe" >"$T/out" 2>"$T/err"
}
fetched kernels.ckjit "$T/one" || fail "kernels.ckjit: $(cat "$T/err")"
has "added" "3 added" "$T/out"
fetched moved.ckjit "$T/one" || fail "moved.ckjit: $(cat "$T/err")"
has "again, by another name" "0 added, 3 in the cache already" "$T/out"
for bad in none torn slow short text other; do
  fetched $bad.ckjit "$T/bad" && fail "$bad: $(cat "$T/out")"
  has "$bad" "ckjit-prebuild: error: " "$T/err"
  is "$bad: entries" "" "$(find "$T/bad" -name '*.so' 2>/dev/null)"
  is "$bad: left" "" "$(find "$T/bad" -mindepth 1 -name '.tmp*' 2>/dev/null)"
done
fetched other.ckjit "$T/bad" || has "of another machine" "of another machine" "$T/err"
is "a job" 3 "$(CK_JIT_CACHE_READONLY_DIR=$T/one CK_JIT_CACHE_DIR=$T/none CK_JIT_ON_MISS=error api "open:$lib" list | grep -c ' cached ')"
