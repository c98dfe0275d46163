/** Adds the place in the importing cell, and advice, to errors of imports. */

import { builtinModules } from 'node:module';
import { isOwnPackage } from '../../protocol/cell-modules.ts';

/** Waits for an import of a cell, and adds the importer's frames to an error: Node's import errors have no frames of the cell. */
export async function located<Module>(loading: Promise<Module>): Promise<Module> {
  const importer = new Error();
  try {
    return await loading;
  } catch (error) {
    if (error instanceof Error) addFrames(error, importer.stack ?? '');
    throw error;
  }
}

function addFrames(error: Error, importer: string): void {
  // The text has no frames of the kernel, such as this function.
  const frames = importer.split('\n').slice(1).join('\n');
  const stack = error.stack ?? `${error.name}: ${error.message}`;
  if (frames === '' || stack.includes(frames)) return;
  try {
    Object.defineProperty(error, 'stack', {
      value: `${stack}\n${frames}`,
      configurable: true,
      writable: true
    });
  } catch {
    // A frozen error is left unchanged.
  }
}

/** Returns the message of an error, with advice if a module was not found. */
export function adviceOn(error: Error): string {
  const { code } = error as { code?: unknown };
  const { message } = error;
  if (code !== 'ERR_MODULE_NOT_FOUND' && code !== 'MODULE_NOT_FOUND') return message;
  const [what, name] = /^Cannot find (?:package|module) '([^']+)'/.exec(message) ?? [];
  if (name === undefined || what === undefined) return message;
  if (/^[./]|^file:/.test(name)) {
    return `${what}: no such file, with or without a TypeScript, JavaScript or JSON extension`;
  }
  const [packageName] = /^(?:@[^/]+\/)?[^/]+/.exec(name) ?? [name];
  if (builtinModules.includes(packageName) || isOwnPackage(packageName)) return message;
  return `${what}. Import it as 'npm:${name}', or begin a cell with this line: %npm install ${packageName}`;
}
