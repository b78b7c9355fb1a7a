#!/usr/bin/env python3
"""test_serial.py TSMC GATEWAY PROGRAM.py RUN... SENSOR: a worker on an emulated board (SENSOR, run by RUN...) calls
functions of one on this machine (GATEWAY) through the board's serial line."""
import os
import subprocess
import sys
import tempfile
import unittest

TSMC, GATEWAY, SOURCE = sys.argv[1:4]
SENSOR = sys.argv[4:]
del sys.argv[1:]

# 100 times the means of 3, of 2 and of 4 neighbours of 0, 1, ... 7.
MEANS = [100 * (i + 1) for i in range(6)] + [100 * i + 50 for i in range(7)] + [100 * i + 150 for i in range(5)]


class Serial(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.program, self.line = os.path.join(folder.name, "sensor.tsm"), os.path.join(folder.name, "line")
        subprocess.run([TSMC, SOURCE + ":Sensor", "-o", self.program], check=True)

    def sense(self):
        environment = dict(os.environ, TSM_QEMU_SERIAL="unix:" + self.line, TSM_QEMU_SECONDS="120")
        return subprocess.run(SENSOR + [self.program], env=environment, capture_output=True, text=True)

    def test_calls(self):
        gateway = subprocess.Popen([GATEWAY, self.program, self.line], stdout=subprocess.PIPE, text=True)
        self.assertEqual(gateway.stdout.readline(), "ready\n")
        sensed = self.sense()
        said = gateway.communicate(timeout=60)[0]
        lines = sensed.stdout.splitlines()
        self.assertEqual(sensed.returncode, 0, sensed.stdout + sensed.stderr)
        self.assertEqual([int(x) for x in lines[0].split()], MEANS)
        self.assertIn("builtins.ValueError: too few samples", sensed.stdout)
        self.assertEqual(lines[-1], "left: 0")
        self.assertEqual((gateway.returncode, said), (0, "left: 0\n"))


if __name__ == "__main__":
    unittest.main()
