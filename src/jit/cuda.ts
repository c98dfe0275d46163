/** `cuda`: CUDA C++ in a program or a cell. */

import { compile, compileAsync, load } from './module.ts';
import { nvrtc } from '../compiler/nvrtc.ts';
import * as typed from './typed-value.ts';

/** Compiles and loads CUDA C++ and CUDA binaries, and makes typed values for kernel arguments. */
export const cuda = Object.freeze({
  compile,
  compileAsync,
  load,
  /** Returns the compiler in use: its file and version. @throws DriverUnavailableError that lists the files tried */
  compiler: nvrtc,
  ...typed
});
