#!/usr/bin/env python3
"""A network file system for tests: netfs.py BACKING MOUNTPOINT [OPTION=VALUE…]

One process is one client ("node"). BACKING is the server's directory, which several clients share. A client behaves as one of NFS does: it
finds files by handle (ESTALE once another client removed or replaced one, also for reads through a mapping), caches names, missing names
and attributes, and shares no locks with the others. It speaks the kernel's FUSE protocol itself (/dev/fuse), so that no library is needed.

    entry=S negative=S attr=S   seconds for which names, missing names and attributes are cached
    flock=local|refused         flock(2) works within this client, or fails with EOPNOTSUPP
    exclusive=same|other        exclusive creation excludes nobody: look-ups do not find what it made for a second, and who creates the
                                file again opens the same one, or puts another in its place
    delay=MS                    of each request
    rules=FILE                  lines `OP GLOB ACTION`, read again when the file changes. OP is an operation's name in small letters or *,
                                GLOB is matched with the file's path below BACKING. ACTION: an errno's name, `delay=MS`, `hang`
                                (until the rule goes), `short` (a read returns half). `OP GLOB ERRNO N`: only the first N times.
    count=FILE                  writes `OP N` for each operation, when it ends

It ends when it is unmounted. Exit status 1: it could not mount."""
import collections
import ctypes
import errno
import fnmatch
import os
import struct
import sys
import threading
import time

NAMES = {1: 'lookup', 2: 'forget', 3: 'getattr', 4: 'setattr', 5: 'readlink', 6: 'symlink', 8: 'mknod', 9: 'mkdir', 10: 'unlink',
         11: 'rmdir', 12: 'rename', 13: 'link', 14: 'open', 15: 'read', 16: 'write', 17: 'statfs', 18: 'release', 20: 'fsync',
         22: 'getxattr', 25: 'flush', 26: 'init', 27: 'opendir', 28: 'readdir', 29: 'releasedir', 30: 'fsyncdir', 32: 'setlk',
         33: 'setlkw', 34: 'access', 35: 'create', 36: 'interrupt', 38: 'destroy', 42: 'batch_forget', 45: 'rename2'}
FLOCK_LOCKS, BIG_WRITES = 1 << 10, 1 << 5

BORN = 'trusted.born'  # when a file was created


def is_new(path):
    try:
        return time.time() - float(os.getxattr(path, BORN)) < 1
    except OSError:
        return False


class Client:
    def __init__(self, backing, options):
        self.backing = backing
        self.entry, self.negative, self.attr = (float(options.get(k, 0)) for k in ('entry', 'negative', 'attr'))
        self.flock = options.get('flock', 'local')
        self.exclusive = options.get('exclusive')
        self.delay = float(options.get('delay', 0)) / 1000
        self.rules_file, self.rules, self.rules_stamp = options.get('rules'), [], None
        self.nodes, self.ids, self.next, self.lock = {1: (backing, os.lstat(backing).st_ino)}, {}, 2, threading.RLock()
        self.dirs, self.next_dir, self.own_removed, self.opened, self.count = {}, 1, set(), {}, collections.Counter()

    # ---- names and handles ----

    def path(self, node):
        path, ino = self.nodes[node]
        try:
            if os.lstat(path).st_ino == ino:
                return path
        except FileNotFoundError:
            pass
        if ino in self.own_removed and ino in self.opened:  # NFS renames such a file, until it is closed
            return f'/proc/self/fd/{self.opened[ino]}'
        raise OSError(errno.ESTALE, '')

    def stat(self, node):
        path = self.path(node)
        return os.stat(path) if path.startswith('/proc/self/fd/') else os.lstat(path)

    def child(self, node, name):
        return os.path.join(self.path(node), os.fsdecode(name))

    def attributes(self, st):
        def parts(ns):
            return divmod(ns, 1000000000)
        (a, an), (m, mn), (c, cn) = parts(st.st_atime_ns), parts(st.st_mtime_ns), parts(st.st_ctime_ns)
        return struct.pack('<6Q10I', st.st_ino, st.st_size, st.st_blocks, a, m, c, an, mn, cn, st.st_mode, st.st_nlink, st.st_uid,
                           st.st_gid, 0, 65536, 0)

    def valid(self, seconds):
        return int(seconds), int(seconds % 1 * 1e9)

    def found(self, path):
        st = os.lstat(path)
        with self.lock:
            node = self.ids.get((path, st.st_ino))
            if node is None:
                node, self.next = self.next, self.next + 1
                self.ids[path, st.st_ino] = node
                self.nodes[node] = (path, st.st_ino)
        (e, en), (a, an) = self.valid(self.entry), self.valid(self.attr)
        return struct.pack('<4Q2I', node, 0, e, a, en, an) + self.attributes(st)

    def attr_out(self, st):
        a, an = self.valid(self.attr)
        return struct.pack('<QII', a, an, 0) + self.attributes(st)

    # ---- operations ----

    def lookup(self, node, body):
        try:
            path = self.child(node, body[:-1])
            if self.exclusive and is_new(path):
                raise FileNotFoundError(errno.ENOENT, '')
            return self.found(path)
        except FileNotFoundError:
            e, en = self.valid(self.negative)
            if not self.negative:
                raise
            return struct.pack('<4Q2I', 0, 0, e, 0, en, 0) + bytes(88)

    def getattr(self, node, body):
        flags, _, fh = struct.unpack_from('<IIQ', body)
        return self.attr_out(os.fstat(fh) if flags & 1 else self.stat(node))

    def setattr(self, node, body):
        valid, _, fh, size, _, atime, mtime, _, an, mn, _, mode, _, uid, gid, _ = struct.unpack('<IIQQQQQQIIIIIIII', body)
        target = fh if valid & 64 else self.path(node)
        if valid & 1:
            os.chmod(target, mode & 0o7777)
        if valid & 6:
            os.chown(target, uid if valid & 2 else -1, gid if valid & 4 else -1)
        if valid & 8:
            os.truncate(target, size)
        if valid & 0x1b0:
            st, now = os.stat(target), time.time_ns()
            times = [now if valid & 128 else atime * 10**9 + an if valid & 16 else st.st_atime_ns,
                     now if valid & 256 else mtime * 10**9 + mn if valid & 32 else st.st_mtime_ns]
            os.utime(target, ns=tuple(times))
        return self.attr_out(os.stat(target))

    def readlink(self, node, _):
        return os.fsencode(os.readlink(self.path(node)))

    def symlink(self, node, body):
        name, target = body[:-1].split(b'\0')
        path = self.child(node, name)
        os.symlink(os.fsdecode(target), path)
        return self.found(path)

    def mknod(self, node, body):
        mode = struct.unpack_from('<I', body)[0]
        path = self.child(node, body[16:-1])
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, mode & 0o7777))
        return self.found(path)

    def mkdir(self, node, body):
        mode, umask = struct.unpack_from('<II', body)
        path = self.child(node, body[8:-1])
        os.mkdir(path)
        os.chmod(path, mode & 0o7777)
        return self.found(path)

    def unlink(self, node, body):
        path = self.child(node, body[:-1])
        self.own_removed.add(os.lstat(path).st_ino)
        os.unlink(path)
        return b''

    def rmdir(self, node, body):
        os.rmdir(self.child(node, body[:-1]))
        return b''

    def move(self, node, new, flags, names):
        old, name = names[:-1].split(b'\0')
        source, target = self.child(node, old), self.child(new, name)
        if flags:
            raise OSError(errno.EINVAL, '')  # as NFS
        ino = os.lstat(source).st_ino
        os.rename(source, target)
        with self.lock:
            for n, (path, i) in list(self.nodes.items()):
                if i == ino or path.startswith(source + '/'):
                    moved = target + path[len(source):] if path.startswith(source) else path
                    self.nodes[n] = (moved, i)
                    self.ids[moved, i] = n
        return b''

    def rename(self, node, body):
        return self.move(node, struct.unpack_from('<Q', body)[0], 0, body[8:])

    def rename2(self, node, body):
        new, flags, _ = struct.unpack_from('<QII', body)
        return self.move(node, new, flags, body[16:])

    def link(self, node, body):
        old = self.path(struct.unpack_from('<Q', body)[0])
        path = self.child(node, body[8:-1])
        os.link(old, path)
        return self.found(path)

    def open(self, node, body):
        flags = struct.unpack_from('<I', body)[0]
        fh = os.open(self.path(node), flags & (os.O_ACCMODE | os.O_TRUNC))
        self.opened[os.fstat(fh).st_ino] = fh
        return struct.pack('<QII', fh, 0, 0)

    def create(self, node, body):
        flags, mode = struct.unpack_from('<II', body)
        path = self.child(node, body[16:-1])
        made = self.exclusive and flags & os.O_EXCL and not os.path.lexists(path)
        if self.exclusive and flags & os.O_EXCL:
            flags &= ~os.O_EXCL
            if self.exclusive == 'other' and not made:
                os.unlink(path)
                made = True
        fh = os.open(path, flags & (os.O_ACCMODE | os.O_TRUNC | os.O_EXCL) | os.O_CREAT, mode & 0o7777)
        os.fchmod(fh, mode & 0o7777)
        if made:
            os.setxattr(fh, BORN, str(time.time()).encode())
        self.opened[os.fstat(fh).st_ino] = fh
        return self.found(path) + struct.pack('<QII', fh, 0, 0)

    def read(self, node, body):
        fh, offset, size = struct.unpack_from('<QQI', body)
        st = os.fstat(fh)
        if st.st_nlink == 0 and st.st_ino not in self.own_removed:
            raise OSError(errno.ESTALE, '')
        return os.pread(fh, size, offset)

    def write(self, node, body):
        fh, offset, size = struct.unpack_from('<QQI', body)
        st = os.fstat(fh)
        if st.st_nlink == 0 and st.st_ino not in self.own_removed:
            raise OSError(errno.ESTALE, '')
        return struct.pack('<II', os.pwrite(fh, body[40:40 + size], offset), 0)

    def statfs(self, node, _):
        s = os.statvfs(self.backing)
        return struct.pack('<5Q4I6I', s.f_blocks, s.f_bfree, s.f_bavail, s.f_files, s.f_ffree, s.f_bsize, 255, s.f_frsize, 0, *[0] * 6)

    def release(self, node, body):
        fh = struct.unpack_from('<Q', body)[0]
        if self.opened.get(os.fstat(fh).st_ino) == fh:
            del self.opened[os.fstat(fh).st_ino]
        os.close(fh)
        return b''

    def fsync(self, node, body):
        os.fsync(struct.unpack_from('<Q', body)[0])
        return b''

    def nothing(self, node, body):
        return b''

    flush = fsyncdir = access = nothing

    def opendir(self, node, _):
        path = self.path(node)
        names = [(os.lstat(path).st_ino, b'.', 4), (1, b'..', 4)]
        with os.scandir(path) as entries:
            names += [(e.inode(), os.fsencode(e.name), 4 if e.is_dir(follow_symlinks=False) else 8) for e in entries]
        with self.lock:
            fh, self.next_dir = self.next_dir, self.next_dir + 1
            self.dirs[fh] = names
        return struct.pack('<QII', fh, 0, 0)

    def readdir(self, node, body):
        fh, offset, size = struct.unpack_from('<QQI', body)
        out = b''
        for i, (ino, name, kind) in enumerate(self.dirs[fh][offset:], offset + 1):
            entry = struct.pack('<QQII', ino, i, len(name), kind) + name
            entry += bytes(-len(entry) % 8)
            if len(out) + len(entry) > size:
                break
            out += entry
        return out

    def releasedir(self, node, body):
        del self.dirs[struct.unpack_from('<Q', body)[0]]
        return b''

    def setlk(self, node, body):
        raise OSError(errno.EOPNOTSUPP, '')

    setlkw = setlk

    def init(self, node, body):
        major, minor, ahead, flags = struct.unpack_from('<4I', body)
        flags = BIG_WRITES | (FLOCK_LOCKS if self.flock == 'refused' else 0)
        return struct.pack('<IIIIHHIIHHI7I', 7, min(minor, 31), ahead, flags, 64, 48, 1 << 17, 1, 0, 0, 0, *[0] * 7)

    # ---- rules ----

    def rules_now(self):
        try:
            st = os.stat(self.rules_file)
            stamp = (st.st_mtime_ns, st.st_ino, st.st_size)
            if stamp != self.rules_stamp:
                with open(self.rules_file, encoding='utf-8') as f:
                    self.rules = [line.split() for line in f if len(line.split()) >= 3]
                self.rules_stamp = stamp
        except (OSError, TypeError):
            self.rules = []
        return self.rules

    def rule(self, op, node, body):
        if not self.rules_file or node not in self.nodes:
            return None
        path = self.nodes[node][0]
        skip = {'lookup': 0, 'unlink': 0, 'rmdir': 0, 'create': 16, 'mkdir': 8, 'mknod': 16, 'link': 8, 'rename': 8, 'rename2': 16}.get(op)
        if skip is not None:
            path = os.path.join(path, os.fsdecode(body[skip:].split(b'\0')[0]))
        path = os.path.relpath(path, self.backing)
        for words in self.rules_now():
            if words[0] in ('*', op) and fnmatch.fnmatch(path, words[1]):
                if len(words) > 3:
                    if int(words[3]) <= 0:
                        continue
                    words[3] = str(int(words[3]) - 1)
                return words[2]
        return None

    def answer(self, op, node, body):
        action = self.rule(op, node, body)
        pause = self.delay + (float(action[6:]) / 1000 if action and action.startswith('delay=') else 0)
        if pause:
            time.sleep(pause)
        while action == 'hang':
            time.sleep(0.05)
            action = self.rule(op, node, body)
        if action and action.startswith('E'):
            raise OSError(getattr(errno, action), '')
        result = getattr(self, op)(node, body)
        return result[:len(result) // 2] if action == 'short' else result


def serve(client, fuse):
    def one(op, unique, node, body):
        error, out = 0, b''
        try:
            out = client.answer(op, node, body)
        except OSError as e:
            error = -(e.errno or errno.EIO)
        except KeyError:
            error = -errno.ESTALE
        try:
            os.write(fuse, struct.pack('<IiQ', 16 + len(out), error, unique) + out)
        except FileNotFoundError:
            pass  # it was interrupted

    while True:
        try:
            request = os.read(fuse, (1 << 17) + 4096)
        except OSError as e:
            if e.errno in (errno.ENOENT, errno.EINTR, errno.EAGAIN):
                continue
            return
        _, opcode, unique, node = struct.unpack_from('<IIQQ', request)
        op, body = NAMES.get(opcode), request[40:]
        client.count[op or str(opcode)] += 1
        if op in ('forget', 'batch_forget', 'interrupt'):
            continue
        if op == 'destroy':
            return
        if op is None or op == 'getxattr':
            os.write(fuse, struct.pack('<IiQ', 16, -errno.ENOSYS, unique))
        elif client.delay or client.rules_file:
            threading.Thread(target=one, args=(op, unique, node, body), daemon=True).start()
        else:
            one(op, unique, node, body)


def main():
    backing, mountpoint = (os.path.realpath(p) for p in sys.argv[1:3])
    options = dict(word.split('=', 1) for word in sys.argv[3:])
    fuse = os.open('/dev/fuse', os.O_RDWR | os.O_CLOEXEC)
    libc = ctypes.CDLL(None, use_errno=True)
    data = f'fd={fuse},rootmode=40000,user_id={os.getuid()},group_id={os.getgid()},default_permissions,allow_other'
    if libc.mount(b'netfs', os.fsencode(mountpoint), b'fuse', ctypes.c_ulong(6), data.encode()):
        sys.exit(f'netfs: {mountpoint}: {os.strerror(ctypes.get_errno())}')
    os.umask(0)
    client = Client(backing, options)
    serve(client, fuse)
    if 'count' in options:
        with open(options['count'], 'w', encoding='utf-8') as f:
            f.writelines(f'{op} {n}\n' for op, n in sorted(client.count.items()))


if __name__ == '__main__':
    main()
