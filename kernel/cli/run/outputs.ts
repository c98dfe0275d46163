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

export class OutputCollector {
  readonly #cells = new Map<string, OutputLog>();

  /** Starts to collect for a request; the returned list grows as messages arrive. */
  collect(requestId: string): Output[] {
    const log = new OutputLog();
    this.#cells.set(requestId, log);
    return log.items;
  }

  receive({ type, parentId, content }: PublishedMessage): void {
    if (type !== 'update_display_data') this.#cells.get(parentId)?.take({ type, content });
    else for (const cell of this.#cells.values()) cell.take({ type, content });
  }
}
