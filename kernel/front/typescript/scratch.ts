/** A folder for earlier cells, which a new server reads faster from disk than as documents; removed at exit, or by a later kernel. */

import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const PREFIX = 'stridelab-cells-';

export class Scratch {
  readonly folder = join(tmpdir(), `${PREFIX}${process.pid}-${randomUUID()}`);
  readonly #texts = new Map<string, string>();
  #made = false;

  /** Writes a file. Returns false if the text cannot be written. */
  write(file: string, text: string): boolean {
    if (this.#texts.get(file) === text) return true;
    try {
      if (!this.#made) this.#make();
      writeFileSync(join(this.folder, file), text);
    } catch {
      return false;
    }
    this.#texts.set(file, text);
    return true;
  }

  remove(file: string): void {
    if (this.#texts.delete(file)) rmSync(join(this.folder, file), { force: true });
  }

  dispose(): void {
    if (this.#made) rmSync(this.folder, { recursive: true, force: true });
    this.#made = false;
    this.#texts.clear();
  }

  #make(): void {
    removeAbandoned();
    // The contents of a notebook are private to its owner.
    mkdirSync(this.folder, { mode: 0o700 });
    this.#made = true;
    process.once('exit', () => this.dispose());
  }
}

/** Removes the folders of kernels that have ended. */
export function removeAbandoned(): void {
  for (const name of readdirSync(tmpdir())) {
    const pid = name.startsWith(PREFIX) ? Number(/^\d+/.exec(name.slice(PREFIX.length))?.[0]) : 0;
    if (pid > 0 && !isRunning(pid)) rmSync(join(tmpdir(), name), { recursive: true, force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: the process belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
