"""Classifies pictures over gRPC: pip install 'tritonclient[grpc]'; predict_grpc.py HOST:PORT FILE..."""
import sys

import numpy as np
import tritonclient.grpc as client

host, *files = sys.argv[1:]
with client.InferenceServerClient(host) as server:
    for file in files:
        picture = client.InferInput("image", [1], "BYTES")
        picture.set_data_from_numpy(np.array([np.fromfile(file, np.uint8).tobytes()], object))
        best = client.InferRequestedOutput("classLabel_probs", class_count=1)
        # Seconds, sent as the deadline of the call.
        answer = server.infer("Digits", [picture], outputs=[best], client_timeout=0.5)
        probability, _, label = answer.as_numpy("classLabel_probs")[0, 0].decode().split(":")
        print(f"{file}: {label} {float(probability):.4f}")
