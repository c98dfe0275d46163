/** Builds the stand-in for the CUDA driver on machines without a GPU (fake-cuda.c) when a test needs it. */

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const source = fileURLToPath(new URL('fake-cuda.c', import.meta.url));
const flags = '-std=gnu11 -O1 -Wall -Wextra -Werror -fPIC -shared -fvisibility=hidden'.split(' ');

/** Builds it; `environment` makes a program use it, `file` is for programs that load it themselves, as another CUDA library would. */
export function buildFakeCuda(): {
  readonly file: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly remove: () => void;
} {
  const folder = mkdtempSync(join(tmpdir(), 'stridelab-cuda-'));
  const file = join(folder, 'libcuda.so.1');
  execFileSync(process.env['CC'] ?? 'cc', [...flags, source, '-o', file], { stdio: 'inherit' });
  return {
    file,
    environment: { STRIDELAB_LIBCUDA: file },
    remove: () => rmSync(folder, { recursive: true })
  };
}
