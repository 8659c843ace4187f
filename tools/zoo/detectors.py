"""Detectors like those that exporters put into pipelines: the network and the decoding of its boxes.

Our own implementation, with random weights.
"""
import torch
from torch import nn

CLASSES, BINS, STRIDES, SIDE = 5, 8, (8, 16, 32), 64


def conv(before, after, kernel=1, stride=1, groups=1):
    """Convolution, batch norm and SiLU."""
    return nn.Sequential(nn.Conv2d(before, after, kernel, stride, kernel // 2, groups=groups, bias=False), nn.BatchNorm2d(after, 1e-3), nn.SiLU())


class Split(nn.Module):
    """Half of the channels go through bottlenecks; the outputs of all stages are concatenated."""

    def __init__(self, before, after, depth=1):
        super().__init__()
        half = after // 2
        self.first, self.last = conv(before, after), conv(half * (2 + depth), after)
        self.blocks = nn.ModuleList(nn.Sequential(conv(half, half, 3), conv(half, half, 3)) for _ in range(depth))

    def forward(self, x):
        parts = list(self.first(x).chunk(2, 1))
        for block in self.blocks:
            parts.append(parts[-1] + block(parts[-1]))
        return self.last(torch.cat(parts, 1))


class Pooled(nn.Module):
    """Three successive 5 x 5 max pools; their outputs are concatenated."""

    def __init__(self, channels):
        super().__init__()
        self.first, self.last, self.pool = conv(channels, channels // 2), conv(channels * 2, channels), nn.MaxPool2d(5, 1, 2)

    def forward(self, x):
        parts = [self.first(x)]
        for _ in range(3):
            parts.append(self.pool(parts[-1]))
        return self.last(torch.cat(parts, 1))


class Attended(nn.Module):
    """Attention over spatial positions, with a depthwise convolution as position encoding."""

    def __init__(self, channels, heads=2):
        super().__init__()
        self.heads, self.size = heads, channels // heads
        self.qkv, self.out = nn.Conv2d(channels, channels * 2, 1), nn.Conv2d(channels, channels, 1)
        self.place = nn.Conv2d(channels, channels, 3, padding=1, groups=channels)

    def forward(self, x):
        batch, channels, height, width = x.shape
        half = self.size // 2
        query, key, value = self.qkv(x).view(batch, self.heads, 2 * self.size, height * width).split([half, half, self.size], 2)
        weights = (query.transpose(-2, -1) @ key * half**-0.5).softmax(-1)
        mixed = (value @ weights.transpose(-2, -1)).view(batch, channels, height, width)
        return x + self.out(mixed + self.place(value.reshape(batch, channels, height, width)))


class Body(nn.Module):
    """A feature pyramid with a top-down and a bottom-up path; returns features of three sizes."""

    def __init__(self, attention=False):
        super().__init__()
        self.stem = nn.Sequential(conv(3, 8, 3, 2), conv(8, 16, 3, 2), Split(16, 16), conv(16, 16, 3, 2), Split(16, 16))
        self.middle = nn.Sequential(conv(16, 24, 3, 2), Split(24, 24))
        self.deep = nn.Sequential(conv(24, 32, 3, 2), Split(32, 32), Pooled(32), Attended(32) if attention else nn.Identity())
        self.up, self.join_middle, self.join_stem = nn.Upsample(scale_factor=2), Split(56, 24), Split(40, 16)
        self.down_stem, self.down_middle = conv(16, 16, 3, 2), conv(24, 24, 3, 2)
        self.out_middle, self.out_deep = Split(40, 24), Split(56, 32)

    def forward(self, x):
        stem = self.stem(x)
        middle = self.middle(stem)
        deep = self.deep(middle)
        joined = self.join_middle(torch.cat([self.up(deep), middle], 1))
        fine = self.join_stem(torch.cat([self.up(joined), stem], 1))
        middle = self.out_middle(torch.cat([self.down_stem(fine), joined], 1))
        return fine, middle, self.out_deep(torch.cat([self.down_middle(middle), deep], 1))


def centres():
    """(centers of all cells in units of cells, sizes of the cells in pixels)."""
    points, sizes = [], []
    for stride in STRIDES:
        steps = torch.arange(SIDE // stride) + 0.5
        rows, columns = torch.meshgrid(steps, steps, indexing="ij")
        points.append(torch.stack([columns, rows], -1).view(-1, 2))
        sizes.append(torch.full((rows.numel(), 1), float(stride)))
    return torch.cat(points).float(), torch.cat(sizes)


class Distances(nn.Module):
    """YOLOv8 and 11: each cell predicts a distribution over the distances to the four sides.

    Returns scores and boxes like the exporter's wrapper.
    """

    def __init__(self, attention):
        super().__init__()
        self.body = Body(attention)
        self.boxes = nn.ModuleList(nn.Sequential(conv(size, 16, 3), nn.Conv2d(16, 4 * BINS, 1)) for size in (16, 24, 32))
        depthwise = [nn.Sequential(conv(size, size, 3, groups=size), conv(size, 16), nn.Conv2d(16, CLASSES, 1)) for size in (16, 24, 32)]
        plain = [nn.Sequential(conv(size, 16, 3), nn.Conv2d(16, CLASSES, 1)) for size in (16, 24, 32)]
        self.scores = nn.ModuleList(depthwise if attention else plain)
        points, sizes = centres()
        self.register_buffer("points", points.T)
        self.register_buffer("sizes", sizes.T)
        self.register_buffer("bins", torch.arange(BINS).float().view(1, BINS, 1, 1))

    def forward(self, x):
        parts = [torch.cat([box(each), score(each)], 1).flatten(2) for each, box, score in zip(self.body(x), self.boxes, self.scores)]
        boxes, scores = torch.cat(parts, 2).split([4 * BINS, CLASSES], 1)
        spread = boxes.view(1, 4, BINS, -1).transpose(1, 2).softmax(1)
        near, far = (spread * self.bins).sum(1).chunk(2, 1)
        begin, end = self.points - near, self.points + far
        found = torch.cat([(begin + end) / 2, end - begin], 1) * self.sizes
        whole = torch.cat([found, scores.sigmoid()], 1)[0].transpose(0, 1)
        place, score = whole.split([4, CLASSES], 1)
        return score, place * (1 / SIDE)


class Anchors(nn.Module):
    """YOLOv5: three anchors per cell; a score is the objectness times the class score."""

    def __init__(self):
        super().__init__()
        self.body = Body()
        self.heads = nn.ModuleList(nn.Conv2d(size, 3 * (5 + CLASSES), 1) for size in (16, 24, 32))
        self.register_buffer("anchors", torch.tensor([[1.25, 1.6], [2.0, 3.75], [4.1, 2.9]]).view(1, 3, 1, 1, 2))

    def forward(self, x):
        found = []
        for features, head, stride in zip(self.body(x), self.heads, STRIDES):
            side = SIDE // stride
            y = head(features).view(1, 3, 5 + CLASSES, side, side).permute(0, 1, 3, 4, 2).sigmoid()
            steps = torch.arange(side).float()
            grid = torch.stack(torch.meshgrid(steps, steps, indexing="xy"), -1).view(1, 1, side, side, 2)
            place, size, rest = y.split([2, 2, 1 + CLASSES], 4)
            place = (place * 2 - 0.5 + grid) * stride
            found.append(torch.cat([place, (size * 2) ** 2 * self.anchors * stride, rest], 4).view(-1, 5 + CLASSES))
        whole = torch.cat(found)
        return whole[:, 5:] * whole[:, 4:5], whole[:, :4] / torch.tensor([SIDE, SIDE, SIDE, SIDE])


class Priors(nn.Module):
    """SSD: offsets from fixed boxes, and softmax scores with a background class."""

    def __init__(self):
        super().__init__()
        self.body = Body()
        self.boxes = nn.ModuleList(nn.Conv2d(size, 4, 3, padding=1) for size in (16, 24, 32))
        self.scores = nn.ModuleList(nn.Conv2d(size, 1 + CLASSES, 3, padding=1) for size in (16, 24, 32))
        points, sizes = centres()
        self.register_buffer("place", points * sizes / SIDE)
        self.register_buffer("size", sizes.expand(-1, 2) * 2.5 / SIDE)

    def forward(self, x):
        features = self.body(x)
        boxes = torch.cat([head(each).permute(0, 2, 3, 1).reshape(-1, 4) for head, each in zip(self.boxes, features)])
        scores = torch.cat([head(each).permute(0, 2, 3, 1).reshape(-1, 1 + CLASSES) for head, each in zip(self.scores, features)])
        place = self.place + boxes[:, :2] * 0.1 * self.size
        size = self.size * (boxes[:, 2:] * 0.2).exp()
        return (scores * 2).softmax(1)[:, 1:], torch.cat([place, size], 1)
