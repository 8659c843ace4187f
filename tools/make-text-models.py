#!/usr/bin/env python3
"""Trains a tiny Llama model on this repository's documents, and writes Tests/Cases/text/model.

- `tokenizer.json`: byte-level BPE with the pattern of Llama 3, which begins a text with <|begin|>
- `stateless.mlpackage`: token ids and an attention mask to the logits of all positions, fp32
- `stateful.mlpackage`: token ids and a causal mask to the logits, with keys and values in states, fp32 with fp16 states
- `expected.json`: prompts, their token ids, and the greedy continuation by `generate()` of transformers, fp32

Used by Tests/TextGenerationTests, Tests/CommandTests and python/tests/test_text.py.

    pip install coremltools==9.0 torch transformers tokenizers
    tools/make-text-models.py [--out Tests/Cases/text/model] [--steps 1500]
"""
import argparse
import json
import pathlib

import coremltools as ct
import numpy as np
import torch
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, pre_tokenizers, processors, trainers
from transformers import LlamaConfig, LlamaForCausalLM

ROOT = pathlib.Path(__file__).resolve().parent.parent
VOCABULARY, WIDTH, LAYERS, HEADS, CONTEXT = 384, 48, 2, 4, 128
LLAMA3 = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+"
          r"|\s+(?!\S)|\s+")
PROMPTS = ["The planner picks", "A kernel", "Core ML", "Each test", "# ", "The model has a state", " ", "é", ""]


def documents():
    return [path.read_text() for folder in ("guide", "internals") for path in sorted((ROOT / "docs" / folder).glob("*.md"))]


def train_tokenizer(texts):
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.Split(Regex(LLAMA3), "isolated"),
        pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.train_from_iterator(texts, trainers.BpeTrainer(
        vocab_size=VOCABULARY, show_progress=False, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        special_tokens=[AddedToken("<|begin|>", special=True), AddedToken("<|end|>", special=True)]))
    tokenizer.post_processor = processors.TemplateProcessing(single="<|begin|> $A", special_tokens=[("<|begin|>", 0)])
    return tokenizer


def train(tokenizer, texts, steps):
    torch.manual_seed(1)
    torch.set_num_threads(1)
    model = LlamaForCausalLM(LlamaConfig(
        vocab_size=VOCABULARY, hidden_size=WIDTH, intermediate_size=2 * WIDTH, num_hidden_layers=LAYERS,
        num_attention_heads=HEADS, num_key_value_heads=HEADS, max_position_embeddings=CONTEXT, tie_word_embeddings=True,
        bos_token_id=0, eos_token_id=1, pad_token_id=1, attn_implementation="eager"))
    # Short pieces, each a paragraph between <|begin|> and <|end|>, so that the model learns to end.
    pieces = [piece.strip() for text in texts for piece in text.split("\n\n") if piece.strip()]
    stream = torch.tensor([token for piece in pieces for token in tokenizer.encode(piece).ids + [1]])
    optimizer = torch.optim.AdamW(model.parameters(), lr=4e-3, weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 4e-3, total_steps=steps)
    for step in range(steps):
        starts = torch.randint(0, len(stream) - 96, (16,))
        batch = torch.stack([stream[start:start + 96] for start in starts])
        loss = model(input_ids=batch, labels=batch).loss
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        if step % 200 == 0 or step == steps - 1:
            print(step, round(loss.item(), 3), flush=True)
    return model.eval()


class Llama(torch.nn.Module):
    """The forward pass of Llama in few operations, with the weights of a trained model; `cached` keeps keys and values."""

    def __init__(self, trained, cached):
        super().__init__()
        self.weights = torch.nn.ParameterDict({name.replace(".", "_"): value for name, value in trained.state_dict().items()})
        self.cached = cached
        size = WIDTH // HEADS
        angles = torch.arange(CONTEXT)[:, None] / 10000 ** (torch.arange(0, size, 2) / size)[None]
        self.register_buffer("cos", torch.cat([angles.cos()] * 2, dim=-1), persistent=False)
        self.register_buffer("sin", torch.cat([angles.sin()] * 2, dim=-1), persistent=False)
        if cached:
            for name in ("keyCache", "valueCache"):
                self.register_buffer(name, torch.zeros(LAYERS, 1, HEADS, CONTEXT, size, dtype=torch.float16))

    def weight(self, layer, name):
        return self.weights[f"model_layers_{layer}_{name}_weight"]

    def norm(self, x, weight):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * weight

    def heads(self, x, count):
        return x.reshape(1, count, HEADS, WIDTH // HEADS).transpose(1, 2)

    def rotated(self, x, begin, end):
        half = WIDTH // HEADS // 2
        turned = torch.cat([-x[..., half:], x[..., :half]], dim=-1)
        return x * self.cos[begin:end] + turned * self.sin[begin:end]

    def forward(self, input_ids, mask):
        count = input_ids.shape[1]
        end = mask.shape[-1]
        begin = end - count
        if self.cached:
            bias = mask
        else:
            later = torch.triu(torch.full((CONTEXT, CONTEXT), -1e9), diagonal=1)[:count, :count]
            bias = later + (1 - mask.to(torch.float32))[:, None, None, :] * -1e9
        x = torch.nn.functional.embedding(input_ids, self.weights["model_embed_tokens_weight"])
        for layer in range(LAYERS):
            normed = self.norm(x, self.weight(layer, "input_layernorm"))
            query, key, value = (self.heads(normed @ self.weight(layer, f"self_attn_{part}_proj").T, count) for part in "qkv")
            query, key = self.rotated(query, begin, end), self.rotated(key, begin, end)
            if self.cached:
                self.keyCache[layer, :, :, begin:end, :] = key.to(torch.float16)
                self.valueCache[layer, :, :, begin:end, :] = value.to(torch.float16)
                key = self.keyCache[layer, :, :, :end, :].to(torch.float32)
                value = self.valueCache[layer, :, :, :end, :].to(torch.float32)
            scores = query @ key.transpose(-1, -2) * (WIDTH // HEADS) ** -0.5 + bias
            seen = (scores.softmax(-1) @ value).transpose(1, 2).reshape(1, count, WIDTH)
            x = x + seen @ self.weight(layer, "self_attn_o_proj").T
            normed = self.norm(x, self.weight(layer, "post_attention_layernorm"))
            gate = torch.nn.functional.silu(normed @ self.weight(layer, "mlp_gate_proj").T)
            x = x + (gate * (normed @ self.weight(layer, "mlp_up_proj").T)) @ self.weight(layer, "mlp_down_proj").T
        return self.norm(x, self.weights["model_norm_weight"]) @ self.weights["model_embed_tokens_weight"].T


def convert(trained, cached, out):
    module = Llama(trained, cached).eval()
    ids = torch.tensor([[0, 5, 9, 200]], dtype=torch.int32)
    mask = torch.triu(torch.full((1, 1, 4, 4), -1e4), diagonal=1) if cached else torch.ones(1, 4, dtype=torch.int32)
    with torch.no_grad():
        gap = (module(ids, mask) - trained(input_ids=ids.long()).logits).abs().max().item()
    print("cached" if cached else "stateless", "gap to transformers", gap)
    assert gap < (1e-2 if cached else 1e-4)
    if cached:
        module.keyCache.zero_()
        module.valueCache.zero_()
    length = ct.RangeDim(1, CONTEXT, default=1)
    if cached:
        inputs = [ct.TensorType("input_ids", (1, length), np.int32),
                  ct.TensorType("causal_mask", (1, 1, length, ct.RangeDim(1, CONTEXT, default=1)), np.float32)]
        shape = (LAYERS, 1, HEADS, CONTEXT, WIDTH // HEADS)
        states = [ct.StateType(ct.TensorType(shape=shape, dtype=np.float16), name=name) for name in ("keyCache", "valueCache")]
    else:
        inputs = [ct.TensorType("input_ids", (1, length), np.int32), ct.TensorType("attention_mask", (1, length), np.int32)]
        states = None
    with torch.no_grad():
        traced = torch.jit.trace(module, (ids, mask))
    model = ct.convert(
        traced, inputs=inputs, outputs=[ct.TensorType("logits", dtype=np.float32)], states=states, convert_to="mlprogram",
        compute_precision=ct.precision.FLOAT32, minimum_deployment_target=ct.target.iOS18, skip_model_load=True)
    model.short_description = "A tiny Llama model, trained on the documents of this repository."
    model.user_defined_metadata["tokenizer"] = "tokenizer.json"
    model.save(str(out / ("stateful.mlpackage" if cached else "stateless.mlpackage")))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "Tests/Cases/text/model")
    parser.add_argument("--steps", type=int, default=1500)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    texts = documents()
    tokenizer = train_tokenizer(texts)
    tokenizer.save(str(options.out / "tokenizer.json"), pretty=False)
    (options.out / "generation_config.json").write_text(json.dumps({"bos_token_id": 0, "eos_token_id": 1}) + "\n")
    trained = train(tokenizer, texts, options.steps)
    cases = []
    for prompt in PROMPTS:
        ids = tokenizer.encode(prompt).ids
        with torch.no_grad():
            said = trained.generate(torch.tensor([ids]), do_sample=False, max_new_tokens=48,
                                    attention_mask=torch.ones(1, len(ids), dtype=torch.long))[0, len(ids):].tolist()
        cases.append({"prompt": prompt, "promptTokens": ids, "tokens": said, "text": tokenizer.decode(said)})
        print(repr(prompt), "->", repr(cases[-1]["text"]))
    (options.out / "expected.json").write_text(json.dumps({"maxTokens": 48, "cases": cases}, indent=1) + "\n")
    torch.manual_seed(0)
    for cached in (False, True):
        convert(trained, cached, options.out)


if __name__ == "__main__":
    main()
