"""What mypy sees of the package's types: lines that are right, and below them lines that it must refuse."""
from typing import List

import tsmobile

program = tsmobile.Program("model.tsm", threads=2, fuel=5)
state: bytes = program.save_state()
program.load_state(state)
names: List[str] = list(program.methods)
schema: str = program.forward.schema
rows: List[tsmobile.ProfileRow] = program.profile()
most: int = program.usage.high_water_bytes
runs: bool = tsmobile.report("model.pt", target="aarch64").runs
with program.clone() as other:
    other.methods["forward"].view(1)
try:
    tsmobile.export("model.pt", "model.tsm", example=(1, 2))
    tsmobile.export("net.py:Net", "net.tsm", weights={"w": 1})
except tsmobile.ModelError as e:
    last: str = e.exception

tsmobile.Program("model.tsm", speed=3)  # refused
program.save_state().reset()  # refused
tsmobile.export("model.pt")  # refused
program.profile()[0].seconds  # refused
