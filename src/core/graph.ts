/** Graphs: work captured from a stream, which can be launched any number of times. */

import { deviceOf, type Device } from './device.ts';
import type { NativeGraph } from '../native/binding.ts';
import type { Stream } from './stream.ts';

/** A CUDA graph, created by `stream.capture`. It keeps the memory that its work uses until it is disposed or collected. */
export class Graph {
  /** The native half; for the library's own use. */
  readonly native: NativeGraph;
  /** The device that the graph runs on. */
  readonly device: Device;

  constructor(native: NativeGraph) {
    this.native = native;
    this.device = deviceOf(native.device);
  }

  /**
   * Submits the captured work to `stream` as one operation, ordered like any other use of its memory.
   * @throws FreedError, DriverError, ArgumentError for a stream of another device
   */
  launch(stream: Stream): void {
    this.native.launch(stream.native);
  }

  /** Releases the captured work and its memory; launches already submitted still run. A second call does nothing. */
  dispose(): void {
    this.native.destroy();
  }

  [Symbol.dispose](): void {
    this.dispose();
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return `Graph on ${this.device.toString()}`;
  }
}
