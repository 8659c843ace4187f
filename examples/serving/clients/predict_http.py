"""Classifies pictures over REST: pip install 'tritonclient[http]'; predict_http.py HOST:PORT FILE..."""
import sys

import numpy as np
import tritonclient.http as client

host, *files = sys.argv[1:]
with client.InferenceServerClient(host) as server:
    for file in files:
        picture = client.InferInput("image", [1], "BYTES")
        picture.set_data_from_numpy(np.array([np.fromfile(file, np.uint8).tobytes()], object))
        best = client.InferRequestedOutput("classLabel_probs", class_count=1)
        # The server does not start a request whose time is over. The unit is microseconds.
        answer = server.infer("Digits", [picture], outputs=[best], timeout=500_000)
        probability, _, label = answer.as_numpy("classLabel_probs")[0, 0].decode().split(":")
        print(f"{file}: {label} {float(probability):.4f}")
