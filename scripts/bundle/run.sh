#!/usr/bin/env bash
# Runs Stridelab's GPU tests from this folder. Needs a CUDA driver, tar and xz; nothing is installed.
#   run.sh                              every test
#   run.sh --sanitizer memcheck [FILE]  those of some files under compute-sanitizer; test/gpu/run.ts lists the options
#   run.sh FILE [ARG...]                your own program with the bundle's Node, which can import "stridelab"
set -euo pipefail
bundle=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=${STRIDELAB_BUNDLE_WORK:-$(mktemp -d)}
[[ -n ${STRIDELAB_BUNDLE_WORK:-} ]] || trap 'rm -rf "$work"' EXIT
mkdir -p "$work"
if [[ ! -x $work/node ]]; then
  xz --decompress --stdout "$bundle/node.xz" > "$work/node"
  tar -xJf "$bundle/product.tar.xz" -C "$work"
  chmod +x "$work/node"
  mkdir -p "$work/libraries"
  tar -xJf "$bundle/python.tar.xz" -C "$work/libraries"
fi
# Dask, dask-cuda and UCX are for one version of Python.
if [[ $(python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2> /dev/null) == 3.12 ]]; then
  export PYTHONPATH=$work/python:$work/libraries${PYTHONPATH:+:$PYTHONPATH}
  export LD_LIBRARY_PATH=$work/libraries/libucx/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
fi

if (($# > 0)) && [[ $1 != -* ]]; then
  program=$(basename "$1")
  cp "$1" "$work/$program"
  shift
else
  program=test/gpu/run.ts
fi
cd "$work"
./node "$program" "$@"
