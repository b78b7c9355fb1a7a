"""A tagger of words: embeddings, a bidirectional LSTM, scores of tags."""
from torch import nn
import torch.nn.functional as F


class Tagger(nn.Module):
    def __init__(self, words, tags, width=8, hidden=6, dropout=0.3):
        super().__init__()
        if words <= 0:
            raise ValueError(f"words must be positive, but got {words}")
        self.embedding = nn.Embedding(words, width, padding_idx=0)
        self.lstm = nn.LSTM(width, hidden, num_layers=2, bidirectional=True, batch_first=True, dropout=dropout)
        self.dropout = nn.Dropout(dropout)
        self.scores = nn.Linear(2 * hidden, tags)

    def forward(self, words):
        states, _ = self.lstm(self.embedding(words))
        return F.log_softmax(self.scores(self.dropout(states)), dim=-1)
