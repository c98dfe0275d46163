/** A client of the compiled kernel over its sockets, for bare machines without a Jupyter server. */

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { createHmac, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Dealer, Subscriber } from 'zeromq';

const kernelMain = fileURLToPath(new URL('../../dist/kernel/front/main.js', import.meta.url));
const DELIMITER = '<IDS|MSG>';
const KEY = 'of this test only';
const TIMEOUT_MS = 30_000;

interface Content {
  readonly execution_state?: string;
  readonly text?: string;
  readonly data?: Readonly<Record<string, unknown>>;
  readonly ename?: string;
  readonly evalue?: string;
}
interface Message {
  readonly type: string;
  readonly parent: string | undefined;
  readonly content: Content;
}

/** The output of a cell: its text, and its error as one line if it failed. */
export interface CellResult {
  readonly text: string;
  readonly error: string | undefined;
}

export class KernelSession {
  readonly #folder = mkdtempSync(join(tmpdir(), 'stridelab-kernel-'));
  readonly #shell = new Dealer({ linger: 0 });
  readonly #iopub = new Subscriber({ linger: 0, receiveTimeout: TIMEOUT_MS });
  readonly #process: ChildProcess;

  constructor() {
    const connection = {
      transport: 'ipc',
      ip: join(this.#folder, 'socket'),
      shell_port: 1,
      iopub_port: 2,
      stdin_port: 3,
      control_port: 4,
      hb_port: 5,
      key: KEY,
      signature_scheme: 'hmac-sha256'
    };
    const file = join(this.#folder, 'connection.json');
    writeFileSync(file, JSON.stringify(connection));
    this.#shell.connect(`ipc://${connection.ip}-1`);
    this.#iopub.connect(`ipc://${connection.ip}-2`);
    this.#iopub.subscribe();
    this.#process = spawn(process.execPath, [kernelMain, file], { stdio: 'inherit' });
  }

  /** Runs a cell and returns its output up to the idle status. */
  async run(code: string): Promise<CellResult> {
    const id = await this.#send('execute_request', {
      code,
      silent: false,
      store_history: true,
      user_expressions: {},
      allow_stdin: false,
      stop_on_error: true
    });
    let text = '';
    let error: string | undefined;
    for (;;) {
      const { type, parent, content } = decode(await this.#iopub.receive());
      if (parent !== id) continue;
      if (type === 'stream') text += content.text ?? '';
      if (type === 'execute_result' || type === 'display_data')
        text += `${String(content.data?.['text/plain'])}\n`;
      if (type === 'error') error = `${content.ename}: ${content.evalue}`;
      if (type === 'status' && content.execution_state === 'idle') return { text, error };
    }
  }

  /** Shuts the kernel down as a client does. */
  async close(): Promise<void> {
    const exited = once(this.#process, 'exit');
    await this.#send('shutdown_request', { restart: false });
    await exited;
    this.#shell.close();
    this.#iopub.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #send(type: string, content: object): Promise<string> {
    const id = randomUUID();
    const header = {
      msg_id: id,
      msg_type: type,
      session: 'gpu-test',
      username: 'test',
      date: new Date().toISOString(),
      version: '5.4'
    };
    const parts = [header, {}, {}, content].map(part => JSON.stringify(part));
    const hmac = createHmac('sha256', KEY);
    for (const part of parts) hmac.update(part);
    await this.#shell.send([DELIMITER, hmac.digest('hex'), ...parts]);
    return id;
  }
}

interface Notebook {
  readonly cells: readonly { readonly cell_type: string; readonly source: string | readonly string[] }[];
}

/** Makes a test of each code cell of a notebook of this repository, which must not fail; `check` inspects its text. */
export function testCells(
  kernel: KernelSession,
  name: string,
  check: (text: string) => void = () => undefined
): void {
  const file = new URL(`../../notebooks/${name}`, import.meta.url);
  const { cells } = JSON.parse(readFileSync(file, 'utf8')) as Notebook;
  const sources = cells.filter(cell => cell.cell_type === 'code').map(cell => [cell.source].flat().join(''));
  for (const [i, source] of sources.entries())
    test(`cell ${i + 1}: ${source.split('\n')[0]}`, async t => {
      const { text, error } = await kernel.run(source);
      t.diagnostic(text.trimEnd());
      assert.equal(error, undefined);
      check(text);
    });
}

function decode(frames: readonly Buffer[]): Message {
  const start = frames.findIndex(frame => frame.toString() === DELIMITER) + 2;
  const part = (index: number): unknown => JSON.parse(String(frames[start + index]));
  const header = part(0) as { readonly msg_type: string };
  const parent = part(1) as { readonly msg_id?: string };
  return { type: header.msg_type, parent: parent.msg_id, content: part(3) as Content };
}
