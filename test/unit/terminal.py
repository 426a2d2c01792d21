"""terminal.py OUTPUT COLUMNS COMMAND… - run COMMAND on a terminal so wide, 0 for one that does not say; what it wrote to OUTPUT."""
import fcntl, os, pty, struct, sys, termios

pid, fd = pty.fork()
if pid == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 24, int(sys.argv[2]), 0, 0))
    os.execvp(sys.argv[3], sys.argv[3:])
with open(sys.argv[1], "wb") as out:
    while True:
        try:
            data = os.read(fd, 65536)
        except OSError:
            break
        if not data:
            break
        out.write(data)
status = os.waitpid(pid, 0)[1]
sys.exit(os.waitstatus_to_exitcode(status) & 255)
