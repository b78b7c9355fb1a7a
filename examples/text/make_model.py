#!/usr/bin/python3
"""Makes commands.pt: a program that understands sentences like "turn on the lamp in the kitchen", tokenizer included.

    make_model.py [FOLDER]        writes commands.pt and expected.json there

The method `understand` takes a str and gives what shall be done, how sure that is, and the words that matter. A word
is the sum of what its three-letter pieces mean, so that "kitchn" is near "kitchen" and no list of words is needed.

Needs PyTorch; takes a minute. The files that it made are committed."""
import json
import os
import random
import sys
from typing import Dict, List, Tuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
from sources import folder_to_write_to, without_folder  # noqa: E402

PIECES, WIDTH = 1024, 24
INTENTS = ["light on", "light off", "set temperature", "start timer", "play music", "none of these"]
SLOTS = ["", "room", "amount", "unit", "artist"]
ROOMS = "kitchen bedroom bathroom hall garage office cellar balcony nursery attic".split()
ARTISTS = "mozart queen abba coltrane bach adele prince björk madonna vivaldi".split()
AMOUNTS = "1 2 3 5 7 10 12 15 17 18 19 20 21 22 23 25 30 40 45 60 90 five ten twenty thirty".split()
# (what is meant, sentences); [a|b] is one of two, {room} a slot.
GRAMMAR = [
    (0, ["[turn|switch] on the [light|lamp|lights] in the {room}", "[light|lights] on in the {room} [please|now]", "[turn|switch] the {room} [light|lamp] on",
         "it is [too|so] dark in the {room}", "i need [light|more light] in the {room}"]),
    (1, ["[turn|switch] off the [light|lamp|lights] in the {room}", "[light|lights] off in the {room} [please|now]", "[turn|switch] the {room} [light|lamp] off",
         "it is [too|so] bright in the {room}", "make it dark in the {room}"]),
    (2, ["set the [temperature|heating] in the {room} to {amount} {degrees}", "make the {room} {amount} {degrees} warm", "heat the {room} to {amount} {degrees}",
         "[i want|] {amount} {degrees} in the {room} [please|]"]),
    (3, ["[set|start] a timer [for|of] {amount} {time}", "wake me in {amount} {time}", "remind me in {amount} {time}",
         "{amount} {time} [please|from now]", "count down {amount} {time}"]),
    (4, ["play [some|me] {artist}", "put on [some|a song by] {artist}", "i want to [hear|listen to] {artist}", "[music|songs] by {artist} please"]),
    (5, ["what [is|was] the [weather|news] like", "tell me a [joke|story]", "how are you [today|now]", "who [wrote|made] this [song|book]",
         "where is the {any}", "i like [the|this] {any}", "open the [door|window]", "thank you", "hello", "call my [mother|office]"]),
]
WORDS = {"room": ROOMS, "amount": AMOUNTS, "degrees": ["degrees", "degree", "celsius"], "time": ["minutes", "seconds", "hours", "minute"],
         "artist": ARTISTS, "any": ROOMS + ARTISTS}
SLOT_OF = {"room": 1, "amount": 2, "degrees": 3, "time": 3, "artist": 4, "any": 0}


class Commands(nn.Module):
    def __init__(self):
        super().__init__()
        self.intents = INTENTS
        self.slots = SLOTS
        self.pieces = nn.Embedding(PIECES, WIDTH)
        self.near = nn.Conv1d(WIDTH, 2 * WIDTH, 3, padding=1)
        self.far = nn.Conv1d(2 * WIDTH, 2 * WIDTH, 3, padding=1)
        self.intent = nn.Linear(2 * WIDTH, len(INTENTS))
        self.slot = nn.Linear(2 * WIDTH, len(SLOTS))

    def words(self, text: str) -> List[str]:
        """Letters and digits that stand together, in lower case; "20min" is two words. TorchScript's strings are bytes;
        those beyond ASCII are parts of letters."""
        found: List[str] = []
        word = ""
        for c in text.lower() + " ":
            is_part = c.isalnum() or ord(c) > 127
            if is_part and (word == "" or c.isdigit() == word[-1].isdigit()):
                word += c
            else:
                if word != "":
                    found.append(word)
                word = c if is_part else ""
        return found

    def numbers(self, word: str) -> List[int]:
        """A number for each three letters that follow each other; ^ and $ are the word's ends."""
        marked = "^" + word + "$"
        result: List[int] = []
        for i in range(len(marked) - 2):
            hashed = 7
            for c in marked[i:i + 3]:
                hashed = (hashed * 31 + ord(c)) % 65521
            result.append(hashed % self.pieces.num_embeddings)
        return result

    def network(self, words: Tensor) -> Tuple[Tensor, Tensor]:
        """Scores of intents [sentences, 6] and of slots [sentences, words, 5], of words [sentences, width, words]."""
        x = torch.relu(self.near(words))
        x = x + torch.relu(self.far(x))
        return self.intent(x.amax(2)), self.slot(x.transpose(1, 2))

    def embed(self, words: List[str]) -> Tensor:
        """Words as columns [width, words]."""
        return torch.stack([self.pieces(torch.tensor(self.numbers(word))).sum(0) for word in words], 1)

    @torch.jit.export
    def understand(self, text: str) -> Tuple[str, float, Dict[str, str]]:
        """What a sentence asks for, how sure that is, and the words that fill it in: {"room": "kitchen"}."""
        words = self.words(text)
        filled: Dict[str, str] = {}
        if len(words) == 0:
            return self.intents[-1], 1.0, filled
        intents, slots = self.network(self.embed(words).unsqueeze(0))
        sure = torch.softmax(intents[0], 0)
        best = int(sure.argmax())
        for word, scores in zip(words, slots[0]):
            slot = self.slots[int(scores.argmax())]
            if slot != "":
                filled[slot] = filled[slot] + " " + word if slot in filled else word
        return self.intents[best], float(sure[best]), filled


def sentence(rng: random.Random) -> Tuple[int, List[str], List[int]]:
    """What is meant, the words, and the slot of each; now and then with a letter wrong."""
    intent, patterns = rng.choice(GRAMMAR)
    words, slots = [], []
    pattern = rng.choice(patterns)
    while "[" in pattern:
        begin, end = pattern.index("["), pattern.index("]")
        pattern = pattern[:begin] + rng.choice(pattern[begin + 1:end].split("|")) + pattern[end + 1:]
    for word in pattern.split():
        name = word.strip("{}")
        slots.append(SLOT_OF[name] if word[0] == "{" else 0)
        word = rng.choice(WORDS[name]) if word[0] == "{" else word
        if len(word) > 4 and rng.random() < 0.08:
            i = rng.randrange(1, len(word))
            word = word[:i] + rng.choice(["", rng.choice("aeinrst")]) + word[i + 1:]
        words.append(word.encode().decode("latin-1"))  # a character for each byte, as in TorchScript
    return intent, words, slots


def train(net: Commands, steps=700, size=48):
    rng = random.Random(3)
    optimizer = torch.optim.AdamW(net.parameters(), 6e-3, weight_decay=0.02)
    for step in range(steps):
        for group in optimizer.param_groups:
            group["lr"] = 6e-3 * (1 - step / steps) + 1e-4
        batch = [sentence(rng) for _ in range(size)]
        longest = max(len(words) for _, words, _ in batch)
        ids = torch.zeros(size, longest, 16, dtype=torch.long)
        there = torch.zeros(size, longest, 16)
        tags = torch.zeros(size, longest, dtype=torch.long)
        for i, (_, words, slots) in enumerate(batch):
            for j, (word, slot) in enumerate(zip(words, slots)):
                numbers = net.numbers(word)[:16]
                ids[i, j, :len(numbers)] = torch.tensor(numbers)
                there[i, j, :len(numbers)] = 1
                tags[i, j] = slot
        x = (net.pieces(ids) * there.unsqueeze(3)).sum(2).transpose(1, 2)
        intents, slots = net.network(x)
        loss = F.cross_entropy(intents, torch.tensor([intent for intent, _, _ in batch])) + F.cross_entropy(slots.flatten(0, 1), tags.flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 100 == 99:
            print("step %3d: loss %.4f" % (step + 1, loss.item()), flush=True)


TRIED = ["Turn on the lamp in the kitchen!", "switch the bedroom light off", "Please heat the offce to 21 degrees.", "start a timer for 25 minutes",
         "play some Björk", "22 degrees in the nursery, please", "What is the weather like?", "", "?!"]


def main():
    folder = folder_to_write_to(sys.argv)
    without_folder(Commands)
    torch.manual_seed(3)
    net = Commands()
    train(net)
    program = torch.jit.script(net.eval())
    program.save(os.path.join(folder, "commands.pt"))
    answers = []
    for text in TRIED:
        intent, sure, words = program.understand(text)
        print("%-42r %-16s %.3f %s" % (text, intent, sure, words))
        answers.append({"text": text, "intent": intent, "sure": sure, "words": words})
    with open(os.path.join(folder, "expected.json"), "w", encoding="utf-8") as f:
        json.dump(answers, f, ensure_ascii=False, indent=1)
        f.write("\n")


if __name__ == "__main__":
    main()
