"""terminal.py OUTPUT COLUMNS [--remove FILE REGEX] COMMAND… - run COMMAND on a terminal so wide, 0 for one that does not say; what it
wrote to OUTPUT. FILE is removed once that matches REGEX."""
import fcntl, os, pty, re, struct, sys, termios

output, columns, *command = sys.argv[1:]
wanted = held = None
if command[0] == "--remove":
    held, wanted, command = command[1], re.compile(command[2].encode(), re.S), command[3:]
pid, fd = pty.fork()
if pid == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 24, int(columns), 0, 0))
    os.execvp(command[0], command)
written = b""
with open(output, "wb") as out:
    while True:
        try:
            data = os.read(fd, 65536)
        except OSError:
            break
        if not data:
            break
        out.write(data)
        written += data
        if wanted and wanted.search(written):
            os.unlink(held)
            wanted = None
status = os.waitpid(pid, 0)[1]
sys.exit(os.waitstatus_to_exitcode(status) & 255)
