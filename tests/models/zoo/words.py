"""Models of text: strings, dictionaries of words, loops whose length depends on the data."""
from typing import Dict, List, Optional, Tuple

import torch
from torch import nn, Tensor
import torch.nn.functional as F

SENTENCES = ["the film was good , very good", "a bad film", "good", "not bad at all !", "the the the"]
WORDS = ["<pad>", "<unk>", "the", "film", "was", "good", "bad", "very", "not", "a", "at", "all"]


class Vocabulary(nn.Module):
    def __init__(self):
        super().__init__()
        self.numbers: Dict[str, int] = {w: i for i, w in enumerate(WORDS)}

    def forward(self, text: str) -> List[int]:
        found: List[int] = []
        for word in text.lower().split():
            found.append(self.numbers[word] if word in self.numbers else 1)
        return found


class Sentiment(nn.Module):
    """Strings to a dictionary of scores."""

    def __init__(self):
        super().__init__()
        self.vocabulary = Vocabulary()
        self.bag = nn.EmbeddingBag(len(WORDS), 8, mode="mean")
        self.fc = nn.Sequential(nn.Linear(8, 6), nn.Tanh(), nn.Linear(6, 2))
        self.labels = ["bad", "good"]

    def forward(self, sentences: List[str]) -> List[Dict[str, float]]:
        numbers: List[int] = []
        starts: List[int] = []
        for s in sentences:
            starts.append(len(numbers))
            numbers.extend(self.vocabulary(s))
        if len(numbers) == 0:
            raise ValueError("there are no words in " + str(len(sentences)) + " sentences")
        scores = self.fc(self.bag(torch.tensor(numbers), torch.tensor(starts))).softmax(1)
        results: List[Dict[str, float]] = []
        for row in scores:
            results.append({name: float(row[i]) for i, name in enumerate(self.labels)})
        return results


class Tagger(nn.Module):
    """A bidirectional LSTM over sentences of different lengths, packed."""

    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(20, 8, padding_idx=0)
        self.lstm = nn.LSTM(8, 6, num_layers=2, bidirectional=True, batch_first=True)
        self.fc = nn.Linear(12, 5)

    def forward(self, words: Tensor, lengths: Tensor) -> Tuple[Tensor, Tensor]:
        packed = nn.utils.rnn.pack_padded_sequence(self.embedding(words), lengths, batch_first=True, enforce_sorted=False)
        states, (last, _) = self.lstm(packed)
        padded, _ = nn.utils.rnn.pad_packed_sequence(states, batch_first=True)
        return self.fc(padded).argmax(-1), last.mean(0)


class Translator(nn.Module):
    """GRU encoder, attention, greedy decoding until the end token."""

    def __init__(self):
        super().__init__()
        self.source, self.target = nn.Embedding(16, 8), nn.Embedding(14, 8)
        self.encoder = nn.GRU(8, 10)
        self.cell = nn.GRUCell(18, 10)
        self.query = nn.Linear(10, 10, bias=False)
        self.fc = nn.Linear(20, 14)

    def attend(self, state: Tensor, memory: Tensor) -> Tensor:
        weights = (memory @ self.query(state)).softmax(0)
        return weights @ memory

    @torch.jit.export
    def greedy(self, words: List[int], most: int) -> Tuple[List[int], float]:
        memory, last = self.encoder(self.source(torch.tensor(words)).unsqueeze(1))
        memory, state = memory.squeeze(1), last[0]
        token, result, total = 1, torch.jit.annotate(List[int], []), 0.0
        while len(result) < most:
            context = self.attend(state[0], memory)
            step = torch.cat([self.target(torch.tensor(token)), context]).unsqueeze(0)
            state = self.cell(step, state)
            scores = self.fc(torch.cat([state[0], context])).log_softmax(0)
            token = int(scores.argmax())
            total += float(scores[token])
            if token == 0:
                break
            result.append(token)
        return result, total

    def forward(self, words: List[int], most: int = 8) -> Tuple[List[int], float]:
        return self.greedy(words, most)


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.mlp = nn.Sequential(nn.Linear(width, 2 * width), nn.GELU(approximate="tanh"), nn.Linear(2 * width, width))

    def forward(self, x: Tensor, past: Optional[Tuple[Tensor, Tensor]]) -> Tuple[Tensor, Tuple[Tensor, Tensor]]:
        n, width = x.shape
        q, k, v = self.qkv(self.norm1(x)).view(n, 3, self.heads, width // self.heads).permute(1, 2, 0, 3).unbind(0)
        if past is not None:
            k, v = torch.cat([past[0], k], 1), torch.cat([past[1], v], 1)
        scores = (q @ k.transpose(1, 2)) / float(k.size(2)) ** 0.5
        hidden = torch.ones(n, k.size(1), dtype=torch.bool).tril(k.size(1) - n).logical_not()
        x = x + self.out((scores.masked_fill(hidden, float("-inf")).softmax(-1) @ v).transpose(0, 1).reshape(n, width))
        return x + self.mlp(self.norm2(x)), (k, v)


class LanguageModel(nn.Module):
    """A causal Transformer that keeps the keys and values of what it has seen."""

    def __init__(self):
        super().__init__()
        self.tokens, self.places = nn.Embedding(18, 12), nn.Embedding(24, 12)
        self.blocks = nn.ModuleList([Block(12, 3), Block(12, 3)])
        self.norm = nn.LayerNorm(12)

    def step(self, tokens: Tensor, past: List[Tuple[Tensor, Tensor]]) -> Tuple[Tensor, List[Tuple[Tensor, Tensor]]]:
        seen = past[0][0].size(1) if len(past) > 0 else 0
        x = self.tokens(tokens) + self.places(torch.arange(seen, seen + tokens.numel()))
        now: List[Tuple[Tensor, Tensor]] = []
        for i, block in enumerate(self.blocks):
            x, kept = block(x, past[i] if len(past) > 0 else None)
            now.append(kept)
        return F.linear(self.norm(x[-1]), self.tokens.weight), now

    def forward(self, prompt: List[int], count: int) -> Tuple[List[int], Tensor]:
        scores, past = self.step(torch.tensor(prompt), [])
        written = torch.jit.annotate(List[int], [])
        for _ in range(count):
            token = scores.argmax().reshape(1)
            written.append(int(token))
            scores, past = self.step(token, past)
        return written, scores


class SentencePair(nn.Module):
    """nn.Transformer's encoder with padding masks, and a pooled comparison of two sentences."""

    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(20, 12, padding_idx=0)
        self.encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(12, 3, 24, 0.1, batch_first=True), 2, enable_nested_tensor=False)
        self.scale = nn.Parameter(torch.tensor(2.0))

    def pooled(self, words: Tensor) -> Tensor:
        padding = words == 0
        states = self.encoder(self.embedding(words), src_key_padding_mask=padding)
        return states.masked_fill(padding.unsqueeze(-1), 0.0).sum(1) / (~padding).sum(1, keepdim=True)

    def forward(self, left: Tensor, right: Tensor) -> Tensor:
        return self.scale * F.cosine_similarity(self.pooled(left), self.pooled(right))


class CharacterConvolution(nn.Module):
    """Characters of words by convolutions of several widths, joined by a highway."""

    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(32, 6)
        self.convs = nn.ModuleList([nn.Conv1d(6, 5, k) for k in (2, 3, 4)])
        self.gate, self.turn = nn.Linear(15, 15), nn.Linear(15, 15)

    def forward(self, words: List[str]) -> Dict[str, Tensor]:
        found: Dict[str, Tensor] = {}
        for word in words:
            codes = [ord(c) % 32 for c in word]
            while len(codes) < 4:
                codes.append(0)
            x = self.embedding(torch.tensor(codes)).t().unsqueeze(0)
            parts: List[Tensor] = []
            for conv in self.convs:
                parts.append(F.relu(conv(x)).max(2)[0])
            joined = torch.cat(parts, 1)
            gate = self.gate(joined).sigmoid()
            found[word] = (gate * F.relu(self.turn(joined)) + (1 - gate) * joined).squeeze(0)
        return found


class Retriever(nn.Module):
    """The best matches of a query among stored vectors, at most k and above a threshold."""

    def __init__(self):
        super().__init__()
        self.register_buffer("store", F.normalize(torch.randn(12, 8), dim=1))
        self.names = ["item %d" % i for i in range(12)]

    def forward(self, query: Tensor, k: int, least: Optional[float] = None) -> List[Tuple[str, float]]:
        scores, order = (self.store @ F.normalize(query, dim=0)).topk(k)
        result: List[Tuple[str, float]] = []
        for i in range(k):
            score = float(scores[i])
            if least is not None and score < least:
                break
            result.append((self.names[int(order[i])], score))
        return result


def words(rows, columns, most=20):
    t = torch.randint(1, most, (rows, columns))
    for i in range(1, rows):
        t[i, columns - i:] = 0
    return t


MODELS = [
    (Sentiment, ("scripted",), lambda: [[SENTENCES], [SENTENCES[1:2]], [["", " "]]]),
    (Tagger, ("scripted", "frozen"), lambda: [[words(2, 5), torch.tensor([5, 4])], [words(3, 6), torch.tensor([4, 6, 5])]]),
    (Translator, ("scripted", "frozen"), lambda: [[[3, 5, 7], 8], [[2], 3], [[1, 2, 3, 4, 5, 6, 7, 8], 12]]),
    (LanguageModel, ("scripted", "frozen"), lambda: [[[1, 2, 3], 5], [[4], 8], [[5, 6, 7, 8, 9, 10], 0]]),
    (SentencePair, ("scripted",), lambda: [[words(2, 5), words(2, 4)], [words(1, 3), words(1, 7)]]),
    (CharacterConvolution, ("scripted",), lambda: [[["hello", "a", "worlds"]], [[]]]),
    (Retriever, ("scripted",), lambda: [[torch.randn(8), 3, None], [torch.randn(8), 5, 0.1]]),
]
