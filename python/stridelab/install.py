"""Writes the kernelspec and links the prebuilt extension."""

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import List, Optional

NAME = "stridelab"
_RUNTIME_MAJOR = 24
_LOGOS = Path(__file__).parent / "kernelspec"


class InstallError(Exception):
    """Something that the person can mend; the message is one sentence that names the fix."""


def _node(chosen: Optional[str]) -> Path:
    found = shutil.which(chosen or "node")
    if found is None:
        raise InstallError(f"{chosen or 'node'} was not found: install Node {_RUNTIME_MAJOR} or newer, or name it with --node.")
    version = subprocess.run([found, "--version"], capture_output=True, text=True, check=False).stdout.strip()
    major = version.lstrip("v").split(".")[0]
    if not major.isdigit() or int(major) < _RUNTIME_MAJOR:
        raise InstallError(f"{found} is {version or 'no Node'}: the kernel needs Node {_RUNTIME_MAJOR} or newer, name it with --node.")
    return Path(os.path.abspath(found))


def _write_kernelspec(folder: Path, node: Path, kernel: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    spec = {
        "argv": [str(node), str(kernel), "{connection_file}"],
        "display_name": "TypeScript (Stridelab)",
        "language": "typescript",
        "interrupt_mode": "message",
        "metadata": {"debugger": False},
    }
    (folder / "kernel.json").write_text(json.dumps(spec, indent=2) + "\n", encoding="utf-8")
    for logo in sorted(_LOGOS.glob("logo-*")):
        shutil.copyfile(logo, folder / logo.name)


def _link_extension(target: Path, source: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    if target.is_symlink():
        target.unlink()
    elif target.exists():
        shutil.rmtree(target)
    try:
        target.symlink_to(source, target_is_directory=True)
    except OSError:  # Windows allows links to administrators only
        shutil.copytree(source, target)


def install(data_dir: Path, *, node: Optional[str], kernel: Optional[Path], labextension: Optional[Path]) -> List[Path]:
    """
    Registers the kernel below ``data_dir`` (a Jupyter data folder), and the extension when one is given.

    Returns what was written. Raises ``InstallError`` when Node or the kernel is missing, before anything is written.
    """
    if kernel is None or not kernel.is_file():
        what = f"{kernel} does not exist" if kernel else "no compiled kernel was found"
        raise InstallError(f"{what}: build it with npm run build and name dist/kernel/front/main.js with --kernel.")
    if labextension is not None and not (labextension / "package.json").is_file():
        raise InstallError(f"{labextension} is no built extension: build it with npm run build.")
    program = _node(node)
    kernelspec = data_dir / "kernels" / NAME
    _write_kernelspec(kernelspec, program, kernel.resolve())
    if labextension is None:
        return [kernelspec]
    extension = data_dir / "labextensions" / NAME
    _link_extension(extension, labextension.resolve())
    return [kernelspec, extension]
