/** Converts messages of the kernel to the outputs of a notebook's cells (nbformat 4). */

import type { JsonObject } from '../../protocol/messages.ts';
import { OutputLog } from '../../widgets/controls/output-log.ts';

/** The parts of an iopub message that notebooks keep. */
export interface PublishedMessage {
  readonly type: string;
  /** `msg_id` of the request that caused it. */
  readonly parentId: string;
  readonly content: JsonObject;
  readonly buffers: readonly Uint8Array[];
}

export interface Output extends JsonObject {
  output_type: string;
}

/** Characters of a cell's outputs after which printed text is no longer kept: a loop that prints must not fill memory and disk. */
const MOST_TEXT = 16 * 2 ** 20;
const CUT = '\n[stridelab run keeps no more of the text that this cell printed: it exceeds 16 MiB]\n';

export class OutputCollector {
  readonly #cells = new Map<string, OutputLog>();
  /** Outputs of the cells whose text has reached the limit. */
  readonly #full = new Set<OutputLog>();

  /** Starts to collect for a request; the returned list grows as messages arrive. */
  collect(requestId: string): Output[] {
    const log = new OutputLog();
    this.#cells.set(requestId, log);
    return log.items;
  }

  /** Returns whether the message belongs to a cell. */
  receive({ type, parentId, content }: PublishedMessage): boolean {
    if (type === 'update_display_data') for (const cell of this.#cells.values()) cell.take({ type, content });
    else this.#take(this.#cells.get(parentId), { type, content });
    return this.#cells.has(parentId);
  }

  #take(log: OutputLog | undefined, output: Pick<PublishedMessage, 'type' | 'content'>): void {
    if (output.type !== 'stream' || log === undefined) {
      log?.take(output);
      return;
    }
    log.settle();
    if (log.size <= MOST_TEXT) {
      this.#full.delete(log);
      log.take(output);
    } else if (!this.#full.has(log)) {
      this.#full.add(log);
      log.take({ type: 'stream', content: { name: 'stderr', text: CUT } });
    }
  }
}
