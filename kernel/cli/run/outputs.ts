/** Converts messages of the kernel to the outputs of a notebook's cells (nbformat 4). */

import type { JsonObject } from '../../protocol/messages.ts';

/** The parts of an iopub message that notebooks keep. */
export interface PublishedMessage {
  readonly type: string;
  /** `msg_id` of the request that caused it. */
  readonly parentId: string;
  readonly content: JsonObject;
  readonly buffers: readonly Uint8Array[];
}

/** An output of a code cell. */
export interface Output extends JsonObject {
  output_type: string;
}

interface Cell {
  readonly outputs: Output[];
  clearNext: boolean;
}

/** Converts messages to the outputs of the cells that caused them. */
export class OutputCollector {
  readonly #cells = new Map<string, Cell>();
  readonly #displays = new Map<string, Output[]>();

  /** Starts to collect for a request; the returned list grows as messages arrive. */
  collect(requestId: string): Output[] {
    const outputs: Output[] = [];
    this.#cells.set(requestId, { outputs, clearNext: false });
    return outputs;
  }

  receive({ type, parentId, content }: PublishedMessage): void {
    const displayId = (content['transient'] as { display_id?: string } | undefined)?.display_id;
    if (type === 'update_display_data') {
      for (const shown of this.#displays.get(displayId ?? '') ?? [])
        Object.assign(shown, { data: content['data'], metadata: content['metadata'] });
      return;
    }
    const cell = this.#cells.get(parentId);
    if (cell === undefined) return;
    if (type === 'clear_output') {
      if (content['wait'] === true) cell.clearNext = true;
      else cell.outputs.length = 0;
      return;
    }
    const output = outputOf(type, content);
    if (output === undefined) return;
    if (cell.clearNext) cell.outputs.length = 0;
    cell.clearNext = false;
    const last = cell.outputs.at(-1);
    if (type === 'stream' && last?.output_type === 'stream' && last['name'] === output['name']) {
      last['text'] = `${last['text'] as string}${output['text'] as string}`;
      return;
    }
    cell.outputs.push(output);
    if (displayId !== undefined)
      this.#displays.set(displayId, [...(this.#displays.get(displayId) ?? []), output]);
  }
}

function outputOf(type: string, content: JsonObject): Output | undefined {
  const keep = (...names: string[]): Output => ({
    output_type: type,
    ...Object.fromEntries(names.map(name => [name, content[name]]))
  });
  switch (type) {
    case 'stream':
      return keep('name', 'text');
    case 'display_data':
      return keep('data', 'metadata');
    case 'execute_result':
      return keep('execution_count', 'data', 'metadata');
    case 'error':
      return keep('ename', 'evalue', 'traceback');
    default:
      return undefined;
  }
}
