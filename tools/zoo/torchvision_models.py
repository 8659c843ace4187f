"""Small models of torchvision, with random weights."""
import functools

import torch
import torchvision
from torch import nn
from torchvision import models, ops
from torchvision.models import convnext, detection, efficientnet, resnet, segmentation, swin_transformer, vgg, video
from torchvision.models._utils import IntermediateLayerGetter

from case import Network, add, pictures, randomise, tensors


class Flat(nn.Module):
    """Wraps a module whose output is a dictionary or a list; returns its tensors."""

    def __init__(self, module, keep=9):
        super().__init__()
        self.module, self.keep = module, keep

    def forward(self, *arguments):
        answer = tensors(self.module(*arguments))[:self.keep]
        return answer[0] if len(answer) == 1 else tuple(answer)


def seen(build, size=64, shape=None, gain=2**0.5, keep=9):
    """A model with one image as input, or with a random tensor of `shape`."""
    def make():
        module = Flat(randomise(build(), gain), keep)
        samples = [(torch.randn(shape),) for _ in range(2)] if shape else pictures(size=size)
        return Network(module, samples)

    return make


def small_resnet(block=resnet.BasicBlock, layers=(1, 1, 1, 1), **more):
    return resnet.ResNet(block, list(layers), num_classes=10, **more)


def small_vgg(batch_norm):
    network = vgg.VGG(vgg.make_layers([8, "M", 16, "M", 24, 24, "M"], batch_norm), num_classes=10)
    network.classifier = nn.Sequential(nn.Linear(24 * 49, 32), nn.ReLU(True), nn.Dropout(), nn.Linear(32, 10))
    return network


def small_alexnet():
    network = models.AlexNet(num_classes=10)
    network.classifier = nn.Sequential(nn.Dropout(), nn.Linear(256 * 36, 32), nn.ReLU(), nn.Linear(32, 10))
    return network


def small_convnext():
    settings = [convnext.CNBlockConfig(*each) for each in [(16, 32, 1), (32, 48, 1), (48, None, 2)]]
    return convnext.ConvNeXt(settings, num_classes=10)


def small_efficientnet():
    settings = [efficientnet.MBConvConfig(*each, 1.0, 1.0) for each in [(1, 3, 1, 16, 8, 1), (6, 3, 2, 8, 16, 2), (6, 5, 2, 16, 24, 1)]]
    return efficientnet.EfficientNet(settings, 0.2, num_classes=10)


def small_efficientnet_v2():
    settings = [
        efficientnet.FusedMBConvConfig(1, 3, 1, 8, 8, 1), efficientnet.FusedMBConvConfig(4, 3, 2, 8, 16, 1),
        efficientnet.MBConvConfig(4, 3, 2, 16, 24, 1)]
    return efficientnet.EfficientNet(settings, 0.2, num_classes=10, last_channel=64)


def small_swin(block=swin_transformer.SwinTransformerBlock, merging=swin_transformer.PatchMerging):
    return swin_transformer.SwinTransformer(
        [4, 4], 16, [2, 2], [2, 4], [4, 4], num_classes=10, block=block, downsample_layer=merging)


def dilated():
    return small_resnet(resnet.Bottleneck, replace_stride_with_dilation=[False, True, True])


def segmenter(head, model, auxiliary=False):
    """A segmentation model with a small dilated backbone."""
    layers = {"layer4": "out", "layer3": "aux"} if auxiliary else {"layer4": "out"}
    more = segmentation.fcn.FCNHead(1024, 5) if auxiliary else None
    return model(IntermediateLayerGetter(dilated(), layers), head(2048, 5), more)


def pyramid():
    return detection.backbone_utils._resnet_fpn_extractor(small_resnet(), 0)


class Heads(nn.Module):
    """A feature pyramid with the heads of a detector, without the later stages, whose shapes depend on values."""

    def __init__(self, body, head):
        super().__init__()
        self.body, self.head = body, head

    def forward(self, picture):
        return self.head(list(self.body(picture).values()))


def retina(head):
    return Heads(pyramid(), head(256, 2, 3))


class Ssd(nn.Module):
    def __init__(self):
        super().__init__()
        whole = detection.ssdlite320_mobilenet_v3_large(weights=None, weights_backbone=None, num_classes=4)
        self.body, self.head = whole.backbone, whole.head

    def forward(self, picture):
        return self.head(list(self.body(picture).values()))


def clip(build):
    """A network for short video clips."""
    return seen(build, shape=(1, 3, 8, 32, 32))


class Mean(nn.Module):
    """The mean over time and space; the converter lacks adaptive 3-D pooling."""

    def forward(self, x):
        return x.mean(dim=(2, 3, 4))


def small_film(block, conv):
    network = video.resnet.VideoResNet(block, [conv] * 4, [1, 1, 1, 1], video.resnet.BasicStem, num_classes=10)
    network.avgpool = Mean()
    return network


class Boxes(nn.Module):
    """Arithmetic on boxes."""

    def forward(self, numbers):
        boxes = ops.box_convert(numbers.sigmoid() + 0.1, "cxcywh", "xyxy")
        return ops.box_area(boxes), ops.box_iou(boxes, boxes[:4]), ops.clip_boxes_to_image(boxes * 20, (12, 9))


V2 = functools.partial(small_swin, swin_transformer.SwinTransformerBlockV2, swin_transformer.PatchMergingV2)
PICTURES = {
    "resnet-basic": (small_resnet,),
    "resnet-bottleneck": (functools.partial(small_resnet, resnet.Bottleneck),),
    "resnext": (functools.partial(small_resnet, resnet.Bottleneck, groups=4, width_per_group=16),),
    "wide-resnet": (functools.partial(small_resnet, resnet.Bottleneck, width_per_group=96),),
    "resnet-dilated": (dilated,),
    "resnet-group-norm": (functools.partial(small_resnet, norm_layer=functools.partial(nn.GroupNorm, 4)),),
    "vgg": (functools.partial(small_vgg, False),),
    "vgg-norm": (functools.partial(small_vgg, True),),
    "alexnet": (small_alexnet, 96),
    "squeezenet1-0": (models.squeezenet1_0,),
    "squeezenet1-1": (models.squeezenet1_1,),
    "densenet": (functools.partial(models.DenseNet, 8, (2, 2, 2, 2), 16, num_classes=10),),
    "googlenet": (functools.partial(models.GoogLeNet, num_classes=10, aux_logits=False, init_weights=False),),
    "inception-v3": (functools.partial(models.Inception3, num_classes=10, aux_logits=False, init_weights=False), 96),
    "shufflenet-x0.5": (functools.partial(models.shufflenet_v2_x0_5, num_classes=10),),
    "shufflenet-x1.0": (functools.partial(models.shufflenet_v2_x1_0, num_classes=10),),
    "mobilenet-v2": (functools.partial(models.MobileNetV2, num_classes=10, width_mult=0.25),),
    "mobilenet-v3-small": (functools.partial(models.mobilenet_v3_small, num_classes=10),),
    "mobilenet-v3-large": (functools.partial(models.mobilenet_v3_large, num_classes=10, reduced_tail=True),),
    "mnasnet-0.5": (functools.partial(models.mnasnet0_5, num_classes=10),),
    "mnasnet-1.0": (functools.partial(models.mnasnet1_0, num_classes=10),),
    "efficientnet": (small_efficientnet,),
    "efficientnet-b0": (functools.partial(models.efficientnet_b0, num_classes=10),),
    "efficientnet-v2": (small_efficientnet_v2,),
    "regnet-x": (functools.partial(models.regnet_x_400mf, num_classes=10),),
    "regnet-y": (functools.partial(models.regnet_y_400mf, num_classes=10),),
    "convnext": (small_convnext,),
    "vit": (functools.partial(models.VisionTransformer, 64, 16, 2, 4, 32, 48, num_classes=10),),
    "vit-convolutional": (functools.partial(models.VisionTransformer, 64, 16, 2, 4, 32, 48, num_classes=10, conv_stem_configs=[
        models.vision_transformer.ConvStemConfig(8, 3, 4), models.vision_transformer.ConvStemConfig(16, 3, 4)]),),
    "swin": (small_swin,),
    "swin-v2": (V2,),
    "maxvit": (functools.partial(models.MaxVit, (64, 64), 8, 4, [8, 16], [1, 1], 8, 0.2, num_classes=10),),
    "fcn": (functools.partial(segmenter, segmentation.fcn.FCNHead, segmentation.FCN, True),),
    "deeplabv3": (functools.partial(segmenter, functools.partial(segmentation.deeplabv3.DeepLabHead, atrous_rates=(2, 4)), segmentation.DeepLabV3),),
    "deeplabv3-mobilenet": (functools.partial(segmentation.deeplabv3_mobilenet_v3_large, weights_backbone=None, num_classes=5),),
    "lraspp": (functools.partial(segmentation.lraspp_mobilenet_v3_large, weights_backbone=None, num_classes=5),),
    "pyramid": (pyramid,),
    "retinanet-heads": (functools.partial(retina, detection.retinanet.RetinaNetHead),),
    "fcos-heads": (lambda: Heads(pyramid(), detection.fcos.FCOSHead(256, 1, 3)),),
    "ssdlite-heads": (Ssd, 160, None, 1.0),  # with more gain, its outputs depend on the last bit of fp16 weights
    "raft-encoder": (functools.partial(models.optical_flow.raft.FeatureEncoder, strides=(2, 1, 2, 2), layers=(8, 8, 16, 24, 32)),),
    "squeeze-excitation": (functools.partial(ops.SqueezeExcitation, 3, 4),),
}
for name, values in PICTURES.items():
    add(f"torchvision/{name}", seen(*values))
add("torchvision/r3d", clip(lambda: small_film(video.resnet.BasicBlock, video.resnet.Conv3DSimple)))
add("torchvision/mc3", clip(lambda: small_film(video.resnet.BasicBlock, video.resnet.Conv3DNoTemporal)))
add("torchvision/r2plus1d", clip(lambda: small_film(video.resnet.BasicBlock, video.resnet.Conv2Plus1D)))
add("torchvision/boxes", seen(Boxes, shape=(12, 4)))
add("torchvision/normalise", seen(lambda: torchvision.transforms.Normalize([0.4, 0.5, 0.6], [0.2, 0.3, 0.25])))
