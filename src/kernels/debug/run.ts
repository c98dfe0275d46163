/** Runs a launch in the debugger: the threads of a block in turn, the blocks one after the other. */

import type { NDArray } from '../../array/array.ts';
import { KernelFaultError } from '../../base/errors.ts';
import { writeLaunch, type Extent } from '../../jit/launch-shape.ts';
import { TypedValue } from '../../jit/typed-value.ts';
import { LAUNCH_WORD } from '../../native/words.ts';
import { faultError, writeLines } from '../launch/faults.ts';
import type { DebuggableLaunch } from '../launch/kernel-debugger.ts';
import { valueAt } from '../launch/specialization.ts';
import type { Program } from '../program/program.ts';
import type { DebugForm } from './emit.ts';
import { WARP, type Request } from './groups.ts';
import { boundTable, HostCopies, memoriesOf, type Bound } from './memory.ts';
import type { Held } from './operations.ts';
import { schedule, type Running } from './schedule.ts';
import { indexAmong, ShownThread, Waiting } from './shown.ts';
import { DebuggedThread, type Extents, type Identity, type Three, type ThreadHost } from './thread.ts';

/** The code of a thread, made of a debug form. */
export type ThreadCode = (...values: readonly unknown[]) => Iterator<Request, void, Held | undefined>;

/** The code twice: where breakpoints stop, and for all other threads. */
export interface ThreadCodes {
  readonly stopping: ThreadCode;
  readonly running: ThreadCode;
}

/** More threads than a block may have: the simulated device refuses such a launch. */
const MOST_THREADS = 1024;
const MOST_SHARED = 232_448;

/** Ends a checked run, whose faults the checks report. */
class Ended extends Error {}

interface Shape extends Extents {
  readonly sharedBytes: number;
}

function shapeOf({ shape }: DebuggableLaunch): Shape {
  const words = new Uint32Array(LAUNCH_WORD.access);
  writeLaunch(words, shape);
  const three = (at: number): Three => [words[at]!, words[at + 1]!, words[at + 2]!];
  const sharedBytes = words[LAUNCH_WORD.sharedBytes]!;
  return { grid: three(LAUNCH_WORD.grid), block: three(LAUNCH_WORD.block), sharedBytes };
}

const product = ([x, y, z]: Three): number => x * y * z;

function* indices([x, y, z]: Three): Generator<Three> {
  for (let k = 0; k < z; k++) for (let j = 0; j < y; j++) for (let i = 0; i < x; i++) yield [i, j, k];
}

function identityOf(block: Three, thread: Three, shape: Shape): Identity {
  const index = (thread[2] * shape.block[1] + thread[1]) * shape.block[0] + thread[0];
  const named = (name: string, [x, y, z]: Three): Record<string, number> => ({
    [`${name}.x`]: x,
    [`${name}.y`]: y,
    [`${name}.z`]: z
  });
  const specials = {
    ...named('threadIdx', thread),
    ...named('blockIdx', block),
    ...named('blockDim', shape.block),
    ...named('gridDim', shape.grid),
    laneId: index % WARP
  } as Identity['specials'];
  return { block, thread, index, specials };
}

const isAt = (wanted: Extent = 0, index: Three): boolean => {
  const list = typeof wanted === 'number' ? [wanted] : wanted;
  return index.every((each, axis) => each === (list[axis] ?? 0));
};

/** A launch while it runs: which thread stops, and what the threads share. */
class DebuggedLaunch implements ThreadHost {
  readonly #launch: DebuggableLaunch;
  readonly #form: DebugForm;
  readonly #codes: ThreadCodes;
  readonly #program: Program;
  readonly #shape: Shape;
  readonly #scalars: readonly Held[];
  readonly #arrays: readonly (Bound | undefined)[];
  readonly #tables: readonly Bound[];
  /** The thread where breakpoints stop, once one has; the others run to their ends. */
  #picked: DebuggedThread | null = null;

  constructor(
    launch: DebuggableLaunch,
    form: DebugForm,
    codes: ThreadCodes,
    shape: Shape,
    copies: HostCopies
  ) {
    this.#launch = launch;
    this.#form = form;
    this.#codes = codes;
    this.#shape = shape;
    this.#program = launch.lowered.program;
    const values = launch.lowered.paths.map(path => valueAt(launch.values, path));
    const { parameters, tables } = this.#program;
    this.#scalars = values.map(value => (value instanceof TypedValue ? value.value : value) as Held);
    this.#arrays = parameters.map((parameter, index) =>
      parameter.kind === 'scalar'
        ? undefined
        : copies.bind(values[index] as NDArray, parameter.name, parameter.element)
    );
    this.#tables = tables.map(boundTable);
  }

  run(): void {
    const { grid } = this.#shape;
    const placeText = ({ name, place }: Request): string => `line ${this.#form.places[place]!.line}: ${name}`;
    const scheduling = { picked: () => this.#picked, placeText };
    const blocks = indices(grid);
    // Blocks that wait for each other run together.
    const groups = this.#program.cooperative ? [[...blocks]] : blocks.map(block => [block]);
    for (const group of groups)
      schedule(
        group.flatMap(block => this.#threadsOf(block)),
        scheduling
      );
  }

  stops(thread: DebuggedThread): boolean {
    this.#picked ??= thread;
    return this.#picked === thread;
  }

  print(text: string): void {
    // The checked run that follows prints too.
    if (!this.#launch.isCheck) writeLines(`${text}\n`);
  }

  fault(thread: DebuggedThread, place: number, fault: Parameters<ThreadHost['fault']>[2]): void {
    if (this.#launch.isCheck) {
      if (fault.kind === 'bounds') return;
      throw new Ended();
    }
    const at = this.#form.places[place]!;
    throw faultError({
      ...fault,
      kernel: this.#program.name,
      place: at,
      fileName: this.#program.files[at.file]!.name,
      block: thread.identity.block,
      thread: thread.identity.thread,
      count: 1
    });
  }

  #threadsOf(block: Three): Running[] {
    const { memories } = this.#program;
    const { sharedBytes } = this.#shape;
    const shared = memoriesOf(memories, 'shared', sharedBytes);
    const waiting = new Waiting();
    return [...indices(this.#shape.block)].map((index): Running => {
      const local = memoriesOf(memories, 'local', 0);
      const arrays = [...this.#arrays, ...memories.map((_, at) => shared[at] ?? local[at]), ...this.#tables];
      const identity = identityOf(block, index, this.#shape);
      const thread = new DebuggedThread(this, identity, this.#scalars, arrays);
      const { debug } = this.#launch.shape;
      if (debug !== undefined && isAt(debug.block, block) && isAt(debug.thread, index)) this.#picked = thread;
      const shown = indexAmong(index, this.#shape.block);
      return { thread, waiting, index: shown, start: () => this.#start(thread, waiting, arrays) };
    });
  }

  #start(
    thread: DebuggedThread,
    waiting: Waiting,
    arrays: readonly (Bound | undefined)[]
  ): ReturnType<ThreadCode> {
    const free = this.#picked === null && this.#launch.shape.debug === undefined;
    const code = free || this.#picked === thread ? this.#codes.stopping : this.#codes.running;
    const shown = new ShownThread(thread.identity, this.#shape);
    const data = arrays.flatMap(bound => (bound === undefined ? [] : [bound.data]));
    return code(thread, shown, waiting, ...data);
  }
}

/** Returns whether the debugger can run a launch; the device refuses the others. */
export function canDebug(launch: DebuggableLaunch): boolean {
  const shape = shapeOf(launch);
  return product(shape.block) <= MOST_THREADS && shape.sharedBytes <= MOST_SHARED;
}

/** Runs a launch on copies of its arrays, and writes them back unless it is a check. @throws KernelFaultError */
export function debugLaunch(launch: DebuggableLaunch, form: DebugForm, codes: ThreadCodes): void {
  const { lowered, stream, values } = launch;
  stream.device.synchronize();
  const parameters = lowered.program.parameters.flatMap((parameter, index) =>
    parameter.kind === 'array'
      ? [{ written: !parameter.readOnly, array: valueAt(values, lowered.paths[index]!) as NDArray }]
      : []
  );
  const arrays = parameters.map(({ array }) => array);
  const copies = new HostCopies(arrays, stream);
  try {
    new DebuggedLaunch(launch, form, codes, shapeOf(launch), copies).run();
  } catch (error) {
    // The code of the threads is no code of the user.
    if (error instanceof KernelFaultError) Error.captureStackTrace(error, debugLaunch);
    if (!(error instanceof Ended)) throw error;
  } finally {
    if (!launch.isCheck) copies.write(parameters.filter(({ written }) => written).map(({ array }) => array));
  }
}
