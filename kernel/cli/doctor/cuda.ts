/** Checks the CUDA driver, its devices and NVIDIA's libraries, or the simulated device. */

import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { NodeRuntime } from '../kit/node-runtime.ts';
import { packageFiles } from '../kit/package-files.ts';
import { findings, type Check, type Checks } from './check.ts';
import type { DeviceAnswer } from './device-probe.ts';

const { ok, warn, fail } = findings('CUDA');
const run = promisify(execFile);
const TIMEOUT_MS = 60_000;
const PROBE = join(packageFiles.root, 'dist', 'kernel', 'cli', 'doctor', 'device-probe.js');
/** Created by NVIDIA's kernel module, even without its user-space libraries. */
const DEVICE_NODE = '/dev/nvidiactl';

export async function checkCuda(node: NodeRuntime): Promise<Checks> {
  let answer: DeviceAnswer;
  try {
    const { stdout } = await run(node.path, [PROBE], { timeout: TIMEOUT_MS });
    answer = JSON.parse(stdout) as DeviceAnswer;
  } catch (error) {
    const { signal, stderr } = error as { signal?: string | null; stderr?: string };
    const why = signal ?? /^\w*Error.*$/m.exec(stderr ?? '')?.[0] ?? (error as Error).message;
    const fix = 'build the native core with npm run build; if it is built, the driver is broken';
    return [fail(`the array library does not load (${why})`, fix)];
  }
  const real = answer.devices.filter(({ simulated }) => !simulated);
  const first = real[0];
  if (first === undefined) return [noDevice(answer)];
  const driver = `driver for CUDA ${Math.floor(first.driverVersion / 1000)}.${(first.driverVersion % 1000) / 10}`;
  return [
    ok(`${driver}: ${real.map(({ text }) => text).join('; ')}`),
    library(
      'NVRTC',
      answer.nvrtc,
      'cuda.compile and array operations need it: pip install nvidia-cuda-nvrtc'
    ),
    ...(real.length > 1
      ? [
          library(
            'NCCL',
            answer.nccl,
            'collectives between these devices need it: pip install nvidia-nccl-cu12'
          )
        ]
      : [])
  ];
}

function library(name: string, found: DeviceAnswer['nvrtc'], fix: string): Check {
  return typeof found === 'string' ? ok(`${name} at ${found}`) : warn(found.absence, fix);
}

function noDevice({ devices }: DeviceAnswer): Check {
  const simulated = devices.map(({ text }) => text).join('; ');
  return existsSync(DEVICE_NODE)
    ? warn(
        `there is an NVIDIA GPU, but its driver library does not load; arrays live on ${simulated}`,
        "install the driver's libcuda (for a container: use the NVIDIA runtime)"
      )
    : ok(`no NVIDIA GPU was found; arrays live on ${simulated}`);
}
