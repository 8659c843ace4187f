#!/usr/bin/env bash
# Calls the server over REST with curl.
# usage: examples/serving/clients/curl.sh [URL]     URL: default http://127.0.0.1:8000, where `runtime serve examples/digits/Digits.mlpackage` listens
#   COREML_TOKEN: a bearer token, if the server wants one
set -euo pipefail
url=${1:-http://127.0.0.1:8000}
picture=$(dirname "$(readlink -f "$0")")/../../digits/seven.png
ask() { curl --silent --show-error --fail-with-body ${COREML_TOKEN:+--header "Authorization: Bearer $COREML_TOKEN"} "$@"; echo; }

echo "# Is the server ready?"
ask "$url/v2/health/ready"
echo "# The inputs and outputs of a model"
ask "$url/v2/models/Digits"
echo "# A picture as the body"
ask "$url/v2/models/Digits/infer" --header "Content-Type: image/png" --data-binary "@$picture"
echo "# JSON, then the picture as bytes; the three most probable classes; 500 ms to answer"
# A byte string is its length in four bytes, little-endian, and the bytes.
size=$(stat -c %s "$picture")
length=$(printf '\\x%02x' $((size & 255)) $((size >> 8 & 255)) $((size >> 16 & 255)) $((size >> 24)))
json='{"id": "seven", "parameters": {"timeout": 500000},
  "inputs": [{"name": "image", "datatype": "BYTES", "shape": [1], "parameters": {"binary_data_size": '$((size + 4))'}}],
  "outputs": [{"name": "classLabel_probs", "parameters": {"classification": 3}}]}'
{ printf '%s' "$json" && printf '%b' "$length" && cat "$picture"; } |
  ask "$url/v2/models/Digits/infer" --header "Inference-Header-Content-Length: ${#json}" --data-binary @-
echo "# Plain JSON: a black picture of 32 x 32 gray pixels"
pixels=$(printf '0,%.0s' {1..1024})
ask "$url/v2/models/Digits/infer" --data-binary @- <<END
{"inputs": [{"name": "image", "datatype": "UINT8", "shape": [1, 32, 32, 1], "data": [${pixels%,}]}]}
END
