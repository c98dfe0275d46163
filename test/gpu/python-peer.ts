/** A Python process with the companion package on its path, controlled by a test. */

import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

const PROGRAM = `
import json, sys
import stridelab
scope = {"stridelab": stridelab}
print("{}", flush=True)
for line in sys.stdin:
    asked = json.loads(line)
    scope.update(argument=asked["argument"], result=None)
    try:
        exec(asked["code"], scope)
        answer = {"value": scope["result"]}
    except BaseException as error:
        answer = {"failure": {"name": type(error).__name__, "message": str(error)}}
        del error
    scope["result"] = None
    print(json.dumps(answer), flush=True)
`;

interface Reply {
  readonly value?: unknown;
  readonly failure?: { readonly name: string; readonly message: string };
}

export class PythonPeer {
  readonly process: ChildProcess;
  readonly ended: Promise<void>;
  readonly #replies: ((reply: Reply) => void)[] = [];

  private constructor(program: string, environment: NodeJS.ProcessEnv) {
    this.process = spawn(program, ['-B', '-u', '-c', PROGRAM], {
      cwd: root,
      env: { ...process.env, PYTHONPATH: `${root}python`, ...environment },
      stdio: ['pipe', 'pipe', 'inherit']
    });
    createInterface({ input: this.process.stdout! }).on('line', line =>
      this.#replies.shift()?.(JSON.parse(line) as Reply)
    );
    this.ended = new Promise(resolve => {
      this.process.once('exit', () => {
        for (const answer of this.#replies.splice(0))
          answer({ failure: { name: 'Error', message: 'the peer ended' } });
        resolve();
      });
    });
  }

  static async start(program: string, environment: NodeJS.ProcessEnv = {}): Promise<PythonPeer> {
    const peer = new PythonPeer(program, environment);
    await peer.#reply();
    return peer;
  }

  /**
   * Runs statements in one shared scope, which has `stridelab` and `argument`; returns `result`, passed as JSON.
   * Exceptions become errors with the same name and message.
   */
  async run<T = unknown>(code: string, argument: unknown = null): Promise<T> {
    const lines = code.split('\n');
    const indent = Math.min(
      ...lines.filter(line => line.trim() !== '').map(line => line.length - line.trimStart().length)
    );
    const dedented = lines.map(line => line.slice(indent)).join('\n');
    const reply = this.#reply();
    this.process.stdin!.write(`${JSON.stringify({ code: dedented, argument })}\n`);
    const { value, failure } = await reply;
    if (failure === undefined) return value as T;
    throw Object.assign(new Error(failure.message), { name: failure.name });
  }

  /** Ends the process immediately with a signal that cannot be handled. */
  async kill(): Promise<void> {
    this.process.kill('SIGKILL');
    await this.ended;
  }

  /** Lets the process exit by itself; returns its exit status. */
  async exit(): Promise<number | null> {
    this.process.stdin!.end();
    await this.ended;
    return this.process.exitCode;
  }

  #reply(): Promise<Reply> {
    return new Promise(resolve => this.#replies.push(resolve));
  }
}
