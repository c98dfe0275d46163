/** Finds the external libraries for a device without opening them: each is opened when needed. */

import { homedir } from 'node:os';
import { isAbsolute } from 'node:path';

import { candidates, CUBLAS_LT, NCCL, NVRTC, type LibraryNames } from '../../core/search.ts';
import { nvrtcInUse } from '../../compiler/nvrtc.ts';
import { python } from '../../python/python.ts';
import { pythonCandidates } from '../../python/interpreter/candidates.ts';
import type { Device } from '../../core/device.ts';
import type { LibraryPicture } from './schema.ts';

/** Cached: a search takes a millisecond or more, and files rarely change while a notebook runs. */
const files = new Map<LibraryNames, string | undefined>();

function fileOf(names: LibraryNames): string | undefined {
  if (!files.has(names)) files.set(names, candidates(names).find(isAbsolute));
  return files.get(names);
}

/** Hides the name of the home folder: the picture is saved with its notebook. */
const shown = (file: string): string => file.replace(homedir(), '~');

/** Describes a library that is not open: its file if one was found, otherwise how to get it. */
function closed(name: string, purpose: string, file: string | undefined, advice: string): LibraryPicture {
  return file === undefined
    ? { name, state: 'missing', version: '', detail: advice, purpose }
    : { name, state: 'found', version: '', detail: shown(file), purpose };
}

function nvidia(name: string, names: LibraryNames, purpose: string, wheel: string): LibraryPicture {
  // The loader's search path is tried too, but only opening a library shows whether it is there.
  const advice = `not in Python packages or a CUDA toolkit: pip install ${wheel}`;
  return closed(name, purpose, fileOf(names), advice);
}

function compiler(): LibraryPicture {
  const opened = nvrtcInUse();
  const picture = nvidia('NVRTC', NVRTC, 'kernels and array operations', 'nvidia-cuda-nvrtc');
  if (opened === undefined) return picture;
  const version = `${opened.major}.${opened.minor}`;
  return { ...picture, state: 'in use', version, detail: shown(opened.path) };
}

function interpreter(): LibraryPicture {
  const purpose = 'Python cells and libraries';
  const { state, installation } = python.status;
  if (state === 'running' && installation !== null) {
    const { version, executable } = installation;
    return { name: 'Python', state: 'in use', version, detail: shown(executable), purpose };
  }
  return closed('Python', purpose, pythonCandidates()[0], 'no python3 on the search path');
}

/** Lists the libraries. A simulated device needs none of NVIDIA's. */
export function librariesFor(device: Device): LibraryPicture[] {
  if (device.simulated) return [interpreter()];
  return [
    compiler(),
    nvidia('cuBLASLt', CUBLAS_LT, 'matrix products', 'nvidia-cublas'),
    nvidia('NCCL', NCCL, 'collectives', 'nvidia-nccl-cu13'),
    interpreter()
  ];
}
