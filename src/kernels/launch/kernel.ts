/** Kernels that are written in TypeScript. */

import type { NDArray } from '../../array/array.ts';
import { formatCounted } from '../../base/count-text.ts';
import { ArgumentError } from '../../base/errors.ts';
import { textOf } from '../../base/value-text.ts';
import { defaultDevice } from '../../core/device.ts';
import { Stream } from '../../core/stream.ts';
import type { LaunchShape } from '../../jit/launch-shape.ts';
import { kernelName } from '../cuda/names.ts';
import { know } from '../language/known-functions.ts';
import { lowerKernel, requirePlainParameters } from '../language/lower.ts';
import { argumentType, type KernelArgument } from './arguments.ts';
import { compileAhead } from './ahead.ts';
import { checkLaunch, type KernelCheck } from './check.ts';
import { inspectLaunch, type KernelInspection } from './inspection.ts';
import { recordLaunch, type RecordedLaunch } from './recorded.ts';
import { haveForeignArrays, importForeignArrays, streamOfArrays } from './nested-arrays.ts';
import { Specialization, type CompileSettings } from './specialization.ts';
import type { FunctionSource } from '../source/function-source.ts';
import type { Passed } from './passed.ts';

/** A function of any parameters: what they may be, the compiler of kernels checks. */
export type Body = (...parameters: never[]) => unknown;

/** The source of a kernel. */
interface KernelSource {
  readonly source: FunctionSource;
  readonly name: string;
  /** The number of its parameters. */
  readonly parameters: number;
}

/** More combinations of types than this are forgotten, the oldest first. */
const MOST_SPECIALIZATIONS = 64;

/** A kernel written in TypeScript, from `cuda.kernel`. It is compiled at its first launch, for the types of its arguments. */
export class Kernel<F extends Body = Body> {
  /** The name in traces, profilers and messages. */
  readonly name: string;
  readonly #source: FunctionSource;
  readonly #settings: CompileSettings;
  readonly #parameters: number;
  #specializations: Specialization[] = [];

  /** Internal: use `cuda.kernel`. */
  constructor({ source, name, parameters }: KernelSource, settings: CompileSettings) {
    this.name = kernelName(name);
    this.#source = source;
    this.#settings = settings;
    this.#parameters = parameters;
  }

  /** Internal: starts to compile beside the program, if the parameters' types are known. */
  compileAhead(): void {
    compileAhead(this.#source, this.name, this.#settings);
  }

  /**
   * Submits the kernel to a stream without waiting for it. It runs after the last writers of the arrays that it reads and all users of
   * those that it writes, and before their later uses. Objects with `__cuda_array_interface__` are accepted as arrays.
   * @throws KernelError for source outside the language of kernels, ArgumentError, DeviceError for an array of another device,
   * DriverError for a shape of launch that the device cannot run
   * @example smooth.launch({ grid: 4096, block: 256 }, x, out, 1 / 3);
   */
  launch(shape: LaunchShape, ...values: Passed<Parameters<F>>): void {
    // The common case, without closures: the types of the last launch.
    const latest = this.#specializations.at(-1);
    if (latest !== undefined && values.length === this.#parameters && latest.fits(values)) {
      latest.launch(this.#streamFor(shape, values), shape, values);
      return;
    }
    this.#run(shape, values, (stream, all) => this.#specialize(all).launch(stream, shape, all));
  }

  /**
   * Runs the kernel with all checks and returns what they found: accesses outside arrays, races in shared and global memory, barriers that
   * not all threads reach, reads of shared memory that was not written, warp operations with lanes that do not take part, divisions by
   * zero. It waits for earlier work, and changes the arrays as a launch does; arrays of a GPU are copied to a simulated device first, and
   * stay as they are.
   * @throws what `launch` throws
   * @example const { faults } = smooth.check({ grid: 4, block: 256 }, x, out, 1 / 3);
   */
  check(shape: LaunchShape, ...values: Passed<Parameters<F>>): KernelCheck {
    return this.#run(shape, values, (stream, all) => checkLaunch(this.#specialize(all), stream, shape, all));
  }

  /**
   * Compiles the kernel for the arguments and returns what it became: CUDA C++, and on a GPU PTX, registers, spills and occupancy, and
   * SASS if NVIDIA's disassembler is installed.
   * @throws KernelError, CompileError, ArgumentError
   */
  inspect(shape: LaunchShape, ...values: Passed<Parameters<F>>): KernelInspection {
    return this.#run(shape, values, (stream, all) =>
      inspectLaunch(this.#specialize(all), stream.device, shape)
    );
  }

  /**
   * Runs the kernel with all checks on copies of the arrays, on a simulated device, and returns what `display` shows as a picture: for
   * each line the memory that the threads of a warp access, and the faults. `inspect(kernel, { grid, block }, …)` shows it live.
   * @throws what `launch` throws
   * @example display(smooth.picture({ grid: 4, block: 256 }, x, out, 1 / 3));
   */
  picture(shape: LaunchShape, ...values: Passed<Parameters<F>>): RecordedLaunch {
    return this.#run(shape, values, (stream, all) => recordLaunch(this.#specialize(all), stream, shape, all));
  }

  /** Returns `kernel` and the name. */
  toString(): string {
    return `kernel ${this.name}`;
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return this.toString();
  }

  #run<Result>(
    shape: LaunchShape,
    values: readonly KernelArgument[],
    run: (stream: Stream, values: readonly KernelArgument[]) => Result
  ): Result {
    const stream = this.#streamFor(shape, values);
    if (values.length !== this.#parameters) {
      requirePlainParameters(this.#source, this.name);
      const expected = formatCounted(this.#parameters, 'argument');
      throw new ArgumentError(`${this.name}: expected ${expected}, not ${values.length}`);
    }
    if (!haveForeignArrays(values)) return run(stream, values);
    const imports: NDArray[] = [];
    try {
      return run(
        stream,
        values.map(value => importForeignArrays(value, stream, imports))
      );
    } finally {
      for (const imported of imports) imported.dispose();
    }
  }

  #streamFor(shape: LaunchShape, values: readonly unknown[]): Stream {
    if (typeof shape !== 'object' || shape === null || !('grid' in shape || 'block' in shape))
      throw new ArgumentError(`${this.name}: expected {grid, block} first, not ${textOf(shape)}`);
    const stream = shape.stream ?? streamOfArrays(values) ?? Stream.legacyDefault(defaultDevice());
    if (stream instanceof Stream) return stream;
    throw new ArgumentError(`${this.name}: stream is ${textOf(stream)}, expected a Stream`);
  }

  /** Returns the program for the arguments, compiled if there is none. */
  #specialize(values: readonly KernelArgument[]): Specialization {
    const known = this.#specializations;
    for (let index = known.length - 1; index >= 0; index--)
      if (known[index]!.fits(values)) return known[index]!;
    const types = values.map((value, index) => argumentType(value, `${this.name}: argument ${index + 1}`));
    const lowered = lowerKernel(this.#source, this.name, types);
    if (lowered.complex !== undefined) throw lowered.complex;
    const made = new Specialization(lowered, this.#settings);
    this.#specializations = [...known.slice(1 - MOST_SPECIALIZATIONS), made];
    return made;
  }
}

for (const method of ['launch', 'check', 'inspect', 'picture'] as const)
  know(Kernel.prototype[method], ({ lowering, node }) =>
    lowering.fail(
      'a kernel cannot launch a kernel',
      node,
      'launch one after the other, or call a function that both use'
    )
  );
