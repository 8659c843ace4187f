"""A GPT-2 decoder for one token with its caches as states, made from the builder's GPT-2, whose caches are inputs."""

import torch

PLACES = 576


class Decoder(torch.nn.Module):
    """Writes keys and values at `position` of caches with PLACES positions, and reads the whole caches.

    coremltools supports slices of a state. CUDA graphs need the position as a tensor on the device, so PyTorch runs
    with `indexed`.
    """

    def __init__(self, network, batch, indexed):
        super().__init__()
        self.network, self.indexed = network, indexed
        caches = torch.zeros(len(network.l), batch, network.h, PLACES, network.d // network.h)
        self.register_buffer("k_cache", caches)
        self.register_buffer("v_cache", caches.clone())
        self.register_buffer("places", torch.arange(PLACES))

    def write(self, cache, layer, position, value):
        if self.indexed:
            cache[layer].index_copy_(2, position, value)
        else:
            cache[layer, :, :, position:position + 1] = value

    def forward(self, token, position):
        network = self.network
        x = network.wte(token) + network.wpe(position)
        mask = torch.where(self.places <= position, 0.0, -1e4)[None, None, None].to(x.dtype)
        for index, layer in enumerate(network.l):
            q, k, v = [
                part.view(-1, 1, network.h, network.d // network.h).transpose(1, 2)
                for part in layer["qkv"](layer["n1"](x)).chunk(3, 2)]
            self.write(self.k_cache, index, position, k)
            self.write(self.v_cache, index, position, v)
            y = torch.nn.functional.scaled_dot_product_attention(q, self.k_cache[index], self.v_cache[index], attn_mask=mask)
            x = x + layer["o"](y.transpose(1, 2).reshape(-1, 1, network.d))
            x = x + layer["p"](torch.nn.functional.gelu(layer["i"](layer["n2"](x)), approximate="tanh"))
        return torch.nn.functional.linear(network.nf(x)[:, 0], network.wte.weight)

    def states(self, coremltools, numpy):
        """The state types of the caches for coremltools."""
        return [
            coremltools.StateType(coremltools.TensorType(shape=tuple(getattr(self, name).shape), dtype=numpy.float16), name=name)
            for name in ("k_cache", "v_cache")]
