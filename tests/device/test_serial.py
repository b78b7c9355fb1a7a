#!/usr/bin/env python3
"""test_serial.py TSMC GATEWAY PROGRAM.py RUN... SENSOR: a worker on an emulated board (SENSOR, run by RUN...) calls
functions of one on this machine (GATEWAY) through the board's serial line, which may be a bad one."""
import os
import socket
import subprocess
import sys
import tempfile
import threading
import unittest

TSMC, GATEWAY, SOURCE = sys.argv[1:4]
SENSOR = sys.argv[4:]
del sys.argv[1:]

# 100 times the means of 3, of 2 and of 4 neighbours of 0, 1, ... 7.
MEANS = [100 * (i + 1) for i in range(6)] + [100 * i + 50 for i in range(7)] + [100 * i + 150 for i in range(5)]


class Line:
    """Passes on what the board and the gateway send each other, as change(bytes, how many came before) makes it; the
    board's end is a socket of this name."""

    def __init__(self, board, gateway, to_gateway, to_board):
        self.listening = socket.socket(socket.AF_UNIX)
        self.listening.bind(board)
        self.listening.listen(1)
        self.ends = gateway, to_gateway, to_board
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        gateway, to_gateway, to_board = self.ends
        board = self.listening.accept()[0]
        far = socket.socket(socket.AF_UNIX)
        far.connect(gateway)
        other_way = threading.Thread(target=self.copy, args=(far, board, to_board), daemon=True)
        other_way.start()
        self.copy(board, far, to_gateway)
        other_way.join(10)
        for s in (board, far, self.listening):
            s.close()

    @staticmethod
    def copy(source, to, change):
        done = 0
        try:
            while True:
                data = source.recv(4096)
                if not data:
                    break
                to.sendall(change(data, done))
                done += len(data)
            to.shutdown(socket.SHUT_RDWR)
        except OSError:  # the other side has gone
            pass


def unchanged(data, done):
    return data


class Serial(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.program = os.path.join(folder.name, "sensor.tsm")
        subprocess.run([TSMC, SOURCE + ":Sensor", "-o", self.program], check=True)

    def sense(self, to_gateway=unchanged, to_board=unchanged):
        """What the sensor prints; the gateway has let go of all that it held for it."""
        board, far = os.path.join(self.folder, "board"), os.path.join(self.folder, "gateway")
        gateway = subprocess.Popen([GATEWAY, self.program, far], stdout=subprocess.PIPE, text=True)
        self.addCleanup(gateway.kill)
        self.assertEqual(gateway.stdout.readline(), "ready\n")
        line = Line(board, far, to_gateway, to_board)
        environment = dict(os.environ, TSM_QEMU_SERIAL="unix:" + board, TSM_QEMU_SECONDS="120")
        sensed = subprocess.run(SENSOR + [self.program], env=environment, capture_output=True, text=True)
        self.assertEqual(sensed.returncode, 0, sensed.stdout + sensed.stderr)
        line.thread.join(20)
        self.assertEqual(gateway.communicate(timeout=60)[0], "left: 0\n")
        self.assertEqual(gateway.returncode, 0)
        return sensed.stdout

    def check(self, said):
        lines = said.splitlines()
        self.assertEqual([int(x) for x in lines[0].split()], MEANS)
        self.assertIn("builtins.ValueError: too few samples", said)
        self.assertEqual(lines[-1], "left: 0")

    def test_calls(self):
        self.check(self.sense())

    def test_noise(self):
        """What comes before the first message is passed over."""
        self.check(self.sense(lambda data, done: data if done else b"\0login: \xff\r\n" + data,
                              lambda data, done: data if done else b"\x7f\x5a noise" + data))

    def test_damage(self):
        """A bit of the first call's arguments changes: the board hears of it, and the next call is right."""
        where = 100

        def damage(data, done):
            at = where - done
            return data[:at] + bytes([data[at] ^ 4]) + data[at + 1:] if 0 <= at < len(data) else data

        said = self.sense(damage)
        self.assertIn("a message from sensor is refused: it is damaged", said)
        self.assertIn("builtins.ValueError: too few samples", said)

    def test_silence(self):
        """Nothing of what the gateway says arrives: calls end by their time."""
        said = self.sense(to_board=lambda data, done: b"")
        self.assertEqual(said.count("RPC ran for more than set timeout (10000 ms)"), 2)


if __name__ == "__main__":
    unittest.main()
