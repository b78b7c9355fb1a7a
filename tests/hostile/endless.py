"""Programs that a limit on fuel must end although they execute few instructions: the work of their operators
exceeds it. Where a single operator is not enough work, a loop repeats it.

ENDLESS: a function's body. test_hostile.py runs each with little fuel: it must end with TSM_OUT_OF_FUEL, and soon.
CHEAP: with the same fuel these must answer, since views and questions about shapes are no work."""

HUGE = "x = torch.zeros(1).expand(2**40)\n    "
INDICES = "x = torch.zeros(1, dtype=torch.long).expand(2**40)\n    "

ENDLESS = [
    "return 'x'.replace('', '', 2**62)",
    "return 'x'.replace('', 'yy', 2**62)",
    "return '\\t'.expandtabs(2**62)",
    "s = 'a'.ljust(1000000, 'a')\n    return s.find('a'.ljust(500000, 'a') + 'b')",
    "s = 'a'.ljust(1000000, 'a')\n    return s.replace('a'.ljust(500000, 'a') + 'b', '')",
    "s = 'a'.ljust(1000000, 'a')\n    return s.count('a'.ljust(500000, 'a') + 'b')",
    'l = [1] * 100000\n    for i in range(100000):\n        l.append(l.pop(0))\n    return l',
    HUGE + 'return x.sum()',
    HUGE + 'return x.mean()',
    HUGE + 'return x.max()',
    HUGE + 'return x.prod()',
    HUGE + 'return x.norm()',
    HUGE + 'return x.std()',
    HUGE + 'return x.argmax()',
    HUGE + 'return torch.any(x)',
    HUGE + 'return torch.count_nonzero(x)',
    HUGE + 'return torch.logsumexp(x, 0)',
    HUGE + 'return torch.equal(x, x)',
    HUGE + 'return torch.allclose(x, x)',
    HUGE + 'return torch.nonzero(x)',
    HUGE + 'return torch.dot(x, x)',
    HUGE + "return torch.einsum('i,i->', x, x)",
    HUGE + 'return torch.histc(x)',
    HUGE + 'return torch.nn.functional.mse_loss(x, x)',
    INDICES + 'return torch.bincount(x)',
    INDICES + 'return torch.nn.functional.embedding(x, torch.zeros(3, 0))',
    INDICES + 'return torch.zeros(3, 0).index_select(0, x)',
    HUGE + 'x.fill_(1.0)\n    return x',
    'x = torch.zeros(2000, 2000)\n    return x @ x',
    'x = torch.zeros(2000, 2000, dtype=torch.long)\n    return x @ x',
    'x = torch.zeros(600, 600)\n    return torch.linalg.eigvals(x)',
    'x = torch.zeros(600, 600)\n    return torch.linalg.eigh(x)',
    'x = torch.zeros(600, 600)\n    return torch.linalg.inv(x + torch.eye(600))',
    'x = torch.zeros(600, 600)\n    return torch.linalg.svd(x)',
    'x = torch.zeros(5000, 3)\n    return torch.cdist(x, x)',
    'return torch.tensor_split(torch.zeros(0), 2**40)',
    'x = torch.arange(300)\n    return torch.cartesian_prod(x, x, x)',
    'x = torch.ones(1, 64, 64, 64)\n    return torch.nn.functional.conv2d(x, torch.ones(64, 64, 7, 7))',
    'x = torch.ones(1, 64, 64, 64)\n    return torch.nn.functional.conv_transpose2d(x, torch.ones(64, 64, 7, 7))',
    'x = torch.ones(1, 1, 512, 512)\n    return torch.nn.functional.max_pool2d(x, 511, 1, 255)',
    'x = torch.ones(1, 1, 512, 512)\n    return torch.nn.functional.avg_pool2d(x, 511, 1, 255)',
    't = (1, 2)\n    a = (t, t)\n    b = (a, a)\n    c = (b, b)\n    d = (c, c)\n    n = 0\n    while True:\n        n += hash(d)\n    return n',
    'l = [0] * 1000\n    n = 0\n    while True:\n        l.sort()\n    return n',
    'x = torch.zeros(1)\n    while True:\n        x = x + 1.0\n    return x',
    'x = torch.ones(100000)\n    while True:\n        x = x.sort()[0]\n    return x',
    'x = torch.ones(1000)\n    return torch.fft.fft(x.expand(1000, 1000))',
    'return torch.special.chebyshev_polynomial_t(torch.zeros(3), 2**40)',
    'return torch.special.legendre_polynomial_p(torch.zeros(3), torch.tensor([1e12]))',
    HUGE + 'print(x)\n    return x',
    HUGE + 'return str(x)',
    'd = {torch.ones(1): 1}\n    return d[torch.zeros(1).expand(2**40)]',
    'return torch.special.i0(torch.ones(100000))',
]

CHEAP = [
    HUGE + "n = 0\n    for i in range(1000):\n        n += x.select(0, i).dim() + x[1:].size(0)\n    return n",
    HUGE + "return x.numel() + x.unsqueeze(0).t().view(2**20, 2**20).stride(0), x.is_contiguous(), x.dtype",
    "x = torch.zeros(1000, 64)\n    for i in range(1000):\n        x[i, 3] = 1.0\n    return x[7].sum()",
    "x = torch.zeros(1000, 64)\n    return torch.nn.functional.embedding(torch.arange(9), x).sum()",
    "l = [1] * 100000\n    for i in range(1000):\n        l.append(i)\n    return len(l) + l[5]",
]
