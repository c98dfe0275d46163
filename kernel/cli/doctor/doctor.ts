/** `stridelab doctor`: checks everything that a notebook needs and suggests fixes. */

import { dirname } from 'node:path';
import { styleText, stripVTControlCharacters } from 'node:util';
import { writeKernelspec, type InstalledKernelspec } from '../jupyter/kernelspec.ts';
import { packageVersion } from '../kit/package-files.ts';
import type { NodeRuntime } from '../kit/node-runtime.ts';
import type { Check, Status } from './check.ts';
import { checkCuda } from './cuda.ts';
import { askPython, checkJupyter, checkPython, dataFoldersOf } from './jupyter.ts';
import { checkKernel, checkKernelspecs, checkNode, findKernelspecs } from './kernel.ts';

export interface DoctorOptions {
  readonly json?: boolean;
  /** Whether to rewrite this kernel's kernelspecs with the current paths. */
  readonly fix?: boolean;
}

const MARKS: Readonly<Record<Status, string>> = {
  ok: styleText('green', 'ok  '),
  warn: styleText('yellow', 'warn'),
  fail: styleText('red', 'FAIL')
};

function refresh(found: readonly InstalledKernelspec[], node: NodeRuntime): void {
  for (const { name, folder, spec, managed } of found) {
    if (spec === undefined || managed) continue;
    const dataFolder = dirname(dirname(folder));
    writeKernelspec(dataFolder, {
      name,
      displayName: spec.display_name,
      env: spec.env ?? {},
      metadata: spec.metadata,
      node: node.path
    });
  }
}

export async function examine({ fix }: DoctorOptions): Promise<Check[]> {
  const { node, checks } = checkNode();
  // One check after another, so as not to overload a small machine.
  const python = await askPython();
  const folders = dataFoldersOf(python);
  if (fix === true && node !== undefined) refresh(findKernelspecs(folders), node);
  return [
    ...checks,
    ...(node === undefined ? [] : [await checkKernel(node)]),
    ...checkKernelspecs(findKernelspecs(folders)),
    ...checkJupyter(python),
    ...(node === undefined ? [] : await checkCuda(node)),
    ...checkPython(python)
  ];
}

function text(checks: readonly Check[]): string {
  const lines = checks.map(({ area, status, message, fix }) => {
    const advice = fix === undefined ? '' : `\n${' '.repeat(14)}${fix}`;
    return `${MARKS[status]}  ${area.padEnd(7)} ${message}${advice}\n`;
  });
  return lines.join('');
}

/** Runs all checks. @returns exit status: 1 if a check failed @throws CommandFailure if a kernelspec cannot be written */
export async function doctor(options: DoctorOptions): Promise<number> {
  const checks = await examine(options);
  const failed = checks.some(({ status }) => status === 'fail');
  const shown =
    options.json === true
      ? `${JSON.stringify({ version: packageVersion(), ok: !failed, checks }, null, 2)}\n`
      : text(checks);
  process.stdout.write(process.stdout.isTTY ? shown : stripVTControlCharacters(shown));
  return failed ? 1 : 0;
}
