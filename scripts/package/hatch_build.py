"""Makes the wheel for one platform: adds the kernel, its registration and its bill of materials, which npm run package has prepared."""

import os
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class KernelHook(BuildHookInterface):
    """Without STRIDELAB_WHEEL_CONTENTS the wheel has no kernel and is for every platform."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        contents = os.environ.get("STRIDELAB_WHEEL_CONTENTS")
        if not contents:
            return
        build_data["tag"] = f"py3-none-{os.environ['STRIDELAB_WHEEL_PLATFORM']}"
        build_data["pure_python"] = False
        build_data["force_include"][str(Path(contents, "node"))] = "stridelab/node"
        build_data["shared_data"][str(Path(contents, "kernelspec"))] = "share/jupyter/kernels/stridelab"
        build_data["sbom_files"].append(str(Path(contents, "stridelab.cdx.json")))
