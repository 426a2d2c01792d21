# netfs_fixture.sh - sourced after common.sh: network file systems of the test's own (test/fleet/netfs.py), each client of which stands for
# a machine.
# shellcheck shell=sh disable=SC2154
#
#   client NAME [OPTION=VALUE…]   mounts the server's directory $T/server at $T/NAME; the options are netfs.py's
#   unmount NAME                  takes it away, also while it is in use
#
# The test runs in a mount namespace of its own, so that nothing stays behind, however it ends.
[ -c /dev/fuse ] || skip "no /dev/fuse"
[ "$(id -u)" = 0 ] || skip "only root mounts FUSE without a program for it"
if [ -z "${NETFS_INSIDE-}" ]; then
  unshare -m true 2>/dev/null || skip "no mount namespaces"
  rm -rf "$T"
  NETFS_INSIDE=1 exec unshare -m --propagation private sh "$0"
fi
mkdir -p "$T/server"
# not a file system that uses an inode number again: netfs.py tells files apart by these
mount -t tmpfs tmpfs "$T/server" || skip "nothing can be mounted here"
trap 'for netfs_at in $(sed -n "s|^netfs \($T/[^ ]*\) .*|\1|p" /proc/mounts); do umount -l "$netfs_at"; done; umount -l "$T/server"; rm -rf "$T"' EXIT

client() {
  netfs_name=$1
  shift
  mkdir -p "$T/$netfs_name"
  python3 "$here/fleet/netfs.py" "$T/server" "$T/$netfs_name" "$@" 2>"$T/$netfs_name.err" &
  await "the mount $netfs_name" mounted "$netfs_name"
}

mounted() {
  grep -q " $T/$1 fuse " /proc/mounts || {
    [ ! -s "$T/$1.err" ] || skip "$(cat "$T/$1.err")"
    false
  }
}

unmount() {
  umount -l "$T/$1" || true
}
