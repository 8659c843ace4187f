"""Small networks of diffusers, with random weights."""
import diffusers
import torch
from diffusers.models import attention_processor, embeddings, resnet

from case import Named, Network, add, randomise

CROSS = dict(
    sample_size=8, in_channels=4, layers_per_block=1, block_out_channels=(16, 32), norm_num_groups=4, cross_attention_dim=16,
    attention_head_dim=8)
UNET = dict(**CROSS, out_channels=4, down_block_types=("CrossAttnDownBlock2D", "DownBlock2D"), up_block_types=("UpBlock2D", "CrossAttnUpBlock2D"))
TEXT = (1, 6, 16)
LATENT = (1, 4, 8, 8)


def network(build, names, shapes, steps=(3.0, 750.0), keep=1, **fixed):
    """A model whose inputs have these shapes. The shape "time" stands for a scalar time step from `steps`."""
    def make():
        module = randomise(build())
        samples = [
            tuple(torch.full((1,), step) if shape == "time" else torch.randn(shape) for shape in shapes) for step in steps]
        return Network(Named(module, names, keep, **fixed), samples)

    return make


def denoiser(build, *more, **fixed):
    names, shapes = ["sample", "timestep", *[name for name, _ in more]], [LATENT, "time", *[shape for _, shape in more]]
    return network(build, names, shapes, return_dict=False, **fixed)


def plain_attention():
    unet = diffusers.UNet2DConditionModel(**UNET)
    unet.set_attn_processor(attention_processor.AttnProcessor())
    return unet


class Extra(torch.nn.Module):
    """SDXL's network, with pooled text embeddings and image sizes as further inputs."""

    def __init__(self):
        super().__init__()
        self.unet = diffusers.UNet2DConditionModel(
            **UNET, addition_embed_type="text_time", addition_time_embed_dim=8, projection_class_embeddings_input_dim=6 * 8 + 12, use_linear_projection=True)

    def forward(self, sample, timestep, text, pooled, sizes):
        more = {"text_embeds": pooled, "time_ids": sizes}
        return self.unet(sample, timestep, text, added_cond_kwargs=more, return_dict=False)[0]


class Adapter(torch.nn.Module):
    """A ControlNet; returns its residuals for the controlled network."""

    def __init__(self):
        super().__init__()
        more = dict(down_block_types=("CrossAttnDownBlock2D", "DownBlock2D"), conditioning_embedding_out_channels=(8, 16))
        self.net = diffusers.ControlNetModel(**{key: value for key, value in CROSS.items() if key != "sample_size"}, **more)

    def forward(self, sample, timestep, text, hint):
        down, middle = self.net(sample, timestep, text, hint, return_dict=False)
        return (*down, middle)


class Half(torch.nn.Module):
    """The encoder or the decoder of a VAE."""

    def __init__(self, vae, part):
        super().__init__()
        self.vae, self.part = vae, part

    def forward(self, x):
        if self.part == "decode":
            return self.vae.decode(x, return_dict=False)[0]
        return self.vae.quant_conv(self.vae.encoder(x))


def vae(part):
    blocks = dict(down_block_types=("DownEncoderBlock2D",) * 2, up_block_types=("UpDecoderBlock2D",) * 2)
    return Half(diffusers.AutoencoderKL(block_out_channels=(8, 16), layers_per_block=1, norm_num_groups=4, latent_channels=4, sample_size=16, **blocks), part)


class Tiny(torch.nn.Module):
    def __init__(self, part):
        super().__init__()
        whole = diffusers.AutoencoderTiny(
            encoder_block_out_channels=(8, 8), decoder_block_out_channels=(8, 8), num_encoder_blocks=(1, 1), num_decoder_blocks=(1, 1))
        self.body = getattr(whole, part)

    def forward(self, x):
        return self.body(x)


def unet2d():
    return diffusers.UNet2DModel(
        sample_size=8, in_channels=4, out_channels=4, layers_per_block=1, block_out_channels=(16, 32), norm_num_groups=4, attention_head_dim=8,
        down_block_types=("DownBlock2D", "AttnDownBlock2D"), up_block_types=("AttnUpBlock2D", "UpBlock2D"))


def skips():
    return diffusers.UNet2DModel(
        sample_size=8, in_channels=4, out_channels=4, layers_per_block=1, block_out_channels=(16, 32), norm_num_groups=4,
        down_block_types=("ResnetDownsampleBlock2D", "DownBlock2D"), up_block_types=("UpBlock2D", "ResnetUpsampleBlock2D"))


def sd3():
    return diffusers.SD3Transformer2DModel(
        sample_size=8, patch_size=2, in_channels=4, num_layers=2, attention_head_dim=8, num_attention_heads=2, joint_attention_dim=16,
        caption_projection_dim=16, pooled_projection_dim=12, out_channels=4, pos_embed_max_size=8)


def dit():
    return diffusers.DiTTransformer2DModel(num_attention_heads=2, attention_head_dim=8, in_channels=4, out_channels=4, num_layers=2, sample_size=8)


def pixart():
    return diffusers.PixArtTransformer2DModel(
        num_attention_heads=2, attention_head_dim=8, in_channels=4, out_channels=8, num_layers=2, cross_attention_dim=16, sample_size=8, caption_channels=16,
        use_additional_conditions=False)


def block(build, shape=(1, 16, 8, 8), names=("input",)):
    return network(build, list(names), [shape])


add("diffusers/unet-condition", denoiser(lambda: diffusers.UNet2DConditionModel(**UNET), ("encoder_hidden_states", TEXT)))
add("diffusers/unet-plain-attention", denoiser(plain_attention, ("encoder_hidden_states", TEXT)))
add("diffusers/unet-linear", denoiser(
    lambda: diffusers.UNet2DConditionModel(**UNET, use_linear_projection=True, resnet_time_scale_shift="scale_shift"), ("encoder_hidden_states", TEXT)))
add("diffusers/unet-sdxl", network(Extra, ["sample", "timestep", "text", "pooled", "sizes"], [LATENT, "time", TEXT, (1, 12), (1, 6)]))
add("diffusers/controlnet", network(Adapter, ["sample", "timestep", "text", "hint"], [LATENT, "time", TEXT, (1, 3, 16, 16)], keep=9))
add("diffusers/unet", denoiser(unet2d))
add("diffusers/unet-resnet-blocks", denoiser(skips))
add("diffusers/vae-encoder", network(lambda: vae("encode"), ["x"], [(1, 3, 16, 16)]))
add("diffusers/vae-decoder", network(lambda: vae("decode"), ["x"], [LATENT]))
add("diffusers/vae-tiny-encoder", network(lambda: Tiny("encoder"), ["x"], [(1, 3, 16, 16)]))
add("diffusers/vae-tiny-decoder", network(lambda: Tiny("decoder"), ["x"], [LATENT]))
add("diffusers/sd3", network(
    sd3, ["hidden_states", "encoder_hidden_states", "pooled_projections", "timestep"], [LATENT, TEXT, (1, 12), "time"], return_dict=False))
add("diffusers/pixart", network(
    pixart, ["hidden_states", "encoder_hidden_states", "timestep"], [LATENT, TEXT, "time"],
    added_cond_kwargs={"resolution": None, "aspect_ratio": None}, return_dict=False))
add("diffusers/prior", network(
    lambda: diffusers.PriorTransformer(num_attention_heads=2, attention_head_dim=8, num_layers=2, embedding_dim=12, num_embeddings=5, additional_embeddings=4),
    ["hidden_states", "timestep", "proj_embedding", "encoder_hidden_states"], [(1, 12), "time", (1, 12), (1, 5, 12)], return_dict=False))
add("diffusers/resnet-block", network(
    lambda: resnet.ResnetBlock2D(in_channels=16, out_channels=24, temb_channels=12, groups=4), ["input_tensor", "temb"], [(1, 16, 8, 8), (1, 12)]))
add("diffusers/upsample", block(lambda: resnet.Upsample2D(16, use_conv=True), names=("hidden_states",)))
add("diffusers/downsample", block(lambda: resnet.Downsample2D(16, use_conv=True), names=("hidden_states",)))
add("diffusers/fir-upsample", block(lambda: resnet.FirUpsample2D(16, use_conv=True, out_channels=16), names=("hidden_states",)))
add("diffusers/timesteps", network(lambda: embeddings.Timesteps(32, True, 0), ["timesteps"], ["time"], steps=(3.0, 40.0)))
add("diffusers/timesteps-late", network(lambda: embeddings.Timesteps(32, True, 0), ["timesteps"], ["time"], steps=(500.0, 999.0)))
