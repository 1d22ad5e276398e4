"""Loopback ports that are this process's as long as it runs, also while none of its nodes listens there.

    held_ports.take(4)    # the first of four in a row: `thresher testnet init -n 4 --base-port` takes it

As net/src/links/port_blocks.hpp does it: a block of ports belongs to whoever has bound its first one, so that no program of a test
that runs beside this one is given a port of a node that is down for a moment.
"""
import pathlib
import random
import socket

FIRST, BLOCK = 10_000, 64
# From there on the kernel gives ports to outgoing connections.
END = int(pathlib.Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])

_held = []  # sockets
_mine = []  # ports


def _bound(port):
    """A socket, or none."""
    s = socket.socket()
    try:
        s.bind(("127.0.0.1", port))
    except OSError:
        s.close()
        return None
    return s


def _free(port):
    s = _bound(port)
    if s is not None:
        s.close()
    return s is not None


def take(count=1):
    """The first of so many ports in a row."""
    while True:
        while len(_mine) >= count:
            row, _mine[:] = _mine[:count], _mine[count:]
            if all(map(_free, row)):
                return row[0]
        blocks = list(range(FIRST, END - BLOCK + 1, BLOCK))
        random.shuffle(blocks)
        first, marker = next((b, s) for b in blocks if (s := _bound(b)) is not None)
        _held.append(marker)
        _mine[:] = range(first + 1, first + BLOCK)
