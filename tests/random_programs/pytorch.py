"""What PyTorch 1.13.1 answers to the calls of a program."""
import json
import lzma
import multiprocessing
import os
import re
import signal
import sys
import tempfile
import types
import warnings

import harness

sys.path.insert(0, os.path.join(harness.HERE, "..", "programs"))
SECONDS, CHUNK = 30, 50


def from_json(v):
    import torch
    if isinstance(v, list):
        return [from_json(i) for i in v]
    if not isinstance(v, dict):
        return v
    (kind, value), = v.items()
    if kind == "tensor":
        return torch.tensor(value["data"], dtype=getattr(torch, value["dtype"])).reshape(value["shape"])
    if kind == "float":
        return value
    if kind == "tuple":
        return tuple(from_json(i) for i in value)
    if kind == "dict":
        return {k: from_json(i) for k, i in value}
    raise ValueError(kind)


def argument(v, before, results):
    if isinstance(v, dict) and "argument" in v:
        return before[v["argument"]]
    if isinstance(v, dict) and "result" in v:
        value = results[v["result"][0]]
        for i in v["result"][1:]:
            value = value[i]
        return value
    return from_json(v)


def load(generator, text, folder, number):
    import torch
    name = "%s_%d" % (generator.__name__, number)
    path = os.path.join(folder, name + ".py")
    with open(path, "w") as f:
        f.write(text)
    module = sys.modules[name] = types.ModuleType(name)
    module.__file__ = path
    exec(compile(text, path, "exec"), module.__dict__)
    entry = getattr(module, generator.ENTRY)
    net = entry() if isinstance(entry, type) else entry
    return net if getattr(generator, "IS_EAGER", False) else torch.jit.script(net)


def shortened(v, digits):
    """A plain value with fewer digits, which are half of what answers take."""
    if isinstance(v, float):
        return float("%.*g" % (digits, v))
    if isinstance(v, dict):
        return {k: shortened(i, digits) for k, i in v.items()}
    return [shortened(i, digits) for i in v] if isinstance(v, list) else v


def answer(generator, program, folder, number):
    from record import plain
    text, calls = program
    net, results, shown = load(generator, text, folder, number), [], []
    for call in calls:
        call = call if isinstance(call, dict) else {"inputs": call}
        values = []
        for v in call["inputs"]:
            values.append(argument(v, values, results))
        method = call.get("method", "forward")
        try:
            results.append((getattr(net, method) if hasattr(net, method) else net)(*values))
        except Exception as e:
            if not (isinstance(call, dict) and call.get("may_raise")):
                return {"raises": harness.exception_class(str(e))}
            results.append(None)
            if re.search("not implemented for|one of the following scalar types|unsupported scalar type", str(e)):
                shown.append(harness.UNKNOWN)
                continue
            shown.append({"raised": harness.exception_class(str(e))})
            continue
        shown.append(shortened(plain(results[-1]), getattr(generator, "DIGITS", 17)))
    return shown


def answer_to(path, generator, seed, n):
    """Answers a program in this process."""
    import torch
    torch.set_num_threads(1)
    torch._C._set_graph_executor_optimize(False)  # optimized, operators that change running statistics may be removed
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder:
        signal.alarm(SECONDS)
        try:
            made = answer(generator, generator.program(seed, n), folder, n)
        except Exception as e:
            print("program %d of seed %d does not compile: %s" % (n, seed, e), flush=True)
            made = None
        with open(path, "w") as out:
            json.dump(made, out)


def answer_some(job):
    """Answers some programs, each in a child process: what one writes outside of its memory, and whether it leaves
    gradients on, is nothing to the next. A program that ends its child gets the answer None."""
    import torch  # noqa: F401, once for all children
    name, seed, numbers = job
    generator, made = __import__(name), {}
    with tempfile.TemporaryDirectory() as folder:
        for n in numbers:
            path = os.path.join(folder, str(n))
            child = os.fork()
            if child == 0:
                answer_to(path, generator, seed, n)
                os._exit(0)
            os.waitpid(child, 0)
            if not os.path.exists(path) or os.path.getsize(path) == 0:
                print("PyTorch does not survive program %d of seed %d" % (n, seed), flush=True)
                made[n] = None
                continue
            with open(path) as f:
                made[n] = json.load(f)
    return made


def write_answers(path, seed, answers):
    with lzma.open(path + ".new", "wt", preset=9) as f:
        lines = (json.dumps(a, separators=(",", ":")) for a in answers)
        f.write('{"seed": %d, "answers": [\n%s\n]}\n' % (seed, ",\n".join(lines)))
    os.replace(path + ".new", path)


def record(generator, arguments):
    """Goes on behind the programs that are recorded already, and keeps what it has from time to time."""
    answers, path = [], arguments.answers or harness.answers_path(generator)
    if os.path.exists(path):
        recorded = harness.read_answers(path)
        answers = recorded["answers"] if recorded["seed"] == arguments.seed else []
    numbers = range(len(answers), arguments.count)
    jobs = [(generator.__name__, arguments.seed, numbers[i:i + CHUNK]) for i in range(0, len(numbers), CHUNK)]
    with multiprocessing.Pool(arguments.processes) as pool:
        for (_, _, some), made in zip(jobs, pool.imap(answer_some, jobs)):
            answers += [made[n] for n in some]
            if len(answers) % (5 * CHUNK) == 0:
                write_answers(path, arguments.seed, answers)
    write_answers(path, arguments.seed, answers)
    return 0
