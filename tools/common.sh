# Functions for the scripts in this folder, which source this file: checkout root, quiet builds, common build flags.
# shellcheck shell=bash
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.."
root=$PWD
name=tools/$(basename "$0")

fail() { echo "$name: $1" >&2; exit 1; }

# usage SCRIPT ARGUMENT...: prints the leading comment of SCRIPT and exits, if an argument is -h or --help.
usage() {
  local script=$1 argument
  shift
  for argument in "$@"; do
    case "$argument" in
      -h | --help) sed -n '2,${/^#/!q;s/^# \{0,1\}//p}' "$script"; exit 0 ;;
    esac
  done
}

# build MESSAGE ARGUMENT...: runs `swift build ARGUMENT...`. Shows progress on a terminal. Elsewhere prints one line at
# the start and one at the end to standard error, or the whole output if the build fails.
build() {
  local message=$1
  shift
  if [ -t 1 ]; then
    echo "$message"
    swift build "$@"
  else
    echo "$message" >&2
    local log begin=$SECONDS
    log=$(mktemp)
    if ! swift build "$@" >"$log" 2>&1; then
      cat "$log" >&2
      rm -f "$log"
      fail "'swift build $*' failed"
    fi
    rm -f "$log"
  fi
}

# All scripts use the same flags for release builds, so that they reuse each other's build.
release=(-c release --static-swift-stdlib)
build_release() {
  build "Building $1 (a first build takes some minutes)" "${release[@]}" --product "$1"
}
