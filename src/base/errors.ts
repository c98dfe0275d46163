/** Error classes of the library. `code` is stable; the message gives the cause and, if known, the fix. */

import type { Diagnostic } from './diagnostic.ts';
import type { HazardReport } from './hazard-report.ts';
import type { NativeErrorInfo } from './native-error.ts';

/** The `code` of each error class of this library. */
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
  | 'ERR_KERNEL'
  | 'ERR_KERNEL_FAULT'
  | 'ERR_COLLECTIVE'
  | 'ERR_HAZARD'
  | 'ERR_PYTHON'
  | 'ERR_PYTHON_UNAVAILABLE'
  | 'ERR_CLUSTER'
  | 'ERR_TASK'
  | 'ERR_ADDON';

/** The base class of all errors that this library throws. */
export class StridelabError extends Error {
  /** A stable identifier of the error class, for example `ERR_SHAPE`. */
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.name = new.target.name;
  }
}

/** Makes the base of an error class that adds only a code. */
function errorClass(code: ErrorCode): new (message: string, options?: ErrorOptions) => StridelabError {
  return class extends StridelabError {
    constructor(message: string, options?: ErrorOptions) {
      super(code, message, options);
    }
  };
}

/** An unknown dtype name, or a dtype that the CUDA Array Interface, DLPack or this device does not support. */
export class DTypeError extends errorClass('ERR_DTYPE') {}

/** A shape or strides that cannot describe an array, or shapes that do not match. */
export class ShapeError extends errorClass('ERR_SHAPE') {}

/** An index or slice outside its axis, or of an unsupported form. */
export class IndexError extends errorClass('ERR_INDEX') {}

/** A value that the dtype cannot hold. */
export class ValueError extends errorClass('ERR_VALUE') {
  /** Accepts a CopyRequiredError too: the array API makes it a BufferError and a ValueError, and JavaScript has single inheritance. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    if (Function.prototype[Symbol.hasInstance].call(this, value)) return true;
    return this === ValueError && value instanceof CopyRequiredError;
  }
}

/** Memory that cannot be exchanged as requested: an unsupported device, dtype, version or capsule (rule 144). */
export class BufferError extends errorClass('ERR_BUFFER') {}

/** A descriptor of the CUDA Array Interface, or of `__array_interface__`, that breaks the interface or does not match its memory. */
export class DescriptorError extends StridelabError {
  /** The descriptor's entry at fault; empty for the descriptor as a whole. */
  readonly key: string;
  readonly #reason: string;

  constructor(key: string, message: string, options?: ErrorOptions, protocol = 'CUDA Array Interface') {
    super('ERR_DESCRIPTOR', `${protocol}${key === '' ? '' : `, '${key}'`}: ${message}`, options);
    this.key = key;
    this.#reason = message;
  }

  /** Returns this error with the name of another protocol that has this form of descriptor. */
  of(protocol: string): DescriptorError {
    return new DescriptorError(this.key, this.#reason, { cause: this.cause }, protocol);
  }
}

/** `copy: false` was requested but the request needs a copy; a BufferError and a ValueError (rule 144). */
export class CopyRequiredError extends BufferError {}

/** An argument of an unsupported kind or value. */
export class ArgumentError extends errorClass('ERR_ARGUMENT') {}

/** A range of bytes that extends outside its storage. */
export class BoundsError extends errorClass('ERR_BOUNDS') {}

/** An array, stream, event or memory that was used after it was freed (rule 101: use after dispose is a typed error). */
export class FreedError extends errorClass('ERR_FREED') {}

/** A write to a read-only array (rule 59: read-only imports stay read-only). */
export class ReadOnlyError extends errorClass('ERR_READ_ONLY') {}

/** A device that does not exist, or two devices where one is required. */
export class DeviceError extends errorClass('ERR_DEVICE') {}

/** A driver call that returned a status other than CUDA_SUCCESS. */
export class DriverError extends StridelabError {
  /** The driver function, for example `cuMemAlloc_v2`. */
  readonly call: string;
  /** The status as a number (CUresult). */
  readonly status: number;
  /** The status by name, for example `CUDA_ERROR_INVALID_VALUE`. */
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

/** Too little memory, on the device or under a manager's limit, even after a flush and a retry (rule 209). `cause` is the last error. */
export class OutOfMemoryError extends DriverError {
  /** The number of bytes requested. */
  readonly requested: number;

  constructor(message: string, requested: number, call: string, options?: ErrorOptions) {
    super(message, call, 2, 'CUDA_ERROR_OUT_OF_MEMORY', options);
    this.requested = requested;
  }
}

/** A memory manager that breaks the plugin interface (rules 178 to 224), cannot be loaded, or does not support what was requested. */
export class MemoryManagerError extends errorClass('ERR_MEMORY_MANAGER') {}

/** Memory that cannot be shared with another process, or a handle used in a way that the driver forbids (rules 188 to 195: IPC handles). */
export class IpcError extends StridelabError {
  constructor(message: string, options?: ErrorOptions, code: ErrorCode = 'ERR_IPC') {
    super(code, message, options);
  }
}

/** The process at the other end of a share exited or ended the share; data that it had not written yet is missing. */
export class PeerLostError extends IpcError {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options, 'ERR_PEER_LOST');
  }
}

/**
 * The device is unusable in this process: a kernel or the hardware broke its context, or the process was forked. The contents of its arrays
 * are lost, and every later call fails with this error (rule 88: errors name the last writer); only a new process helps. A notebook starts
 * one when a cell ends in this error. Disposing arrays does not throw (rule 103).
 */
export class DeviceLostError extends DriverError {
  constructor(message: string, call: string, status: number, statusName: string) {
    super(message, call, status, statusName, undefined, 'ERR_DEVICE_LOST');
  }
}

/** The CUDA driver library could not be opened. */
export class DriverUnavailableError extends StridelabError {
  /** The file names that were tried. */
  readonly tried: readonly string[];

  constructor(message: string, tried: readonly string[]) {
    super('ERR_DRIVER_UNAVAILABLE', message);
    this.tried = tried;
  }
}

/** CUDA C++ that the compiler rejected. */
export class CompileError extends StridelabError {
  /** The compiler's whole output. */
  readonly log: string;
  /** The compiler's messages, each with its line. */
  readonly diagnostics: readonly Diagnostic[];

  constructor(message: string, log: string, diagnostics: readonly Diagnostic[]) {
    super('ERR_COMPILE', message);
    this.log = log;
    this.diagnostics = diagnostics;
  }
}

/** A position in the source of a kernel that is written in TypeScript. */
export interface KernelPlace {
  /** The cell or file, as messages name it. */
  readonly file: string;
  /** From 1. */
  readonly line: number;
  /** From 0. */
  readonly column: number;
  /** The number of characters that are meant. */
  readonly length: number;
}

/** A kernel in TypeScript uses something that is not in the language of kernels, or its types do not match. */
export class KernelError extends StridelabError {
  /** Where, in the cell or file. */
  readonly place: KernelPlace;
  /** What is wrong, without the place. */
  readonly reason: string;
  /** What to write instead; empty if unknown. */
  readonly hint: string;

  constructor(message: string, place: KernelPlace, hint = '', frame = '') {
    const where = `${place.file}, line ${place.line}`;
    super('ERR_KERNEL', [`${where}: ${message}`, frame, hint && `hint: ${hint}`].filter(Boolean).join('\n'));
    this.place = place;
    this.reason = message;
    this.hint = hint;
  }
}

/** A kernel in TypeScript did something wrong on a simulated device, such as an access outside an array. It stopped there. */
export class KernelFaultError extends StridelabError {
  /** What it did: `bounds`, `race`, `uninitialized`, `divergentBarrier`, `warpMask`, `shuffle`, `divisionByZero`, `assert`… */
  readonly kind: string;
  /** Where, in the cell or file. */
  readonly place: KernelPlace;
  /** The block of the thread, x, y and z. */
  readonly block: readonly [number, number, number];
  /** The thread in its block, x, y and z. */
  readonly thread: readonly [number, number, number];

  constructor(
    message: string,
    kind: string,
    place: KernelPlace,
    block: readonly [number, number, number],
    thread: readonly [number, number, number]
  ) {
    super('ERR_KERNEL_FAULT', message);
    this.kind = kind;
    this.place = place;
    this.block = block;
    this.thread = thread;
  }
}

/** A failed collective operation: a rank that did not connect or has exited, calls that do not match, or an error that NCCL reports. */
export class CollectiveError extends StridelabError {
  /** The NCCL function that failed; empty if NCCL was not called. */
  readonly call: string;
  /** The status as a number (ncclResult_t); 0 if NCCL was not called. */
  readonly status: number;
  /** The status by name; empty if NCCL was not called. */
  readonly statusName: string;

  constructor(message: string, call = '', status = 0, statusName = '') {
    super('ERR_COLLECTIVE', message);
    this.call = call;
    this.status = status;
    this.statusName = statusName;
  }
}

/** A wait that was interrupted. The work that it waited for continues. */
export class InterruptedError extends errorClass('ERR_INTERRUPTED') {}

/** Two accesses that nothing orders, thrown if STRIDELAB_HAZARDS is `throw`. The second access is submitted regardless. */
export class HazardError extends StridelabError {
  /** Private, so that printing the error does not repeat the message. */
  readonly #report: HazardReport;

  constructor(report: HazardReport) {
    super('ERR_HAZARD', report.text);
    this.#report = report;
  }

  /** The two accesses in full. */
  get report(): HazardReport {
    return this.#report;
  }
}

/** The native addon is missing or does not match this package. */
export class AddonError extends errorClass('ERR_ADDON') {}

/** Classes of native errors that carry only a message, by the kind that native code reports. */
const BY_KIND = {
  freed: FreedError,
  bounds: BoundsError,
  argument: ArgumentError,
  interrupted: InterruptedError,
  buffer: BufferError
} as const;

/** Converts an error that native code reports to one of the classes above. */
export function errorFromNative(info: NativeErrorInfo): StridelabError {
  const { kind, message, call = '?', status = -1, statusName = '?' } = info;
  switch (kind) {
    case 'driver':
      return new DriverError(message, call, status, statusName);
    case 'lost':
      return new DeviceLostError(message, call, status, statusName);
    case 'unavailable':
      return new DriverUnavailableError(message, info.tried ?? []);
    case 'collective':
      return new CollectiveError(message, info.call, info.status, info.statusName);
    default:
      return new BY_KIND[kind](message);
  }
}
