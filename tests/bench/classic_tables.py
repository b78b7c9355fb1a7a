"""More of the classic programs: tables of tables, ways, orders, tuples in lists. Like those of classic_programs.py."""
from typing import Dict, List, Tuple

from torch import nn


class Permutations(nn.Module):
    """All permutations in order of the alphabet, by swaps and reversals."""

    def forward(self, n: int) -> int:
        a: List[int] = []
        for i in range(n):
            a.append(i)
        total = 0
        more = True
        while more:
            total += a[0] * a[n - 1]
            i = n - 2
            while i >= 0 and a[i] > a[i + 1]:
                i -= 1
            if i < 0:
                more = False
            else:
                j = n - 1
                while a[j] < a[i]:
                    j -= 1
                a[i], a[j] = a[j], a[i]
                lo = i + 1
                hi = n - 1
                while lo < hi:
                    a[lo], a[hi] = a[hi], a[lo]
                    lo += 1
                    hi -= 1
        return total


class Trie(nn.Module):
    """Words in a tree of tables, and searches of prefixes."""

    def forward(self, n: int) -> int:
        text = "the quick brown fox jumps over the lazy dog then there thesis quiz query browse lazier dogma foxes"
        words = text.split(" ")
        total = 0
        for turn in range(n):
            nodes: List[Dict[str, int]] = []
            top: Dict[str, int] = {}
            nodes.append(top)
            ends: List[int] = [0]
            for w in words:
                at = 0
                for c in w:
                    if c in nodes[at]:
                        at = nodes[at][c]
                    else:
                        more: Dict[str, int] = {}
                        nodes.append(more)
                        ends.append(0)
                        nodes[at][c] = len(nodes) - 1
                        at = len(nodes) - 1
                ends[at] += 1
            for w in words:
                at = 0
                depth = 0
                for c in w:
                    at = nodes[at][c]
                    depth += 1
                    if ends[at] > 0:
                        total += depth
        return total


class BinaryTree(nn.Module):
    """A search tree in parallel lists: insertion, and a walk in order with a stack."""

    def forward(self, n: int) -> int:
        keys: List[int] = []
        left: List[int] = []
        right: List[int] = []
        seed = 42
        for k in range(n):
            seed = seed * 16807 % 2147483647
            key = seed // 32768
            node = len(keys)
            keys.append(key)
            left.append(-1)
            right.append(-1)
            if node > 0:
                at = 0
                while True:
                    if key < keys[at]:
                        if left[at] < 0:
                            left[at] = node
                            break
                        at = left[at]
                    else:
                        if right[at] < 0:
                            right[at] = node
                            break
                        at = right[at]
        stack: List[int] = []
        at = 0
        total = 0
        rank = 0
        while at >= 0 or len(stack) > 0:
            while at >= 0:
                stack.append(at)
                at = left[at]
            at = stack.pop()
            rank += 1
            total = (total + keys[at] * rank) % 1000003
            at = right[at]
        return total


class Elimination(nn.Module):
    """Linear equations by elimination with a pivot, on lists of lists."""

    def forward(self, n: int) -> int:
        a: List[List[float]] = []
        for i in range(n):
            row: List[float] = []
            for j in range(n + 1):
                row.append(float((i * 7 + j * 13) % 11) + (10.0 if i == j else 0.5))
            a.append(row)
        for k in range(n):
            best = k
            for i in range(k + 1, n):
                if abs(a[i][k]) > abs(a[best][k]):
                    best = i
            a[k], a[best] = a[best], a[k]
            for i in range(k + 1, n):
                f = a[i][k] / a[k][k]
                for j in range(k, n + 1):
                    a[i][j] -= f * a[k][j]
        x = [0.0] * n
        for back in range(n):
            i = n - 1 - back
            s = a[i][n]
            for j in range(i + 1, n):
                s -= a[i][j] * x[j]
            x[i] = s / a[i][i]
        total = 0.0
        for i in range(n):
            total += x[i] * float(i + 1)
        return int(total * 1000.0)


class Maze(nn.Module):
    """The shortest way through a maze, breadth first, with tuples in a queue and a set of places."""

    def forward(self, n: int) -> int:
        total = 0
        seen: Dict[int, int] = {}
        queue: List[Tuple[int, int]] = [(0, 0)]
        seen[0] = 0
        at = 0
        while at < len(queue):
            x, y = queue[at]
            at += 1
            d = seen[x * 1000 + y]
            total += d
            for dx, dy in [(1, 0), (-1, 0), (0, 1), (0, -1)]:
                nx = x + dx
                ny = y + dy
                if nx >= 0 and ny >= 0 and nx < n and ny < n and (nx * 7 + ny * 5) % 11 != 3:
                    key = nx * 1000 + ny
                    if key not in seen:
                        seen[key] = d + 1
                        queue.append((nx, ny))
        return total


class StackMachine(nn.Module):
    """A small machine with a stack and instructions as tuples."""

    def forward(self, n: int) -> int:
        code: List[Tuple[str, int]] = [("push", 0), ("store", 0), ("push", 1), ("store", 1), ("load", 0), ("load", 1),
                                       ("add", 0), ("store", 0), ("load", 1), ("push", 1), ("add", 0), ("store", 1),
                                       ("load", 1), ("push", 100), ("less", 0), ("jump", 4), ("load", 0), ("halt", 0)]
        total = 0
        for turn in range(n):
            stack: List[int] = []
            slots = [0, 0]
            at = 0
            running = True
            while running:
                op, arg = code[at]
                at += 1
                if op == "push":
                    stack.append(arg)
                elif op == "load":
                    stack.append(slots[arg])
                elif op == "store":
                    slots[arg] = stack.pop()
                elif op == "add":
                    b = stack.pop()
                    a = stack.pop()
                    stack.append(a + b)
                elif op == "less":
                    b = stack.pop()
                    a = stack.pop()
                    stack.append(1 if a < b else 0)
                elif op == "jump":
                    if stack.pop() == 1:
                        at = arg
                else:
                    running = False
            total += stack.pop()
        return total


class Intervals(nn.Module):
    """Intervals sorted and joined where they touch."""

    def forward(self, n: int) -> int:
        total = 0
        for turn in range(n):
            spans: List[Tuple[int, int]] = []
            seed = turn + 1
            for k in range(40):
                seed = seed * 16807 % 2147483647
                start = seed % 1000
                spans.append((start, start + seed % 37))
            spans.sort()
            joined: List[Tuple[int, int]] = []
            for first, last in spans:
                if len(joined) > 0 and first <= joined[-1][1]:
                    joined[-1] = (joined[-1][0], max(joined[-1][1], last))
                else:
                    joined.append((first, last))
            for first, last in joined:
                total += last - first
        return total


class Hanoi(nn.Module):
    """The towers of Hanoi with lists as pegs."""

    def forward(self, n: int) -> int:
        pegs: List[List[int]] = []
        for d in range(3):
            peg: List[int] = []
            pegs.append(peg)
        for d in range(n):
            pegs[0].append(n - d)
        moves = 0
        total = 0
        work: List[Tuple[int, int, int, int]] = [(n, 0, 2, 1)]
        while len(work) > 0:
            count, source, target, other = work.pop()
            if count == 1:
                disk = pegs[source].pop()
                pegs[target].append(disk)
                moves += 1
                total += disk * moves % 7
            else:
                work.append((count - 1, other, target, source))
                work.append((1, source, target, other))
                work.append((count - 1, source, other, target))
        return total


class Polynomials(nn.Module):
    """Polynomials as tables of exponents, multiplied."""

    def forward(self, n: int) -> int:
        a: Dict[int, int] = {0: 1, 1: 3, 5: 2}
        p: Dict[int, int] = {0: 1}
        for turn in range(n):
            q: Dict[int, int] = {}
            for e, c in p.items():
                for f, d in a.items():
                    q[e + f] = (q.get(e + f, 0) + c * d) % 10007
            p = q
        total = 0
        for e, c in p.items():
            total = (total + e * c) % 1000003
        return total


# As in classic_programs.py.
TABLES = [
    (Permutations, 7, 4), (Trie, 30, 2), (BinaryTree, 1500, 20), (Elimination, 30, 5), (Maze, 30, 5),
    (StackMachine, 20, 1), (Intervals, 60, 2), (Hanoi, 11, 3), (Polynomials, 40, 3),
]
