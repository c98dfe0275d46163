/** Runs one exchange with and without its wait, in a separate process: the hazard schedule is fixed for a process. */

import { execFile, type ExecFileException } from 'node:child_process';
import { createRequire } from 'node:module';

import type { LessonChoice, RunOutcome } from '../../../../../src/pictures/handshake/schema.ts';
import { shorten } from '../../../../../src/base/short-texts.ts';
import { outcomeOf, type Measured } from './outcome.ts';

/** Timeout in ms: covers the start of Node and of a driver, and two exchanges. */
const TIMEOUT = 20_000;
const MOST_OUTPUT = 2 ** 20;
const LONGEST_QUOTE = 200;

export interface RunLimits {
  /** Timeout in milliseconds. */
  readonly timeout?: number;
  readonly signal?: AbortSignal;
  /** The module that runs in the process. */
  readonly module?: string;
}

/** Runs an exchange in a child process. @throws Error whose message is a sentence for the user */
export function runSkippedWait(
  choice: LessonChoice,
  device: string,
  {
    timeout = TIMEOUT,
    signal,
    module = createRequire(import.meta.url).resolve('#skipped-wait')
  }: RunLimits = {}
): Promise<RunOutcome> {
  const options = {
    env: environment(device),
    timeout,
    killSignal: 'SIGKILL',
    maxBuffer: MOST_OUTPUT,
    ...(signal && { signal })
  } as const;
  return new Promise((resolve, reject) => {
    execFile(
      process.execPath,
      [module, JSON.stringify({ choice, device })],
      options,
      (error, out, problems) => {
        if (error !== null) return reject(new Error(sentenceFor(error, problems, timeout), { cause: error }));
        try {
          resolve(outcomeOf(JSON.parse(out) as Measured));
        } catch (cause) {
          const said = JSON.stringify(shorten(out.trim(), LONGEST_QUOTE));
          reject(
            new Error(`The run failed: its process printed unexpected output: ${said}.`, {
              cause
            })
          );
        }
      }
    );
  });
}

/** Returns the environment of the run, without this process's own settings. */
function environment(device: string): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) => !name.startsWith('STRIDELAB_') && name !== 'NODE_OPTIONS'
  );
  return {
    ...Object.fromEntries(kept),
    STRIDELAB_DEVICE: device,
    STRIDELAB_HAZARDS: '1',
    STRIDELAB_SIM_SCHEDULE: 'hazard'
  };
}

function sentenceFor(error: ExecFileException, problems: string, timeout: number): string {
  if (error.name === 'AbortError') return 'The run was stopped, because the picture was closed.';
  if (error.killed === true)
    return `The run took longer than ${timeout / 1000} s and was stopped: the machine may be busy. Try again.`;
  if (typeof error.signal === 'string')
    return `The process of the run was terminated by ${error.signal}. Try again.`;
  if (typeof error.code === 'string') return `The process of the run could not be started: ${error.message}.`;
  const said = /^\s*(?:\w*Error)(?: \[\w+\])?: (.+)$/m.exec(problems)?.[1];
  return `The run failed: ${said ?? `its process ended with code ${String(error.code)}`}.`;
}
