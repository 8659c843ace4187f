"""The networks of tools/bench-shapes: random weights, sizes that vary from call to call."""

import torch
from torch import nn


class EncoderLayer(nn.Module):
    def __init__(self, width, heads, inner):
        super().__init__()
        self.heads = heads
        self.query, self.key, self.value, self.out = (nn.Linear(width, width) for _ in range(4))
        self.up, self.down = nn.Linear(width, inner), nn.Linear(inner, width)
        self.first, self.second = nn.LayerNorm(width), nn.LayerNorm(width)

    def forward(self, x):
        batch, rows, width = x.shape

        def split(t):
            return t.view(batch, rows, self.heads, width // self.heads).transpose(1, 2)

        query, key, value = split(self.query(x)), split(self.key(x)), split(self.value(x))
        seen = (query @ key.transpose(-1, -2) / (width // self.heads) ** 0.5).softmax(-1) @ value
        x = self.first(x + self.out(seen.transpose(1, 2).reshape(batch, rows, width)))
        return self.second(x + self.down(nn.functional.gelu(self.up(x))))


class TextEncoder(nn.Module):
    """As large as MiniLM-L6: 6 layers of 384."""

    def __init__(self, layers=6, width=384, words=30522):
        super().__init__()
        self.words, self.places = nn.Embedding(words, width), nn.Embedding(512, width)
        self.norm = nn.LayerNorm(width)
        self.layers = nn.ModuleList([EncoderLayer(width, 12, 4 * width) for _ in range(layers)])

    def forward(self, ids):
        x = self.norm(self.words(ids) + self.places.weight[: ids.shape[1]])
        for layer in self.layers:
            x = layer(x)
        return x


class AudioEncoder(nn.Module):
    """The encoder of Whisper tiny: two convolutions and 4 layers of 384 over any number of frames."""

    def __init__(self, layers=4, width=384, bands=80):
        super().__init__()
        self.first, self.second = nn.Conv1d(bands, width, 3, padding=1), nn.Conv1d(width, width, 3, stride=2, padding=1)
        self.layers = nn.ModuleList([EncoderLayer(width, 6, 4 * width) for _ in range(layers)])

    def forward(self, mel):
        x = nn.functional.gelu(self.second(nn.functional.gelu(self.first(mel)))).transpose(1, 2)
        for layer in self.layers:
            x = layer(x)
        return x


class PictureNetwork(nn.Module):
    """The features of MobileNetV2, for pictures of any size."""

    def __init__(self):
        super().__init__()
        import torchvision

        self.features = torchvision.models.mobilenet_v2(weights=None).features

    def forward(self, picture):
        return self.features(picture)


class DecoderLayer(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm, self.after = nn.LayerNorm(width), nn.LayerNorm(width)
        self.query, self.key, self.value, self.out = (nn.Linear(width, width) for _ in range(4))
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x, keys, values, mask):
        width = x.shape[-1]

        def split(t):
            return t.view(1, 1, self.heads, width // self.heads).transpose(1, 2)

        y = self.norm(x)
        key, value = torch.cat((keys, split(self.key(y))), 2), torch.cat((values, split(self.value(y))), 2)
        seen = ((split(self.query(y)) @ key.transpose(-1, -2)) * (width // self.heads) ** -0.5 + mask).softmax(-1) @ value
        x = x + self.out(seen.transpose(1, 2).reshape(1, 1, width))
        return x + self.down(nn.functional.silu(self.up(self.after(x)))), key[:, :, -1:], value[:, :, -1:]


class Decoder(nn.Module):
    """One token of a decoder of 6 layers of 256, with a cache that its caller keeps and that grows."""

    def __init__(self, layers=6, width=256, heads=8):
        super().__init__()
        self.layers = nn.ModuleList([DecoderLayer(width, heads) for _ in range(layers)])

    def forward(self, x, keys, values, mask):
        new = []
        for index, layer in enumerate(self.layers):
            x, key, value = layer(x, keys[index : index + 1], values[index : index + 1], mask)
            new.append((key, value))
        return x, torch.cat([key for key, _ in new]), torch.cat([value for _, value in new])
