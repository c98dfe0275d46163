/** Streams: queues of device work. */

import { hostWaited } from './host-wait.ts';
import { requireOptions } from '../base/did-you-mean.ts';
import { deviceOf, toDevice, type Device, type DeviceLike } from './device.ts';
import { ArgumentError, DriverError } from '../base/errors.ts';
import { Event } from './event.ts';
import { Graph } from './graph.ts';
import type { NativeStream } from '../native/binding.ts';
import { keyed } from '../native/keyed.ts';
import type { NativeKey } from '../native/keyed-binding.ts';
import { native } from '../native/load.ts';
import { DISPLAY_METHOD, type MimeBundle } from '../notebook/host.ts';
import { ended } from '../base/unwind.ts';
import { textOf } from '../base/value-text.ts';

/** Options of `new Stream`. */
export interface StreamOptions {
  /** The device of the stream; the default device if left out. */
  readonly device?: DeviceLike;
  /** Whether the stream synchronizes with the legacy default stream, as streams of the CUDA runtime do. Default false. */
  readonly blocking?: boolean;
  /** The priority; lower numbers run first. Default 0. Values outside `device.streamPriorities` are clamped. */
  readonly priority?: number;
}

const OPTIONS = new Set(['device', 'blocking', 'priority']);

/** The number of captures whose function is running. */
let capturesUnderWay = 0;

/** Returns true while the function of a capture is running. */
export function captureUnderWay(): boolean {
  return capturesUnderWay > 0;
}

/** Returns true if work submitted now is captured into a graph; makes a native call only during a capture. */
export function isCaptured(stream: Stream): boolean {
  return capturesUnderWay > 0 && stream.capturing;
}

const wrappers = new WeakMap<NativeStream, Stream>();
/** Cached, because every array without an explicit stream requests it. */
const legacyStreams = new Map<Device, Stream>();

/** A CUDA stream: a queue of device work that runs in order. */
export class Stream {
  /** The native half; for the library's own use. */
  readonly native: NativeStream;
  /** Names the native half in frequent calls; for the library's own use. */
  readonly key: NativeKey<NativeStream>;
  /** The device that the stream belongs to. */
  readonly device: Device;
  /** The stream's handle: 1n for the legacy default stream, 2n for the per-thread default stream, otherwise the address of the CUstream. */
  readonly handle: bigint;
  /** A small number, unique in the process. */
  readonly id: number;
  /**
   * The value of the `stream` entry in a descriptor (rules 68 to 71: stream values); null for the per-thread default stream, whose handle
   * means another stream in other threads.
   */
  readonly exported: bigint | 1 | null;
  /** Returns the display of the stream in a notebook: flags, operations, waits, and its records in a trace. */
  declare readonly [DISPLAY_METHOD]: () => MimeBundle;
  #destroyed = false;
  readonly #foreign: boolean;

  /** Creates a stream, destroyed by `dispose` or with the last reference. @throws DeviceError, DriverError */
  constructor(options: StreamOptions = {}, adopted?: NativeStream) {
    requireOptions('Stream', options, OPTIONS);
    this.device = adopted === undefined ? toDevice(options.device) : deviceOf(adopted.device);
    this.native =
      adopted ??
      native().createStream(this.device.native, {
        blocking: options.blocking ?? false,
        priority: options.priority ?? 0
      });
    this.key = this.native.key;
    this.handle = this.native.handle;
    this.id = this.native.id;
    this.exported = this.handle === 1n ? 1 : this.handle === 2n ? null : this.handle;
    this.#foreign = this.handle > 2n && !this.native.owned;
    wrappers.set(this.native, this);
  }

  /** Returns the stream object of a native stream. Internal. */
  static of(nativeStream: NativeStream): Stream {
    return wrappers.get(nativeStream) ?? new Stream({}, nativeStream);
  }

  /** Returns the legacy default stream (handle 1) of a device. */
  static legacyDefault(device?: DeviceLike): Stream {
    const of = toDevice(device);
    let stream = legacyStreams.get(of);
    if (stream === undefined) legacyStreams.set(of, (stream = Stream.of(of.native.legacyStream())));
    return stream;
  }

  /** Returns the per-thread default stream (handle 2) of a device. */
  static perThreadDefault(device?: DeviceLike): Stream {
    return Stream.of(toDevice(device).native.perThreadStream());
  }

  /**
   * Wraps an external stream, which the library never destroys (rule 94: imported streams). 1n and 2n name the default streams.
   * @throws ArgumentError for 0n, which CAI forbids (rule 67), and for anything but a bigint.
   */
  static fromHandle(handle: bigint, device?: DeviceLike): Stream {
    if (typeof handle !== 'bigint')
      throw new ArgumentError(`stream handle ${textOf(handle)} is not a bigint`);
    if (handle === 0n)
      throw new ArgumentError(
        'stream handle 0 is ambiguous: use 1n for the legacy, 2n for the per-thread default (rule 67)'
      );
    return Stream.of(native().wrapStream(toDevice(device).native, handle));
  }

  /** True after `dispose`, and for an external stream once the driver has reported that it no longer exists. */
  get destroyed(): boolean {
    return this.#destroyed || (this.#foreign && this.native.destroyed);
  }

  /** Returns true if all submitted work is done. Never blocks. @throws FreedError, DriverError */
  query(): boolean {
    return this.native.query();
  }

  /** Blocks JavaScript until all submitted work is done. @throws FreedError, InterruptedError, DriverError */
  synchronize(): void {
    this.native.synchronize();
    hostWaited();
  }

  /** Resolves when all submitted work is done. */
  synchronizeAsync(): Promise<void> {
    return this.native.synchronizeAsync().then(hostWaited);
  }

  /** Records an event at the current end of the queue; creates the event if none is given. */
  record(event: Event = new Event({ device: this.device })): Event {
    keyed().record(this.key, event.key);
    return event;
  }

  /** Makes later work on this stream wait for `event`, or for all work submitted so far to another stream. Does not block the host. */
  wait(other: Event | Stream): void {
    if (other instanceof Event) keyed().wait(this.key, other.key);
    else this.native.waitForStream(other.native);
  }

  /** True while submitted work is captured into a graph instead of run. */
  get capturing(): boolean {
    return this.native.capturing;
  }

  /**
   * Runs `submit`, and captures the submitted work into a graph instead of running it. A second stream that waits for an event
   * recorded inside joins the capture, and this stream must wait for it before the end. Exports inside name the capturing stream and
   * neither record nor wait outside the capture (rule 84: exports during capture); host waits and copies to the host throw. Copies from the
   * host use the bytes at the time of the capture.
   * @throws ArgumentError for an asynchronous function and for what cannot be captured, DriverError for a broken capture, and what `submit`
   * throws
   */
  capture(submit: () => void): Graph {
    // A nested capture fails, but must not end the outer capture.
    const isNested = this.capturing;
    let isCounted = false;
    let graph: Graph | undefined;
    const end = (): void => {
      if (isCounted) {
        isCounted = false;
        capturesUnderWay--;
      }
      if (graph === undefined && !isNested) this.#abandonCapture();
    };
    return ended(end, () => {
      this.native.beginCapture();
      capturesUnderWay++;
      isCounted = true;
      const outcome: unknown = submit();
      if (outcome instanceof Promise)
        throw new ArgumentError(
          'a capture holds what is submitted before its function returns: it must not be asynchronous'
        );
      graph = new Graph(this.native.endCapture());
      return graph;
    });
  }

  /** Ends a capture and discards its graph, in whatever state it is. */
  #abandonCapture(): void {
    if (!this.capturing) return;
    try {
      this.native.endCapture().destroy();
    } catch (error) {
      if (!(error instanceof DriverError)) throw error;
    }
  }

  /** Destroys the stream; submitted work still runs. A second call does nothing. */
  dispose(): void {
    this.#destroyed = true;
    this.native.destroy();
  }

  [Symbol.dispose](): void {
    this.dispose();
  }

  /** A short description, for example `stream #3` or `legacy default stream`. */
  toString(): string {
    if (this.handle === 1n) return 'legacy default stream';
    if (this.handle === 2n) return 'per-thread default stream';
    return `stream #${this.id}`;
  }
}
