/** Checks Node, the kernel and its registration. */

import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { CommandFailure } from '../kit/failure.ts';
import { prefixDataFolder } from '../jupyter/data-folders.ts';
import { ownKernelspecs, type InstalledKernelspec } from '../jupyter/kernelspec.ts';
import { findNodeRuntime, nodeVersion, onPath, runsKernel, type NodeRuntime } from '../kit/node-runtime.ts';
import { commandName, packageFiles, repair } from '../kit/package-files.ts';
import { findings, type Check, type Checks } from './check.ts';

const { ok, warn, fail } = findings('Kernel');
const aboutNode = findings('Node');
/** Finds the Node that would run the kernel; undefined if there is none. */
export function checkNode(): { readonly node: NodeRuntime | undefined; readonly checks: Checks } {
  const own = aboutNode.ok(`this command runs on Node ${process.version} at ${process.execPath}`);
  try {
    const node = findNodeRuntime();
    const kernel = aboutNode.ok(`the kernel runs on Node ${node.version} at ${node.path}`);
    return { node, checks: [own, kernel, ...checkPrograms(node)] };
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error;
    const checks = [own, aboutNode.fail(error.message, 'install Node 24 from https://nodejs.org')];
    return { node: undefined, checks };
  }
}

/** Reports which Node programs of cells use, if PATH has another one; and whether there is an npm. */
function checkPrograms(node: NodeRuntime): Checks {
  const checks: Check[] = [];
  const [first] = onPath('node');
  const version = first === undefined ? undefined : nodeVersion(first);
  if (version !== undefined && version !== node.version)
    checks.push(
      aboutNode.ok(`programs that cells start run on the kernel's Node, not on ${version} at ${first}`)
    );
  const npm = [...onPath('npm'), join(dirname(node.path), 'npm')].some(file => existsSync(file));
  if (!npm)
    checks.push(aboutNode.warn('npm was not found, which %npm runs', 'install npm, and put it on PATH'));
  return checks;
}

/** Starts the kernel and runs a cell in it. */
export async function checkKernel(node: NodeRuntime): Promise<Check> {
  if (!existsSync(packageFiles.kernelMain)) return fail(`${packageFiles.kernelMain} does not exist`, repair);
  const start = performance.now();
  try {
    // The client's native module may itself be broken.
    const { KernelSession } = await import('../run/kernel-session.ts');
    const argv = [node.path, packageFiles.kernelMain, '{connection_file}'];
    const { session, info } = await KernelSession.start({ argv, folder: tmpdir() });
    try {
      const answered = performance.now() - start;
      const reply = await session.request('shell', 'execute_request', {
        code: 'const one: number = 1; one + 1',
        silent: true
      });
      if (reply['status'] !== 'ok') throw new Error(`a cell failed: ${String(reply['evalue'])}`);
      const { version } = info['language_info'] as { version: string };
      return ok(`it starts in ${answered.toFixed(0)} ms and runs a cell (TypeScript ${version})`);
    } finally {
      await session.close();
    }
  } catch (error) {
    return fail(`it does not start: ${(error as Error).message}`, repair);
  }
}

const REFRESH = `${commandName} doctor --fix rewrites it`;

function checkKernelspec({ name, folder, spec, managed }: InstalledKernelspec, hidden: boolean): Check {
  const [node = '', main = ''] = spec?.argv ?? [];
  const place = `"${name}" at ${folder}`;
  const isHidden = (): Check =>
    warn(`${place} is hidden by one of the same name that Jupyter finds first`, 'uninstall one of them');
  // It contains no paths that could be stale.
  if (managed) return hidden ? isHidden() : ok(`registered as ${place}, by the Python package`);
  if (!existsSync(node)) return fail(`${place} is stale: ${node} does not exist`, REFRESH);
  const version = nodeVersion(node);
  if (version === undefined || !runsKernel(version))
    return fail(`${place} starts ${node}, which is ${version ?? 'not Node'}`, REFRESH);
  if (!existsSync(main)) return fail(`${place} is stale: ${main} does not exist`, REFRESH);
  if (main !== packageFiles.kernelMain)
    return warn(`${place} starts another copy of the kernel, ${main}`, `if that is not intended: ${REFRESH}`);
  if (spec?.interrupt_mode !== 'message') return warn(`${place} has no interrupt_mode "message"`, REFRESH);
  if (hidden) return isHidden();
  return ok(`registered as ${place}`);
}

/** Returns this kernel's kernelspecs in Jupyter's data folders, in their order. */
export function findKernelspecs(dataFolders: readonly string[]): InstalledKernelspec[] {
  return dataFolders.flatMap(ownKernelspecs);
}

export function checkKernelspecs(found: readonly InstalledKernelspec[]): Checks {
  if (found.length === 0) {
    const install = `${commandName} install`;
    const own = ownKernelspecs(prefixDataFolder(packageFiles.venv));
    if (own.length === 0)
      return [fail('it is not registered in any folder that Jupyter searches', `run ${install}`)];
    return [
      ...own.map(spec => checkKernelspec(spec, false)),
      warn('registered only in the Jupyter of npm start', `to register it in your own too: ${install}`)
    ];
  }
  const names = new Set<string>();
  return found.map(spec => {
    const hidden = names.has(spec.name);
    names.add(spec.name);
    return checkKernelspec(spec, hidden);
  });
}
