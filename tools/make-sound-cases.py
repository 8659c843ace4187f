#!/usr/bin/env python3
"""Writes Tests/Cases/models/sound-analysis.json: log mel spectrograms of synthetic signals, computed like VGGish.

The front end follows AudioSet's VGGish (Hershey et al., arXiv:1609.09430) and SoundAnalysisPreprocessing.proto:
- input: 15,600 samples at 16 kHz
- frames: 400 samples with a hop of 160, periodic Hann window, padded to 512 samples for the FFT; magnitudes
- mel filters: 64 triangles of equal width on the scale 1127 ln(1 + f / 700) from 125 to 7500 Hz, zero weight for DC
- output: log(sum + 0.01) of each filter

Needs numpy. The signals are computed with integers, so that a test can generate the same ones.
usage: tools/make-sound-cases.py
"""
import json
import pathlib

import numpy as np

FILE = pathlib.Path(__file__).resolve().parent.parent / "Tests/Cases/models/sound-analysis.json"
SAMPLES, RATE, FRAME, HOP, FFT, BINS, LOW, HIGH, OFFSET = 15600, 16000, 400, 160, 512, 64, 125.0, 7500.0, 0.01


def noise():
    """The upper 16 bits of a linear congruential generator, as -1 to 1."""
    state, out = 1, []
    for _ in range(SAMPLES):
        state = (1664525 * state + 1013904223) % 2**32
        out.append((state >> 16) / 32768 - 1)
    return np.array(out)


def sweep():
    """A sawtooth from -0.5 to 0.5 with a rising pitch."""
    phase, out = 0, []
    for index in range(SAMPLES):
        phase = (phase + 300 + index) % 65536
        out.append((phase / 32768 - 1) / 2)
    return np.array(out)


def click():
    out = np.zeros(SAMPLES)
    out[7000] = 1
    return out


def mel(hertz):
    return 1127.0 * np.log(1.0 + hertz / 700.0)


def log_mel(samples):
    count = 1 + (len(samples) - FRAME) // HOP
    window = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(FRAME) / FRAME)
    frames = np.stack([samples[HOP * i : HOP * i + FRAME] * window for i in range(count)])
    magnitudes = np.abs(np.fft.rfft(frames, FFT))
    places = mel(np.arange(FFT // 2 + 1) * RATE / FFT)
    edges = np.linspace(mel(LOW), mel(HIGH), BINS + 2)
    weights = np.zeros((len(places), BINS))
    for band in range(BINS):
        lower, centre, upper = edges[band : band + 3]
        rising = (places - lower) / (centre - lower)
        falling = (upper - places) / (upper - centre)
        weights[:, band] = np.maximum(0, np.minimum(rising, falling))
    weights[0] = 0
    return np.log(magnitudes @ weights + OFFSET)


def main():
    cases = []
    for name, samples in (("noise", noise()), ("sweep", sweep()), ("click", click()), ("silence", np.zeros(SAMPLES))):
        result = log_mel(samples)
        assert result.shape == (96, 64)
        frames = {str(i): [round(float(x), 7) for x in result[i]] for i in (0, 42, 95)}
        cases.append({"signal": name, "mean": float(result.mean()), "frames": frames})
    FILE.parent.mkdir(parents=True, exist_ok=True)
    FILE.write_text("[\n" + ",\n".join("  " + json.dumps(case) for case in cases) + "\n]\n")


main()
