/** The GPU backend: generated kernels and cuBLASLt. */

import type { Backend } from '../program/runs.ts';
import { matmul } from './matmul.ts';
import { random } from './random.ts';
import { elementwise } from './run-elementwise.ts';
import { reduce } from './run-reduce.ts';
import { cumulate } from './scan.ts';
import { take } from './take.ts';
import { transpose } from './transpose.ts';

export const gpuBackend: Backend = { elementwise, reduce, cumulate, matmul, take, random, transpose };
