#!/usr/bin/env python3
"""Trains small tokenizers of each kind, and writes Tests/Cases/text/tokenizers: the files, and digests of their ids.

The strings are generated from Tests/Cases/text/strings.json by a seeded generator that TokenizersTests has too. A
digest covers the ids of 100 strings, and a second one covers the decoded texts.

    pip install tokenizers sentencepiece
    tools/make-tokenizers.py
    tools/make-tokenizers.py --check FOLDER FILE...   expected ids of other tokenizers, for COREML_TOKENIZER_CASES=FOLDER
"""
import argparse
import base64
import json
import pathlib
import tempfile

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

ROOT = pathlib.Path(__file__).resolve().parent.parent
CASES = ROOT / "Tests/Cases/text"
COUNT, BLOCK, MASK = 10_000, 100, (1 << 64) - 1
CONTRACTIONS = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)"
LLAMA3 = CONTRACTIONS + r"|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
QWEN = CONTRACTIONS + r"|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
O200K = "|".join([
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+" + CONTRACTIONS + "?",
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*" + CONTRACTIONS + "?",
    r"\p{N}{1,3}", r" ?[^\s\p{L}\p{N}]+[\r\n/]*", r"\s*[\r\n]+", r"\s+(?!\S)", r"\s+"])
DEEPSEEK = (r"[!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+"
            r"| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+")
CLIP = (r"<\|startoftext\|>|<\|endoftext\|>|'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+")


class Random:
    """SplitMix64."""

    def __init__(self, seed):
        self.state = seed & MASK

    def next(self, bound):
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        mixed = ((self.state ^ (self.state >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & MASK
        return (mixed ^ (mixed >> 31)) % bound


def strings():
    source = json.loads((CASES / "strings.json").read_text())
    fragments, ranges = source["fragments"], source["ranges"]
    for index in range(COUNT):
        random = Random(index)
        text = ""
        for _ in range(random.next(14)):
            kind = random.next(10)
            if kind < 6:
                text += fragments[random.next(len(fragments))]
            elif kind < 8:
                text += " " * random.next(2) + fragments[random.next(len(fragments))]
            else:
                low, high = ranges[random.next(len(ranges))]
                for _ in range(1 + random.next(4)):
                    text += chr(low + random.next(high - low + 1))
        yield text


def digest(lists):
    """FNV-1a of integers as 64 bits each, every list after its length."""
    value = 0xCBF29CE484222325
    for numbers in lists:
        for number in [len(numbers), *numbers]:
            value = ((value ^ number) * 0x100000001B3) & MASK
    return f"{value:016x}"


def blocks(lists):
    lists = list(lists)
    return [digest(lists[start:start + BLOCK]) for start in range(0, len(lists), BLOCK)]


def texts():
    source = json.loads((CASES / "strings.json").read_text())
    documents = [path.read_text() for path in sorted((ROOT / "docs/guide").glob("*.md"))]
    return documents + [" ".join(source["fragments"])] * 3


def special(*words, **options):
    return [AddedToken(word, special=True, normalized=False, **options) for word in words]


def byte_level(pattern=None, normalizer=None, specials=(), template=None, size=1000, prefix=False, **options):
    tokenizer = Tokenizer(models.BPE(**options))
    if normalizer:
        tokenizer.normalizer = normalizer
    patterns = [pattern] if isinstance(pattern, str) else pattern or []
    parts = [pre_tokenizers.Split(Regex(one), "isolated") for one in patterns]
    parts.append(pre_tokenizers.ByteLevel(add_prefix_space=prefix, use_regex=not patterns))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(parts) if len(parts) > 1 else parts[0]
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.train_from_iterator(texts(), trainers.BpeTrainer(
        vocab_size=size, show_progress=False, special_tokens=list(specials),
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet()))
    post = [processors.ByteLevel(trim_offsets=False)]
    if template:
        name = template.split()[0] if not template.startswith("$") else template.split()[-1]
        post.append(processors.TemplateProcessing(single=template, special_tokens=[(name, tokenizer.token_to_id(name))]))
    tokenizer.post_processor = processors.Sequence(post) if len(post) > 1 else post[0]
    return tokenizer


def sentencepiece_bpe(style):
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>", fuse_unk=True, byte_fallback=True))
    spaces = normalizers.Replace(" ", "▁")
    if style == "llama2":
        tokenizer.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), spaces])
        tokenizer.decoder = decoders.Sequence([
            decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)])
    elif style == "gemma":
        tokenizer.normalizer = spaces
        tokenizer.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()])
    else:
        tokenizer.decoder = decoders.Sequence([
            decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)])
    # Trained with pieces, used without them as the original tokenizers are.
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="first")
    byte_tokens = [f"<0x{byte:02X}>" for byte in range(256)]
    tokenizer.train_from_iterator(texts(), trainers.BpeTrainer(
        vocab_size=1000, show_progress=False, limit_alphabet=200,
        special_tokens=special("<unk>", "<s>", "</s>") + [AddedToken(one) for one in byte_tokens]))
    if style == "llama2":
        tokenizer.pre_tokenizer = None
    elif style == "gemma":
        tokenizer.pre_tokenizer = pre_tokenizers.Split(" ", "merged_with_previous")
    else:
        tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="first", split=False)
    tokenizer.post_processor = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 1)])
    saved = json.loads(tokenizer.to_str())
    # The bytes are tokens of the model only: their names in a text are plain text.
    saved["added_tokens"] = [one for one in saved["added_tokens"] if not one["content"].startswith("<0x")]
    return Tokenizer.from_str(json.dumps(saved))


def charsmap():
    """A small set of sentencepiece's normalization rules."""
    import sentencepiece
    rules = {"Ａ": "A", "\ufb01": "fi", "①": "1", "½": "1/2", "\u00a0": " ", "\u3000": " ", "\u200b": "", "㎏": "kg",
             "e\u0301": "\u00e9", "\u30ab\u3099": "\u30ac", "\t": " ", "\n": " ", "\r": " ", "…": "...", "\u0130": "I"}
    with tempfile.TemporaryDirectory() as folder:
        lines = [f"{' '.join(f'{ord(c):X}' for c in key)}\t{' '.join(f'{ord(c):X}' for c in value)}" for key, value in rules.items()]
        pathlib.Path(f"{folder}/rules.tsv").write_text("\n".join(lines) + "\n")
        pathlib.Path(f"{folder}/text").write_text("\n".join(texts()))
        sentencepiece.SentencePieceTrainer.train(
            input=f"{folder}/text", model_prefix=f"{folder}/m", vocab_size=300, hard_vocab_limit=False,
            normalization_rule_tsv=f"{folder}/rules.tsv", minloglevel=2, num_threads=1)
        from sentencepiece import sentencepiece_model_pb2
        proto = sentencepiece_model_pb2.ModelProto()
        proto.ParseFromString(pathlib.Path(f"{folder}/m.model").read_bytes())
        return proto.normalizer_spec.precompiled_charsmap


def unigram(style):
    tokenizer = Tokenizer(models.Unigram())
    if style == "t5":
        # The Python interface takes the rules as bytes.
        tokenizer.normalizer = normalizers.Sequence([
            normalizers.Precompiled(charsmap()), normalizers.Strip(left=False, right=True), normalizers.Replace(Regex(" {2,}"), "▁")])
        tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="always")
        tokenizer.decoder = decoders.Metaspace(prepend_scheme="always")
    else:
        tokenizer.normalizer = normalizers.Sequence([
            normalizers.Nmt(), normalizers.Replace("``", '"'), normalizers.NFKD(), normalizers.StripAccents(), normalizers.Lowercase(),
            normalizers.Replace(Regex(r"\s+"), " ")])
        tokenizer.pre_tokenizer = pre_tokenizers.Sequence([
            pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace(prepend_scheme="first"), pre_tokenizers.Punctuation("contiguous")])
        tokenizer.decoder = decoders.Metaspace(prepend_scheme="first")
    tokenizer.train_from_iterator(texts(), trainers.UnigramTrainer(
        vocab_size=1000, show_progress=False, unk_token="<unk>", special_tokens=special("<pad>", "</s>", "<unk>")))
    tokenizer.post_processor = processors.TemplateProcessing(single="$A </s>", special_tokens=[("</s>", 1)])
    return tokenizer


def wordpiece(cased):
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]", max_input_chars_per_word=100 if cased else 20))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=not cased, strip_accents=None)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.train_from_iterator(texts(), trainers.WordPieceTrainer(
        vocab_size=1000, show_progress=False, special_tokens=["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]))
    if cased:
        tokenizer.post_processor = processors.TemplateProcessing(
            single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)])
    else:
        tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    tokenizer.decoder = decoders.WordPiece(cleanup=not cased)
    return tokenizer


def roberta():
    tokenizer = byte_level(specials=special("<s>", "<pad>", "</s>", "<unk>") + special("<mask>", lstrip=True), prefix=True)
    tokenizer.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0), add_prefix_space=True)
    return tokenizer


def clip():
    tokenizer = Tokenizer(models.BPE(unk_token="<|endoftext|>", end_of_word_suffix="</w>"))
    tokenizer.normalizer = normalizers.Sequence([normalizers.NFC(), normalizers.Replace(Regex(r"\s+"), " "), normalizers.Lowercase()])
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.Split(Regex(CLIP), "removed", invert=True), pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
    tokenizer.decoder = decoders.BPEDecoder(suffix="</w>")
    tokenizer.train_from_iterator(texts(), trainers.BpeTrainer(
        vocab_size=1000, show_progress=False, end_of_word_suffix="</w>", initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        special_tokens=special("<|startoftext|>", "<|endoftext|>")))
    return tokenizer


def words():
    tokenizer = Tokenizer(models.WordLevel(unk_token="<unk>"))
    tokenizer.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Strip()])
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.Whitespace(), pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.Punctuation("merged_with_next"),
        pre_tokenizers.CharDelimiterSplit("x")])
    tokenizer.train_from_iterator(texts(), trainers.WordLevelTrainer(
        vocab_size=500, show_progress=False, special_tokens=["<unk>"]))
    # Found in the normalized text, and only as a word.
    tokenizer.add_tokens([AddedToken("Swift", single_word=True), AddedToken("model", rstrip=True, lstrip=True)])
    return tokenizer


TOKENIZERS = {
    "gpt2": lambda: byte_level(specials=special("<|endoftext|>")),
    "llama3": lambda: byte_level(LLAMA3, specials=special("<|begin_of_text|>", "<|end_of_text|>"), ignore_merges=True, template="<|begin_of_text|> $A"),
    "qwen2": lambda: byte_level(QWEN, normalizers.NFC(), special("<|endoftext|>", "<|im_start|>", "<|im_end|>")),
    "o200k": lambda: byte_level(O200K, normalizers.NFD(), size=1000),
    "deepseek": lambda: byte_level([r"\p{N}{1,3}", r"[一-龥぀-ゟ゠-ヿ]+", DEEPSEEK], size=1000),
    "roberta": roberta,
    "llama2": lambda: sentencepiece_bpe("llama2"),
    "gemma": lambda: sentencepiece_bpe("gemma"),
    "mistral": lambda: sentencepiece_bpe("mistral"),
    "t5": lambda: unigram("t5"),
    "albert": lambda: unigram("albert"),
    "bert-uncased": lambda: wordpiece(cased=False),
    "bert-cased": lambda: wordpiece(cased=True),
    "clip": clip,
    "words": words,
}


def encoded(tokenizer):
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return [tokenizer.encode(text).ids for text in strings()]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", nargs="+", type=pathlib.Path)
    options = parser.parse_args()
    if options.check:
        folder, *files = options.check
        folder.mkdir(parents=True, exist_ok=True)
        for file in files:
            tokenizer = Tokenizer.from_file(str(file))
            ids = encoded(tokenizer)
            decoded = [tokenizer.decode(one) for one in ids]
            name = "-".join(file.resolve().parts[-3:]).removesuffix(".json")
            (folder / f"{name}.case.json").write_text(json.dumps({"file": str(file.resolve()), "ids": ids, "texts": decoded}))
            print(name, sum(map(len, ids)))
        return
    out = CASES / "tokenizers"
    out.mkdir(parents=True, exist_ok=True)
    expected = {}
    for name, make in TOKENIZERS.items():
        tokenizer = make()
        tokenizer.save(str(out / f"{name}.json"), pretty=False)
        tokenizer = Tokenizer.from_file(str(out / f"{name}.json"))
        ids = encoded(tokenizer)
        decoded = [[ord(scalar) for scalar in tokenizer.decode(one)] for one in ids]
        expected[name] = {"ids": blocks(ids), "texts": blocks(decoded)}
        print(name, sum(map(len, ids)), (out / f"{name}.json").stat().st_size, flush=True)
    text = [[ord(scalar) for scalar in text] for text in strings()]
    (out.parent / "expected.json").write_text(json.dumps({"strings": blocks(text), "tokenizers": expected}, indent=0) + "\n")


if __name__ == "__main__":
    main()
