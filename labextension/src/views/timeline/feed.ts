/** Source of records: the saved picture, then a kernel, which sends all its records once and new ones as they come. */

import type { TraceProgress } from '../../../../src/recording/trace/kinds.ts';
import type { Frame } from '../kit/framed.ts';
import type { Message } from '../kit/view.ts';
import { readBatch, type ReadBatch } from './read-picture.ts';
import type { Records } from './records.ts';

export type Feed = ReturnType<typeof createFeed>;

export function createFeed(frame: Frame, records: Records, changed: (problem?: string) => void) {
  const { channel, signal } = frame;
  let isLoading = false;
  /** True if messages of the kernel may have been missed. */
  let hasMissed = false;
  const take = ({ content, buffers: [bytes] }: Message): void => {
    // Copied to an aligned buffer, as typed arrays require.
    const { progress, batch, columns } = readBatch(
      content,
      new Uint8Array(bytes!.buffer, bytes!.byteOffset, bytes!.byteLength).slice().buffer
    );
    if (progress.epoch !== feed.progress?.epoch) records.clear();
    feed.progress = progress;
    records.add(batch, columns);
    changed();
  };
  const load = async (): Promise<void> => {
    isLoading = true;
    try {
      for (let from = 0; !feed.isWhole;) {
        const answer = await channel!.request('records', { from });
        if (from === 0) records.clear();
        from = Number(answer.content['next']);
        feed.isWhole = answer.content['more'] !== true;
        take(answer);
      }
    } catch (error) {
      changed((error as Error).message);
    }
    isLoading = false;
  };
  const unsubscribe = channel?.onPush(take);
  signal.addEventListener('abort', () => unsubscribe?.());
  const feed = {
    progress: undefined as TraceProgress | undefined,
    /** Whether the page has all records of the kernel, not only the saved ones. */
    isWhole: false,
    /** Takes a picture of the kernel's state, or of a file. */
    update({ progress, batch, columns }: ReadBatch): void {
      if (isLoading) return;
      const connected = frame.connected && channel !== undefined;
      const lacks = connected && hasMissed;
      hasMissed = !connected;
      if (feed.isWhole && !lacks) return;
      feed.isWhole = false;
      records.clear();
      records.add(batch, columns);
      feed.progress = progress;
      if (connected) void load();
    },
    /** Asks the kernel for the records from a number on; it sends those that it still has. */
    async read(from: number): Promise<void> {
      try {
        take(await channel!.request('records', { from, most: records.batch }));
      } catch (error) {
        changed((error as Error).message);
      }
    }
  };
  return feed;
}
