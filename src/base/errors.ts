/** Every error the library throws. `code` is stable, the message names what was wrong and, where there is one, the fix. */

import type { Diagnostic } from './diagnostic.ts';
import type { HazardReport } from './hazard-report.ts';
import type { NativeErrorInfo } from './native-error.ts';

export type ErrorCode =
  | 'ERR_DTYPE'
  | 'ERR_SHAPE'
  | 'ERR_INDEX'
  | 'ERR_VALUE'
  | 'ERR_ARGUMENT'
  | 'ERR_BOUNDS'
  | 'ERR_FREED'
  | 'ERR_READ_ONLY'
  | 'ERR_DEVICE'
  | 'ERR_DRIVER'
  | 'ERR_DRIVER_UNAVAILABLE'
  | 'ERR_DEVICE_LOST'
  | 'ERR_INTERRUPTED'
  | 'ERR_BUFFER'
  | 'ERR_DESCRIPTOR'
  | 'ERR_IPC'
  | 'ERR_PEER_LOST'
  | 'ERR_MEMORY_MANAGER'
  | 'ERR_COMPILE'
  | 'ERR_COLLECTIVE'
  | 'ERR_HAZARD'
  | 'ERR_PYTHON'
  | 'ERR_PYTHON_UNAVAILABLE'
  | 'ERR_ADDON';

export class StridelabError extends Error {
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.name = new.target.name;
  }
}

/** An unknown dtype name, or a typestr that CAI or this device cannot carry. */
export class DTypeError extends StridelabError {
  constructor(message: string) {
    super('ERR_DTYPE', message);
  }
}

/** A shape or strides that describe no array, or shapes that do not fit each other. */
export class ShapeError extends StridelabError {
  constructor(message: string) {
    super('ERR_SHAPE', message);
  }
}

/** An index or slice outside its axis, or of the wrong form. */
export class IndexError extends StridelabError {
  constructor(message: string) {
    super('ERR_INDEX', message);
  }
}

/** A value that the dtype cannot hold. */
export class ValueError extends StridelabError {
  /** The array API calls a refused copy both a BufferError and a ValueError, and JavaScript has one line of parents. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    if (Function.prototype[Symbol.hasInstance].call(this, value)) return true;
    return this === ValueError && value instanceof CopyRequiredError;
  }

  constructor(message: string) {
    super('ERR_VALUE', message);
  }
}

/** Memory that cannot be exchanged as asked: an unsupported device, dtype, version or capsule (rules 131, 144, 147, 158). */
export class BufferError extends StridelabError {
  constructor(message: string, options?: ErrorOptions) {
    super('ERR_BUFFER', message, options);
  }
}

/**
 * A descriptor, of the CUDA Array Interface or of Python's `__array_interface__`, that breaks the interface or does not fit the memory
 * it names; `key` is the entry at fault.
 */
export class DescriptorError extends StridelabError {
  /** Key of the descriptor, empty for the descriptor as a whole. */
  readonly key: string;
  readonly #reason: string;

  constructor(key: string, message: string, options?: ErrorOptions, protocol = 'CUDA Array Interface') {
    super('ERR_DESCRIPTOR', `${protocol}${key === '' ? '' : `, '${key}'`}: ${message}`, options);
    this.key = key;
    this.#reason = message;
  }

  /** The same error of another protocol with such descriptors. */
  of(protocol: string): DescriptorError {
    return new DescriptorError(this.key, this.#reason, { cause: this.cause }, protocol);
  }
}

/** `copy: false` where only a copy could do it: a BufferError that is a ValueError as well (rule 144). */
export class CopyRequiredError extends BufferError {}

/** An argument of the wrong kind. */
export class ArgumentError extends StridelabError {
  constructor(message: string) {
    super('ERR_ARGUMENT', message);
  }
}

/** A byte range that leaves its storage. */
export class BoundsError extends StridelabError {
  constructor(message: string) {
    super('ERR_BOUNDS', message);
  }
}

/** An array, stream or event that was used after it was freed (rule 101). */
export class FreedError extends StridelabError {
  constructor(message: string) {
    super('ERR_FREED', message);
  }
}

/** A write to a read-only array (rule 59). */
export class ReadOnlyError extends StridelabError {
  constructor(message: string) {
    super('ERR_READ_ONLY', message);
  }
}

/** A device that does not exist, or two devices where one is needed. */
export class DeviceError extends StridelabError {
  constructor(message: string) {
    super('ERR_DEVICE', message);
  }
}

/** A driver call that returned a status other than CUDA_SUCCESS. */
export class DriverError extends StridelabError {
  /** Driver function, for example `cuMemAlloc_v2`. */
  readonly call: string;
  /** CUresult. */
  readonly status: number;
  readonly statusName: string;

  constructor(
    message: string,
    call: string,
    status: number,
    statusName: string,
    options?: ErrorOptions,
    code: ErrorCode = 'ERR_DRIVER'
  ) {
    super(code, message, options);
    this.call = call;
    this.status = status;
    this.statusName = statusName;
  }
}

/**
 * No room for what was asked, in the device or under a memory manager's limit, after everything that could give memory back
 * was tried (rule 209). `cause` is the last attempt's error.
 */
export class OutOfMemoryError extends DriverError {
  /** Bytes that were asked for. */
  readonly requested: number;

  constructor(message: string, requested: number, call: string, options?: ErrorOptions) {
    super(message, call, 2, 'CUDA_ERROR_OUT_OF_MEMORY', options);
    this.requested = requested;
  }
}

/** A memory manager that breaks the plugin interface, cannot be loaded, or lacks what was asked of it (rules 178 to 224). */
export class MemoryManagerError extends StridelabError {
  constructor(message: string, options?: ErrorOptions) {
    super('ERR_MEMORY_MANAGER', message, options);
  }
}

/** Memory that cannot go to another process, or a handle used against its rules (rules 188 to 195). */
export class IpcError extends StridelabError {
  constructor(message: string, options?: ErrorOptions, code: ErrorCode = 'ERR_IPC') {
    super(code, message, options);
  }
}

/** The process at the other end of a share has ended, or ended it: what it had still to write is not there. */
export class PeerLostError extends IpcError {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options, 'ERR_PEER_LOST');
  }
}

/**
 * The device is lost to this process: a kernel or the hardware broke its context, or the process was forked. What arrays held
 * there is gone and every later call fails like this one (rule 88); only a new process helps, which a notebook starts when a cell
 * ends in this error. Disposing stays silent (rule 103).
 */
export class DeviceLostError extends DriverError {
  constructor(message: string, call: string, status: number, statusName: string) {
    super(message, call, status, statusName, undefined, 'ERR_DEVICE_LOST');
  }
}

/** The CUDA driver library could not be opened. `tried` lists the file names. */
export class DriverUnavailableError extends StridelabError {
  readonly tried: readonly string[];

  constructor(message: string, tried: readonly string[]) {
    super('ERR_DRIVER_UNAVAILABLE', message);
    this.tried = tried;
  }
}

/** CUDA C++ that the compiler refuses. */
export class CompileError extends StridelabError {
  /** Everything the compiler wrote. */
  readonly log: string;
  readonly diagnostics: readonly Diagnostic[];

  constructor(message: string, log: string, diagnostics: readonly Diagnostic[]) {
    super('ERR_COMPILE', message);
    this.log = log;
    this.diagnostics = diagnostics;
  }
}

/**
 * Devices that work together and cannot: a rank that did not come or has vanished, calls of the ranks that do not fit, or what NCCL
 * says. `call` is NCCL's function, empty where NCCL was not asked.
 */
export class CollectiveError extends StridelabError {
  readonly call: string;
  /** ncclResult_t; 0 where NCCL was not asked. */
  readonly status: number;
  readonly statusName: string;

  constructor(message: string, call = '', status = 0, statusName = '') {
    super('ERR_COLLECTIVE', message);
    this.call = call;
    this.status = status;
    this.statusName = statusName;
  }
}

/** A wait that was ended by an interrupt. The work it waited for goes on. */
export class InterruptedError extends StridelabError {
  constructor(message: string) {
    super('ERR_INTERRUPTED', message);
  }
}

/** Two accesses that nothing orders, thrown where STRIDELAB_HAZARDS is `throw`. The second one was submitted all the same. */
export class HazardError extends StridelabError {
  /** Not a property of its own, which would be printed beside the message that says the same. */
  readonly #report: HazardReport;

  constructor(report: HazardReport) {
    super('ERR_HAZARD', report.text);
    this.#report = report;
  }

  get report(): HazardReport {
    return this.#report;
  }
}

/** The native addon is missing or does not match this package. */
export class AddonError extends StridelabError {
  constructor(message: string, options?: ErrorOptions) {
    super('ERR_ADDON', message, options);
  }
}

/** Turns what native code reports into one of the classes above. */
export function errorFromNative(info: NativeErrorInfo): StridelabError {
  switch (info.kind) {
    case 'driver':
      return new DriverError(info.message, info.call ?? '?', info.status ?? -1, info.statusName ?? '?');
    case 'lost':
      return new DeviceLostError(info.message, info.call ?? '?', info.status ?? -1, info.statusName ?? '?');
    case 'unavailable':
      return new DriverUnavailableError(info.message, info.tried ?? []);
    case 'freed':
      return new FreedError(info.message);
    case 'bounds':
      return new BoundsError(info.message);
    case 'argument':
      return new ArgumentError(info.message);
    case 'interrupted':
      return new InterruptedError(info.message);
    case 'buffer':
      return new BufferError(info.message);
    case 'collective':
      return new CollectiveError(info.message, info.call, info.status, info.statusName);
  }
}
