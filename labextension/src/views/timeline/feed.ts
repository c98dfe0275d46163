/** Where records come from: the picture that is saved, then a kernel, which tells all it has once and what is new as it comes. */

import type { TraceProgress } from '../../../../src/recording/trace/kinds.ts';
import type { Channel, Message } from '../kit/view.ts';
import { readBatch, type ReadBatch } from './read-picture.ts';
import type { Records } from './records.ts';

export type Feed = ReturnType<typeof createFeed>;

export function createFeed(
  channel: Channel | undefined,
  records: Records,
  changed: (problem?: string) => void
) {
  let isLoading = false;
  /** No kernel was heard for a time. */
  let hasMissed = false;
  const take = ({ content, buffers: [bytes] }: Message): void => {
    // A copy begins where its bytes begin, as columns must.
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
  const feed = {
    progress: undefined as TraceProgress | undefined,
    /** Whether all that the kernel has is here, not only what is saved. */
    isWhole: false,
    /** A picture of the kernel's state, or of a file. */
    update({ progress, batch, columns }: ReadBatch, connected: boolean): void {
      if (isLoading) return;
      const lacks = connected && hasMissed;
      hasMissed = !connected;
      if (feed.isWhole && !lacks) return;
      feed.isWhole = false;
      records.clear();
      records.add(batch, columns);
      feed.progress = progress;
      if (connected) void load();
    },
    /** Asks the kernel for records from a number on, of which those that it still has come. */
    async read(from: number): Promise<void> {
      try {
        take(await channel!.request('records', { from, most: records.batch }));
      } catch (error) {
        changed((error as Error).message);
      }
    },
    dispose: (): void => unsubscribe?.()
  };
  return feed;
}
