# Shared by the scripts beside it, which source it: the checkout's root, quiet builds, one place for build flags.
# shellcheck shell=bash
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.."
root=$PWD
name=tools/$(basename "$0")

fail() { echo "$name: $1" >&2; exit 1; }

# usage SCRIPT ARGUMENT...: prints the comment at the head of SCRIPT and ends, if an argument asks for it.
usage() {
  local script=$1 argument
  shift
  for argument in "$@"; do
    case "$argument" in
      -h | --help) sed -n '2,${/^#/!q;s/^# \{0,1\}//p}' "$script"; exit 0 ;;
    esac
  done
}

# build MESSAGE ARGUMENT...: `swift build ARGUMENT...`, with its progress on a terminal and otherwise without a word when it succeeds.
build() {
  local message=$1
  shift
  if [ -t 1 ]; then
    echo "$message"
    swift build "$@"
  else
    local log
    log=$(mktemp)
    if ! swift build "$@" >"$log" 2>&1; then
      cat "$log" >&2
      rm -f "$log"
      fail "'swift build $*' failed"
    fi
    rm -f "$log"
  fi
}

# Every release build of these scripts is the same build, so that one serves the next.
release=(-c release --static-swift-stdlib)
build_release() {
  build "Building $1 (a first build takes some minutes)" "${release[@]}" --product "$1"
}
