"""Makes MobileNetV2 (random weights, fp32, a 224 x 224 image) in both formats, for `tools/bench-batch --network`.

    pip install torch torchvision coremltools==9.0 onnx
    tools/batch/network.py OUT        writes OUT/mobilenet.mlpackage and OUT/mobilenet.onnx
"""
import pathlib
import sys

import coremltools as ct
import torch
import torchvision

out = pathlib.Path(sys.argv[1])
out.mkdir(parents=True, exist_ok=True)
torch.manual_seed(0)
model = torchvision.models.mobilenet_v2(weights=None).eval()
example = torch.rand(1, 3, 224, 224)
picture = ct.ImageType("image", shape=example.shape, scale=1 / 127.5, bias=[-1, -1, -1])
converted = ct.convert(
    torch.jit.trace(model, example), inputs=[picture], outputs=[ct.TensorType("scores")], convert_to="mlprogram",
    compute_precision=ct.precision.FLOAT32, minimum_deployment_target=ct.target.iOS16)
converted.save(str(out / "mobilenet.mlpackage"))
torch.onnx.export(model, example, str(out / "mobilenet.onnx"), input_names=["image"], output_names=["scores"], dynamo=False)
