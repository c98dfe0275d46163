/** What a kernel became: CUDA C++, PTX, SASS, resources. */

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compileCode } from '../../compiler/nvrtc.ts';
import type { Device } from '../../core/device.ts';
import type { KernelAttributes, Occupancy } from '../../jit/kernel-function.ts';
import type { Extent, LaunchShape } from '../../jit/launch-shape.ts';
import { emitCuda } from '../cuda/emit.ts';
import { compileRequest, type PreparedOnGpu } from './gpu.ts';
import type { Specialization } from './specialization.ts';

/** What `kernel.inspect` returns. What only a GPU knows is null on a simulated device. */
export interface KernelInspection {
  /** The kernel as CUDA C++. */
  readonly cuda: string;
  /** The kernel as PTX. */
  readonly ptx: string | null;
  /** The machine code as text; null if neither cuobjdump nor nvdisasm is on the path. */
  readonly sass: string | null;
  /** Registers, shared and local memory. Local memory holds spilled registers and local arrays. */
  readonly attributes: KernelAttributes | null;
  /** How many blocks of this size run on a multiprocessor at once. */
  readonly occupancy: Occupancy | null;
  /** The compiler's messages, which name lines of the cell. */
  readonly log: string;
}

export function inspectLaunch(
  specialization: Specialization,
  device: Device,
  shape: LaunchShape
): KernelInspection {
  const { program } = specialization.lowered;
  const cuda = emitCuda(program, { lines: false });
  const prepared = device.kind === 'simulated' ? null : specialization.on(device);
  if (prepared?.kind !== 'gpu')
    return { cuda, ptx: null, sass: null, attributes: null, occupancy: null, log: '' };
  return {
    cuda,
    ptx: ptxOf(specialization, device),
    sass: disassemble(prepared),
    ...resourcesOf(prepared, shape),
    log: prepared.code.log
  };
}

/** Returns what the kernel needs on a multiprocessor, and how many blocks of a shape that leaves room for. */
export function resourcesOf(
  { native }: PreparedOnGpu,
  { block, sharedBytes = 0 }: LaunchShape
): { readonly attributes: KernelAttributes; readonly occupancy: Occupancy } {
  const threads = threadsOf(block);
  const blocks = native.blocksPerMultiprocessor(threads, sharedBytes);
  return {
    attributes: native.attributes(),
    occupancy: { blocksPerMultiprocessor: blocks, activeThreads: blocks * threads }
  };
}

function threadsOf(block: Extent): number {
  return typeof block === 'number'
    ? block
    : block.reduce<number>((product, length) => product * (length ?? 1), 1);
}

function ptxOf({ lowered: { program }, settings }: Specialization, device: Device): string {
  const request = compileRequest(program, device, settings);
  const [major, minor] = device.computeCapability;
  const options = [...request.options, `--gpu-architecture=compute_${major}${minor}`];
  return Buffer.from(compileCode({ ...request, options }).code)
    .toString()
    .replace(/\0+$/, '');
}

/** Returns the machine code as text, by the first disassembler on the path; null if there is none. */
function disassemble({ code }: PreparedOnGpu): string | null {
  const folder = mkdtempSync(join(tmpdir(), 'stridelab-'));
  try {
    const file = join(folder, 'kernel.cubin');
    writeFileSync(file, code.code);
    return run('cuobjdump', ['-sass', file]) ?? run('nvdisasm', [file]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function run(program: string, parameters: readonly string[]): string | null {
  try {
    return execFileSync(program, parameters, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  } catch {
    return null; // not installed, or too old for the code
  }
}
