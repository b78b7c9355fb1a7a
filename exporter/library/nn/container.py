# Modules that hold others. Their code runs at compile time; only forward is compiled.
from collections import OrderedDict
from torch.nn import Module, Parameter


class Sequential(Module):
    def __init__(self, *args):
        super().__init__()
        if len(args) == 1 and isinstance(args[0], OrderedDict):
            for name, module in args[0].items():
                self.add_module(name, module)
        else:
            for i, module in enumerate(args):
                self.add_module(str(i), module)

    def forward(self, input):
        for module in self:
            input = module(input)
        return input

    def append(self, module):
        self.add_module(str(len(self)), module)
        return self

    def extend(self, modules):
        for module in modules:
            self.append(module)
        return self

    def __len__(self):
        return len(self._modules)

    def __iter__(self):
        return list(self._modules.values())

    def __getitem__(self, index):
        items = list(self._modules.items())[index]
        return Sequential(OrderedDict(items)) if isinstance(items, list) else items[1]

    def __setitem__(self, index, module):
        setattr(self, list(self._modules.keys())[index], module)

    def __delitem__(self, index):
        modules = list(self)
        del modules[index]
        for i in range(len(self)):
            delattr(self, str(i))
        self.extend(modules)


class ModuleList(Module):
    def __init__(self, modules=None):
        super().__init__()
        if modules is not None:
            self.extend(modules)

    def append(self, module):
        self.add_module(str(len(self)), module)
        return self

    def extend(self, modules):
        for module in modules:
            self.append(module)
        return self

    def insert(self, index, module):
        modules = list(self)
        modules.insert(index, module)
        for i, moved in enumerate(modules):
            self.add_module(str(i), moved)

    def __len__(self):
        return len(self._modules)

    def __iter__(self):
        return list(self._modules.values())

    def __getitem__(self, index):
        modules = list(self._modules.values())[index]
        return ModuleList(modules) if isinstance(modules, list) else modules

    def __setitem__(self, index, module):
        setattr(self, list(self._modules.keys())[index], module)

    def __delitem__(self, index):
        modules = list(self)
        del modules[index]
        for i in range(len(self)):
            delattr(self, str(i))
        self.extend(modules)


class ModuleDict(Module):
    def __init__(self, modules=None):
        super().__init__()
        if modules is not None:
            self.update(modules)

    def update(self, modules):
        for name, module in dict(modules).items():
            self.add_module(name, module)

    def keys(self):
        return list(self._modules.keys())

    def values(self):
        return list(self._modules.values())

    def items(self):
        return list(self._modules.items())

    def __len__(self):
        return len(self._modules)

    def __iter__(self):
        return self.keys()

    def __contains__(self, name):
        return name in self._modules

    def __getitem__(self, name):
        return self._modules[name]

    def __setitem__(self, name, module):
        self.add_module(name, module)

    def __delitem__(self, name):
        delattr(self, name)

    def pop(self, name):
        module = self[name]
        delattr(self, name)
        return module


class ParameterList(Module):
    def __init__(self, values=None):
        super().__init__()
        if values is not None:
            self.extend(values)

    def append(self, value):
        self.register_parameter(str(len(self)), value if isinstance(value, Parameter) else Parameter(value))
        return self

    def extend(self, values):
        for value in values:
            self.append(value)
        return self

    def __len__(self):
        return len(self._parameters)

    def __iter__(self):
        return list(self._parameters.values())

    def __getitem__(self, index):
        return list(self._parameters.values())[index]


class ParameterDict(Module):
    def __init__(self, parameters=None):
        super().__init__()
        if parameters is not None:
            self.update(parameters)

    def update(self, parameters):
        if isinstance(parameters, (OrderedDict, ParameterDict)):
            pairs = parameters.items()
        else:
            pairs = sorted(parameters.items()) if isinstance(parameters, dict) else parameters
        for name, value in pairs:
            self[name] = value

    def keys(self):
        return list(self._parameters.keys())

    def values(self):
        return list(self._parameters.values())

    def items(self):
        return list(self._parameters.items())

    def __len__(self):
        return len(self._parameters)

    def __iter__(self):
        return self.keys()

    def __contains__(self, name):
        return name in self._parameters

    def __getitem__(self, name):
        return self._parameters[name]

    def __setitem__(self, name, value):
        self.register_parameter(name, value if isinstance(value, Parameter) else Parameter(value))
