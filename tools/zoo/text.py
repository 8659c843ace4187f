"""Tiny text encoders and decoders from transformers, with random weights."""
import torch
import transformers
from transformers.models.deberta import modeling_deberta
from transformers.models.deberta_v2 import modeling_deberta_v2

from case import Named, Network, add, ids, padded, randomise

SIZES = dict(vocab_size=99, hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=48, max_position_embeddings=64)
# The same sizes with the names of GPT-2 and similar models.
SHORT = dict(vocab_size=99, n_embd=32, n_layer=2, n_head=4, n_positions=64)
ENDS = dict(pad_token_id=0, bos_token_id=1, eos_token_id=2)


class PlainSoftmax:
    """DeBERTa's masked softmax without its custom gradient, which converters do not support."""

    @staticmethod
    def apply(scores, mask, dim):
        hidden = ~mask.to(torch.bool)
        return torch.softmax(scores.masked_fill(hidden, torch.finfo(scores.dtype).min), dim).masked_fill(hidden, 0)


modeling_deberta.XSoftmax = modeling_deberta_v2.XSoftmax = PlainSoftmax


def model_of(name, config, sizes, **more):
    """A model of the class `name`, with a configuration of the class `config` and the given sizes."""
    settings = getattr(transformers, config)(**sizes)
    return randomise(getattr(transformers, name)._from_config(settings, **more).eval())


def masked(length=10):
    """Two samples of tokens and mask: without padding, and with padding at the end."""
    return [(ids(1, length), padded(1, length, length)), (ids(1, length), padded(1, length, length - 3))]


def encoder(name, config, sizes, keep=1, **more):
    def make():
        return Network(Named(model_of(name, config, sizes, **more), ["input_ids", "attention_mask"], keep, return_dict=False), masked())

    return make


def decoder(name, config, sizes, **more):
    def make():
        model = model_of(name, config, {**sizes, **ENDS}, **more)
        fixed = {} if name.startswith("OpenAI") else {"use_cache": False}
        return Network(Named(model, ["input_ids"], return_dict=False, **fixed), [(ids(1, 9),), (ids(1, 9),)])

    return make


ENCODERS = {
    "bert": ("BertModel", "BertConfig", SIZES, 2),
    "bert-masked-lm": ("BertForMaskedLM", "BertConfig", SIZES),
    "bert-classifier": ("BertForSequenceClassification", "BertConfig", {**SIZES, "num_labels": 3}),
    "bert-answers": ("BertForQuestionAnswering", "BertConfig", SIZES, 2),
    "roberta": ("RobertaModel", "RobertaConfig", {**SIZES, "pad_token_id": 0}),
    "xlm-roberta": ("XLMRobertaForTokenClassification", "XLMRobertaConfig", {**SIZES, "pad_token_id": 0}),
    "camembert": ("CamembertModel", "CamembertConfig", {**SIZES, "pad_token_id": 0}),
    "distilbert": ("DistilBertModel", "DistilBertConfig", dict(vocab_size=99, dim=32, n_layers=2, n_heads=4, hidden_dim=48, max_position_embeddings=64)),
    "albert": ("AlbertModel", "AlbertConfig", {**SIZES, "embedding_size": 16}),
    "electra": ("ElectraModel", "ElectraConfig", {**SIZES, "embedding_size": 16}),
    "mpnet": ("MPNetModel", "MPNetConfig", SIZES),
    "squeezebert": ("SqueezeBertModel", "SqueezeBertConfig", {**SIZES, "embedding_size": 32}),
    "mobilebert": ("MobileBertModel", "MobileBertConfig", {**SIZES, "embedding_size": 16, "intra_bottleneck_size": 16, "true_hidden_size": 16}),
    "convbert": ("ConvBertModel", "ConvBertConfig", {**SIZES, "embedding_size": 16}),
    "roformer": ("RoFormerModel", "RoFormerConfig", {**SIZES, "embedding_size": 32}),
    "megatron-bert": ("MegatronBertModel", "MegatronBertConfig", SIZES),
    "rembert": ("RemBertModel", "RemBertConfig", {**SIZES, "input_embedding_size": 16}),
    "ernie": ("ErnieModel", "ErnieConfig", SIZES),
    "deberta": ("DebertaModel", "DebertaConfig", {**SIZES, "relative_attention": True, "pos_att_type": ["c2p", "p2c"]}),
    "deberta-v2": ("DebertaV2Model", "DebertaV2Config", {**SIZES, "relative_attention": True, "pos_att_type": ["c2p", "p2c"], "position_buckets": 8}),
    "data2vec-text": ("Data2VecTextModel", "Data2VecTextConfig", {**SIZES, "pad_token_id": 0}),
    "bigbird": ("BigBirdModel", "BigBirdConfig", {**SIZES, "attention_type": "original_full"}),
    "ibert": ("IBertModel", "IBertConfig", {**SIZES, "pad_token_id": 0}),
    "t5-encoder": ("T5EncoderModel", "T5Config", dict(vocab_size=99, d_model=32, d_kv=8, d_ff=48, num_layers=2, num_heads=4)),
    "clip-text": ("CLIPTextModel", "CLIPTextConfig", {**SIZES, "eos_token_id": 2}, 2),
    "siglip-text": ("SiglipTextModel", "SiglipTextConfig", SIZES, 2),
    "layoutlm": ("LayoutLMModel", "LayoutLMConfig", {**SIZES, "max_2d_position_embeddings": 64}),
    "splinter": ("SplinterModel", "SplinterConfig", SIZES),
    "xmod": ("XmodModel", "XmodConfig", {**SIZES, "pad_token_id": 0, "languages": ["en"], "default_language": "en"}),
}
GROUPED = {**SIZES, "num_key_value_heads": 2}
DECODERS = {
    "gpt2": ("GPT2LMHeadModel", "GPT2Config", SHORT),
    "gpt-neo": ("GPTNeoForCausalLM", "GPTNeoConfig", dict(
        vocab_size=99, hidden_size=32, num_layers=2, num_heads=4, attention_types=[[["global", "local"], 1]], window_size=4, max_position_embeddings=64)),
    "gpt-neox": ("GPTNeoXForCausalLM", "GPTNeoXConfig", SIZES),
    "gptj": ("GPTJForCausalLM", "GPTJConfig", {**SHORT, "rotary_dim": 4}),
    "codegen": ("CodeGenForCausalLM", "CodeGenConfig", {**SHORT, "rotary_dim": 4}),
    "openai-gpt": ("OpenAIGPTLMHeadModel", "OpenAIGPTConfig", SHORT),
    "gpt-bigcode": ("GPTBigCodeForCausalLM", "GPTBigCodeConfig", SHORT),
    "opt": ("OPTForCausalLM", "OPTConfig", dict(
        vocab_size=99, hidden_size=32, num_hidden_layers=2, num_attention_heads=4, ffn_dim=48, word_embed_proj_dim=32, max_position_embeddings=64)),
    "bloom": ("BloomForCausalLM", "BloomConfig", dict(vocab_size=99, hidden_size=32, n_layer=2, n_head=4)),
    "llama": ("LlamaForCausalLM", "LlamaConfig", GROUPED),
    "mistral": ("MistralForCausalLM", "MistralConfig", {**GROUPED, "sliding_window": 4}),
    "qwen2": ("Qwen2ForCausalLM", "Qwen2Config", GROUPED),
    "gemma": ("GemmaForCausalLM", "GemmaConfig", {**GROUPED, "head_dim": 8}),
    "gemma2": ("Gemma2ForCausalLM", "Gemma2Config", {**GROUPED, "head_dim": 8, "sliding_window": 4}),
    "phi": ("PhiForCausalLM", "PhiConfig", SIZES),
    "phi3": ("Phi3ForCausalLM", "Phi3Config", {**GROUPED, "sliding_window": 64}),
    "falcon": ("FalconForCausalLM", "FalconConfig", dict(vocab_size=99, hidden_size=32, num_hidden_layers=2, num_attention_heads=4)),
    "stablelm": ("StableLmForCausalLM", "StableLmConfig", GROUPED),
    "starcoder2": ("Starcoder2ForCausalLM", "Starcoder2Config", GROUPED),
    "olmo": ("OlmoForCausalLM", "OlmoConfig", SIZES),
    "cohere": ("CohereForCausalLM", "CohereConfig", {**GROUPED, "use_qk_norm": True}),
    "granite": ("GraniteForCausalLM", "GraniteConfig", GROUPED),
    "nemotron": ("NemotronForCausalLM", "NemotronConfig", GROUPED),
    "persimmon": ("PersimmonForCausalLM", "PersimmonConfig", SIZES),
    "mamba": ("MambaForCausalLM", "MambaConfig", dict(vocab_size=99, hidden_size=32, state_size=4, num_hidden_layers=2, time_step_rank=4)),
    "biogpt": ("BioGptForCausalLM", "BioGptConfig", SIZES),
    "xglm": ("XGLMForCausalLM", "XGLMConfig", dict(vocab_size=99, d_model=32, num_layers=2, attention_heads=4, ffn_dim=48, max_position_embeddings=64)),
    "ctrl": ("CTRLLMHeadModel", "CTRLConfig", dict(vocab_size=99, n_embd=32, n_layer=2, n_head=4, dff=48, n_positions=64)),
}
for name, (model, config, sizes, *keep) in ENCODERS.items():
    add(f"transformers/{name}", encoder(model, config, sizes, *keep))
for name, (model, config, sizes) in DECODERS.items():
    add(f"transformers/{name}", decoder(model, config, sizes))
add("transformers/bert-eager", encoder("BertModel", "BertConfig", SIZES, attn_implementation="eager"))
add("transformers/gpt2-eager", decoder("GPT2LMHeadModel", "GPT2Config", SHORT, attn_implementation="eager"))
add("transformers/llama-eager", decoder("LlamaForCausalLM", "LlamaConfig", GROUPED, attn_implementation="eager"))
