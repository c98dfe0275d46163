/** The kernel half of the live picture of a stream: polls its progress while watched, and reads the trace on request. */

import {
  describeDestroyed,
  describeStream,
  recentOperations
} from '../../../../src/pictures/stream/describe.ts';
import { renderStream } from '../../../../src/pictures/stream/render.ts';
import type { StreamOperation, StreamPicture } from '../../../../src/pictures/stream/schema.ts';
import type { Stream } from '../../../../src/core/stream.ts';
import { LiveWidget } from '../kit/live-widget.ts';
import type { Reply } from '../kit/requests.ts';

/** Polling intervals in ms, since streams do not signal use or completion. */
const BUSY_PERIOD_MS = 100;
const IDLE_PERIOD_MS = 500;

export class StreamPill extends LiveWidget<StreamPicture> {
  /** Weak: the stream can still be destroyed with its last reference. */
  readonly #stream: WeakRef<Stream>;
  #operations: readonly StreamOperation[] = [];

  constructor(stream: Stream) {
    super({ name: 'StreamPill', label: ({ label }) => label, render: renderStream }, describeStream(stream));
    this.#stream = new WeakRef(stream);
  }

  protected override describe(): StreamPicture {
    const stream = this.#stream.deref();
    if (stream === undefined) return describeDestroyed(this.picture);
    const picture = describeStream(stream, this.#operations);
    const period = picture.condition === 'busy' ? BUSY_PERIOD_MS : IDLE_PERIOD_MS;
    if (picture.condition !== 'destroyed') this.schedule(period);
    return picture;
  }

  protected override watching(watched: boolean): void {
    if (watched) this.refresh();
  }

  protected override async answer(method: string): Promise<Reply | undefined> {
    const stream = this.#stream.deref();
    if (method === 'operations') {
      if (stream !== undefined) this.#operations = recentOperations(stream);
    } else if (method === 'synchronize') {
      if (stream === undefined || stream.destroyed)
        throw new Error('The stream was destroyed: there is nothing to wait for.');
      await stream.synchronizeAsync();
    } else return undefined;
    this.refresh();
    return {};
  }
}
