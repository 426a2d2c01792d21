#!/usr/bin/env python3
"""A remote storage helper as ccache's doc/remote_storage_helper_spec.md describes them, for tests: its server is the directory of its URL,
test:///DIR. The attribute `mode` says what is wrong with it: hang (it accepts and says nothing), silent (no answer to a request), old
(another version), big (a value of 2^63 bytes), error (each answer is an error), cut (half a value, then the end), drip (a value of 1 GB, of which 64 KiB come each
half second), odd (an answer that the protocol does not have), empty (no bytes). It appends a line to DIR/log
for its start and each request."""
import os
import socket
import struct
import sys
import threading
import time

endpoint, directory = os.environ['CRSH_IPC_ENDPOINT'], os.environ['CRSH_URL'][len('test://'):]
attributes = {os.environ[f'CRSH_ATTR_KEY_{i}']: os.environ[f'CRSH_ATTR_VALUE_{i}'] for i in range(int(os.environ['CRSH_NUM_ATTR']))}
mode = attributes.get('mode', '')


def log(text):
    with open(os.path.join(directory, 'log'), 'a', encoding='utf-8') as f:
        f.write(text + '\n')


def receive(c, n):
    data = b''
    while len(data) < n:
        more = c.recv(n - len(data))
        if not more:
            raise EOFError
        data += more
    return data


def get(c, path):
    if mode == 'big':
        c.sendall(b'\0' + struct.pack('=Q', 1 << 63))
    elif mode == 'drip':
        c.sendall(b'\0' + struct.pack('=Q', 1 << 30))
        while True:
            c.sendall(bytes(1 << 16))
            time.sleep(0.5)
    elif mode == 'odd':
        c.sendall(b'\7' + bytes(1000))
    elif mode == 'empty':
        c.sendall(b'\0' + struct.pack('=Q', 0))
    elif not os.path.exists(path):
        c.sendall(b'\1')
    else:
        with open(path, 'rb') as f:
            value = f.read()
        c.sendall(b'\0' + struct.pack('=Q', len(value)) + (value[:len(value) // 2] if mode == 'cut' else value))
        if mode == 'cut':
            raise EOFError


def put(c, path):
    c.recv(1)
    value = receive(c, struct.unpack('=Q', receive(c, 8))[0])
    exists = os.path.exists(path)
    if not exists:
        with open(path, 'wb') as f:
            f.write(value)
    c.sendall(b'\1' if exists else b'\0')


def serve(c):
    try:
        if mode == 'hang':
            time.sleep(1000)
        c.sendall(bytes([9 if mode == 'old' else 1, 1, 0]))
        while True:
            request = receive(c, 1)[0]
            key = receive(c, receive(c, 1)[0])
            log({0: 'get', 1: 'put'}.get(request, 'other'))
            if mode == 'silent':
                time.sleep(1000)
            elif mode == 'error':
                c.sendall(b'\2\x0fno such server!')
            else:
                {0: get, 1: put}[request](c, os.path.join(directory, key.hex()))
    except (EOFError, OSError):
        c.close()


def main():
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(endpoint)
    listener.listen(64)
    log('start')
    listener.settimeout(float(os.environ['CRSH_IDLE_TIMEOUT']))
    while True:
        try:
            c, _ = listener.accept()
        except TimeoutError:
            os.unlink(endpoint)
            sys.exit(0)
        c.settimeout(None)
        threading.Thread(target=serve, args=(c,), daemon=True).start()


main()
