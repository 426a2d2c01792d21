# netfs_fixture.sh - sourced after common.sh: network file systems of the test's own (test/fleet/netfs.py), each client of which stands for
# a machine.
# shellcheck shell=sh disable=SC2154
#
#   client NAME [OPTION=VALUE…]   mounts the server's directory $T/server at $T/NAME; the options are netfs.py's
#   unmount NAME                  takes it away, also while it is in use
#   send SIGNAL TEXT              to the processes of the test whose command lines have TEXT; one may end meanwhile
#
# With NETFS_OPTIONS the clients are NFS mounts of this kernel with these options instead, of a server that runs here.
#
# The test runs in a mount namespace of its own, so that nothing stays behind, however it ends.
[ -n "${NETFS_OPTIONS-}" ] || [ -c /dev/fuse ] || skip "no /dev/fuse"
[ "$(id -u)" = 0 ] || skip "only root mounts FUSE without a program for it"
if [ -z "${NETFS_INSIDE-}" ]; then
  unshare -m true 2>/dev/null || skip "no mount namespaces"
  rm -rf "$T"
  NETFS_INSIDE=1 exec unshare -m --propagation private sh "$0"
fi
mkdir -p "$T/server"
# not a file system that uses an inode number again: netfs.py tells files apart by these
mount -t tmpfs tmpfs "$T/server" || skip "nothing can be mounted here"
send() {
  for netfs_pid in $(pgrep -f "$2"); do kill "-$1" "$netfs_pid" 2>/dev/null || true; done
}
# What runs yet would keep a mount, and whoever reads our output waits for it: also what a test has stopped.
trap 'send KILL "$T/"; for netfs_at in $(sed -n "s|^[^ ]* \($T/[^ /]*\) .*|\1|p" /proc/mounts); do umount -l "$netfs_at"; done; rm -rf "$T"' EXIT
# fsid=0 makes it the root of what NFS 4 sees of the server
[ -z "${NETFS_OPTIONS-}" ] || exportfs -o rw,no_root_squash,no_subtree_check,insecure,fsid=0 "127.0.0.1:$T/server"
case ${NETFS_OPTIONS-} in
*vers=4*) netfs_source=/ ;;
*) netfs_source=$T/server ;;
esac

client() {
  netfs_name=$1
  shift
  mkdir -p "$T/$netfs_name"
  if [ -n "${NETFS_OPTIONS-}" ]; then
    mount -t nfs -o "$NETFS_OPTIONS" "127.0.0.1:$netfs_source" "$T/$netfs_name"
    return
  fi
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
