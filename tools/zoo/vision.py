"""Tiny models for images, audio and sequence-to-sequence from transformers, with random weights."""
import torch

from case import Named, Network, add, ids, padded, pictures, randomise
from text import model_of

VIT = dict(hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=48, image_size=32, patch_size=8)
STAGES = dict(embedding_size=8, hidden_sizes=[8, 16, 24, 32], depths=[1, 1, 2, 1])
SWIN = dict(image_size=32, patch_size=2, embed_dim=16, depths=[1, 2], num_heads=[2, 4], window_size=4)
PYRAMID = dict(depths=[1, 1, 1, 1], hidden_sizes=[8, 16, 24, 32], num_attention_heads=[1, 2, 3, 4])
SOUND = dict(
    vocab_size=32, hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=48, conv_dim=[16, 16, 16], conv_stride=[5, 2, 2],
    conv_kernel=[10, 3, 3], num_feat_extract_layers=3, num_conv_pos_embeddings=16, num_conv_pos_embedding_groups=4)
RESNET = {"backbone_config": {"model_type": "resnet", **STAGES, "layer_type": "basic", "out_features": ["stage4"]}, "use_timm_backbone": False,
          "use_pretrained_backbone": False, "backbone": None}


def seen(name, config, sizes, keep=1, size=32, gain=1.0, **more):
    """A model with one image as input."""
    def make():
        model = randomise(model_of(name, config, sizes, **more), gain)
        return Network(Named(model, ["pixel_values"], keep, return_dict=False), pictures(size=size))

    return make


def heard(name, config, sizes, shape, argument="input_values", **fixed):
    def make():
        model = Named(model_of(name, config, sizes), [argument], **fixed)
        return Network(model, [(torch.randn(shape),), (0.3 * torch.randn(shape),)])

    return make


def paired(name, config, sizes, first=None):
    """An encoder with a decoder. `first` is (name, shape) of the encoder's input if it is not text."""
    def make():
        model = model_of(name, config, {**sizes, "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2, "decoder_start_token_id": 1})
        if first:
            names, samples = [first[0], "decoder_input_ids"], [(torch.randn(first[1]), ids(1, 6)) for _ in range(2)]
        else:
            names = ["input_ids", "attention_mask", "decoder_input_ids"]
            samples = [(ids(1, 9), padded(1, 9, kept), ids(1, 6)) for kept in (9, 6)]
        return Network(Named(model, names, use_cache=False, return_dict=False), samples)

    return make


PICTURES = {
    "vit": ("ViTModel", "ViTConfig", VIT, 2),
    "vit-classifier": ("ViTForImageClassification", "ViTConfig", VIT),
    "deit": ("DeiTModel", "DeiTConfig", VIT),
    "beit": ("BeitModel", "BeitConfig", {**VIT, "use_absolute_position_embeddings": True}),
    "data2vec-vision": ("Data2VecVisionModel", "Data2VecVisionConfig", VIT),
    "vit-msn": ("ViTMSNModel", "ViTMSNConfig", VIT),
    "dinov2": ("Dinov2Model", "Dinov2Config", VIT),
    "yolos": ("YolosForObjectDetection", "YolosConfig", {**VIT, "image_size": [32, 32], "num_detection_tokens": 5}, 2),
    "clip-vision": ("CLIPVisionModel", "CLIPVisionConfig", VIT, 2),
    "siglip-vision": ("SiglipVisionModel", "SiglipVisionConfig", VIT, 2),
    "blip-vision": ("BlipVisionModel", "BlipVisionConfig", VIT),
    "swin": ("SwinModel", "SwinConfig", SWIN),
    "swinv2": ("Swinv2Model", "Swinv2Config", SWIN),
    "convnext": ("ConvNextModel", "ConvNextConfig", dict(hidden_sizes=[8, 16, 24, 32], depths=[1, 1, 2, 1])),
    "convnextv2": ("ConvNextV2Model", "ConvNextV2Config", dict(hidden_sizes=[8, 16, 24, 32], depths=[1, 1, 2, 1])),
    "resnet": ("ResNetForImageClassification", "ResNetConfig", STAGES),
    "regnet": ("RegNetModel", "RegNetConfig", {**STAGES, "groups_width": 8}),
    "mobilenet-v1": ("MobileNetV1Model", "MobileNetV1Config", dict(depth_multiplier=0.25, image_size=32)),
    "mobilenet-v2": ("MobileNetV2Model", "MobileNetV2Config", dict(depth_multiplier=0.25, image_size=32)),
    "mobilevit": ("MobileViTModel", "MobileViTConfig", dict(hidden_sizes=[16, 24, 32], neck_hidden_sizes=[8, 8, 16, 16, 24, 24, 32], num_attention_heads=4)),
    "mobilevitv2": ("MobileViTV2Model", "MobileViTV2Config", dict(width_multiplier=0.25), 1, 64),
    "segformer": ("SegformerForSemanticSegmentation", "SegformerConfig", {**PYRAMID, "decoder_hidden_size": 16}),
    "pvt": ("PvtModel", "PvtConfig", {**PYRAMID, "image_size": 32}),
    "pvt-v2": ("PvtV2Model", "PvtV2Config", {**PYRAMID, "image_size": 32}),
    "glpn": ("GLPNForDepthEstimation", "GLPNConfig", {**PYRAMID, "decoder_hidden_size": 16}),
    "poolformer": ("PoolFormerModel", "PoolFormerConfig", dict(hidden_sizes=[8, 16, 24, 32], depths=[1, 1, 1, 1])),
    "levit": ("LevitModel", "LevitConfig", dict(
        image_size=64, hidden_sizes=[16, 24, 32], num_attention_heads=[2, 3, 4], depths=[1, 1, 1], key_dim=[8, 8, 8]), 1, 64),
    "cvt": ("CvtModel", "CvtConfig", dict(embed_dim=[8, 16, 24], num_heads=[1, 2, 3], depth=[1, 2, 3])),
    "efficientnet": ("EfficientNetModel", "EfficientNetConfig", dict(image_size=64, width_coefficient=0.25, depth_coefficient=0.5, hidden_dim=320), 1, 64),
    "focalnet": ("FocalNetModel", "FocalNetConfig", dict(image_size=32, embed_dim=16, hidden_sizes=[16, 32], depths=[1, 1], focal_levels=[2, 2], focal_windows=[3, 3])),
    "bit": ("BitModel", "BitConfig", {**STAGES, "num_groups": 4}),
    "upernet": ("UperNetForSemanticSegmentation", "UperNetConfig", dict(
        backbone_config={"model_type": "convnext", "hidden_sizes": [8, 16, 24, 32], "depths": [1, 1, 1, 1], "out_features": ["stage1", "stage2", "stage3", "stage4"]},
        hidden_size=16, pool_scales=[1, 2], auxiliary_channels=8, auxiliary_in_channels=24, num_labels=5), 1, 64),
    "dpt": ("DPTForDepthEstimation", "DPTConfig", {**VIT, "num_hidden_layers": 4, "backbone_out_indices": [0, 1, 2, 3], "neck_hidden_sizes": [8, 16, 24, 32], "fusion_hidden_size": 16}),
    "detr": ("DetrForObjectDetection", "DetrConfig", dict(
        d_model=32, encoder_layers=1, decoder_layers=1, encoder_attention_heads=4, decoder_attention_heads=4, encoder_ffn_dim=48, decoder_ffn_dim=48,
        num_queries=6, **RESNET), 2, 64),
}
for name, values in PICTURES.items():
    add(f"transformers/{name}", seen(*values))

SPEECH = dict(d_model=32, encoder_layers=2, decoder_layers=2, encoder_attention_heads=4, decoder_attention_heads=4, encoder_ffn_dim=48, decoder_ffn_dim=48)
PAIRS = {**SPEECH, "vocab_size": 99, "max_position_embeddings": 64}
for name, model, more in [
        ("wav2vec2", "Wav2Vec2", {}), ("wav2vec2-stable", "Wav2Vec2", {"do_stable_layer_norm": True, "feat_extract_norm": "layer"}),
        ("hubert", "Hubert", {}), ("wavlm", "WavLM", {}), ("unispeech", "UniSpeech", {}), ("sew", "SEW", {"squeeze_factor": 2})]:
    add(f"transformers/{name}", heard(f"{model}Model", f"{model}Config", {**SOUND, **more}, (1, 800), return_dict=False))
add("transformers/ast", heard("ASTModel", "ASTConfig", {**VIT, "max_length": 40, "num_mel_bins": 24}, (1, 40, 24), return_dict=False))
add("transformers/hifigan", heard("SpeechT5HifiGan", "SpeechT5HifiGanConfig", dict(
    model_in_dim=16, upsample_initial_channel=32, upsample_rates=[4, 4], upsample_kernel_sizes=[8, 8]), (1, 12, 16), "spectrogram"))
add("transformers/bart", paired("BartForConditionalGeneration", "BartConfig", PAIRS))
add("transformers/mbart", paired("MBartForConditionalGeneration", "MBartConfig", PAIRS))
add("transformers/marian", paired("MarianMTModel", "MarianConfig", PAIRS))
add("transformers/pegasus", paired("PegasusForConditionalGeneration", "PegasusConfig", PAIRS))
add("transformers/blenderbot", paired("BlenderbotForConditionalGeneration", "BlenderbotConfig", PAIRS))
add("transformers/m2m-100", paired("M2M100ForConditionalGeneration", "M2M100Config", PAIRS))
add("transformers/t5", paired("T5ForConditionalGeneration", "T5Config", dict(
    vocab_size=99, d_model=32, d_kv=8, d_ff=48, num_layers=2, num_heads=4, feed_forward_proj="gated-gelu")))
add("transformers/whisper", paired("WhisperForConditionalGeneration", "WhisperConfig", {
    **SPEECH, "vocab_size": 99, "num_mel_bins": 16, "max_source_positions": 20, "max_target_positions": 24}, ("input_features", (1, 16, 40))))
