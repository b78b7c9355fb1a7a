"""State dicts of random numbers, as torch.save writes them, without PyTorch: for module classes that tests export."""
import collections
import pickle
import random
import struct
import sys
import types
import zipfile


class Storage:
    def __init__(self, values):
        self.values = values


class Tensor:
    def __init__(self, sizes, values):
        self.sizes, self.storage = tuple(sizes), Storage(values)


def pickled_names():
    """Modules and names that torch.save writes into a pickle."""
    torch, utils = types.ModuleType("torch"), types.ModuleType("torch._utils")
    torch.FloatStorage = type("FloatStorage", (), {"__module__": "torch"})

    def rebuild():
        pass
    rebuild.__module__, rebuild.__qualname__, rebuild.__name__ = "torch._utils", "_rebuild_tensor_v2", "_rebuild_tensor_v2"
    utils._rebuild_tensor_v2 = rebuild
    sys.modules["torch"], sys.modules["torch._utils"] = torch, utils
    return torch.FloatStorage, rebuild


FLOAT_STORAGE, REBUILD = pickled_names()


class Saver(pickle.Pickler):
    """Pickles a dict of tensors as torch.save does, and notes the storages."""
    def __init__(self, file):
        super().__init__(file, 2)
        self.storages = []

    def persistent_id(self, o):
        if not isinstance(o, Storage):
            return None
        self.storages.append(o)
        return ("storage", FLOAT_STORAGE, str(len(self.storages) - 1), "cpu", len(o.values))

    def reducer_override(self, o):
        if not isinstance(o, Tensor):
            return NotImplemented
        strides, step = [], 1
        for n in reversed(o.sizes):
            strides.insert(0, step)
            step *= n
        return REBUILD, (o.storage, 0, o.sizes, tuple(strides), False, collections.OrderedDict())


def save_state(path, sizes):
    """A state dict of random numbers; returns its bytes."""
    r = random.Random(1)
    tensors = collections.OrderedDict()
    for name, shape in sizes.items():
        count = 1
        for n in shape:
            count *= n
        tensors[name] = Tensor(shape, [r.uniform(-0.2, 0.2) for _ in range(count)])
    with zipfile.ZipFile(path, "w") as z:
        with z.open("state/data.pkl", "w") as f:
            saver = Saver(f)
            saver.dump(tensors)
        for i, s in enumerate(saver.storages):
            z.writestr("state/data/%d" % i, struct.pack("<%df" % len(s.values), *s.values))
        z.writestr("state/version", "3\n")
    return sum(4 * len(s.values) for s in saver.storages)
