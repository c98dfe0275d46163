import type { MessageHeader } from '../../protocol/messages.ts';

/** A request that output may still name as its parent, also after it was answered. */
export interface RequestParent {
  readonly header: MessageHeader;
  /** Asked for quiet: what it shows is dropped. */
  readonly silent: boolean;
}

/** Requests kept; output of older ones goes to the latest cell. A flood of comm messages displaces no cell. */
const MAX_CELLS = 10_000;
const MAX_COMM_MESSAGES = 1_000;

export class RequestParents {
  readonly #cells = new Map<string, RequestParent>();
  readonly #commMessages = new Map<string, RequestParent>();

  addCell(header: MessageHeader, silent: boolean): void {
    this.#cells.set(header.msg_id, { header, silent });
    dropOldest(this.#cells, MAX_CELLS);
  }

  addCommMessage(header: MessageHeader): void {
    this.#commMessages.set(header.msg_id, { header, silent: false });
    dropOldest(this.#commMessages, MAX_COMM_MESSAGES);
  }

  get(id: string): RequestParent | undefined {
    return this.#cells.get(id) ?? this.#commMessages.get(id);
  }
}

function dropOldest(requests: Map<string, RequestParent>, kept: number): void {
  for (const oldest of requests.keys()) {
    if (requests.size <= kept) return;
    requests.delete(oldest);
  }
}
