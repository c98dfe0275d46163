/** Collects output into the items of an output area, as a notebook does (nbformat 4, section "output types"). */

import type { JsonObject } from '../../protocol/messages.ts';
import type { CellOutput } from '../model/host.ts';
import type { OutputItem } from './output-items.ts';

/** The parts of each type of message that its item keeps. */
const PARTS: Readonly<Record<string, readonly string[]>> = {
  stream: ['name', 'text'],
  display_data: ['data', 'metadata'],
  execute_result: ['execution_count', 'data', 'metadata'],
  error: ['ename', 'evalue', 'traceback']
};

export class OutputLog {
  /** The items, in one array that grows; an item that changes is replaced. */
  readonly items: OutputItem[] = [];
  /** Display id to the indices of its items. */
  readonly #displays = new Map<unknown, number[]>();
  /** Whether to clear as soon as new output arrives. */
  #clearing = false;
  /** Approximate size in characters: the cost of sending all items. */
  size = 0;

  /** Adds an output; returns false for other messages. */
  take({ type, content }: CellOutput): boolean {
    if (type === 'clear_output') this.clear(content['wait'] === true);
    else if (type === 'update_display_data') return this.#update(content);
    else if (!Object.hasOwn(PARTS, type)) return false;
    else this.#add(type, content);
    return true;
  }

  clear(wait = false): void {
    this.#clearing = wait;
    if (wait) return;
    this.items.length = 0;
    this.#displays.clear();
    this.size = 0;
  }

  /** Carries out a pending clear; returns false if there is none. */
  settle(): boolean {
    const waits = this.#clearing;
    if (waits) this.clear();
    return waits;
  }

  #add(type: string, content: JsonObject): void {
    this.settle();
    this.size += JSON.stringify(content).length;
    const last = this.items.at(-1);
    if (type === 'stream' && last?.output_type === 'stream' && last.name === content['name']) {
      this.items[this.items.length - 1] = { ...last, text: last.text + String(content['text']) };
      return;
    }
    const id = displayId(content);
    if (id !== undefined) this.#displays.set(id, [...(this.#displays.get(id) ?? []), this.items.length]);
    const parts = PARTS[type]!.map(name => [name, content[name]]);
    this.items.push({ output_type: type, ...Object.fromEntries(parts) } as OutputItem);
  }

  #update(content: JsonObject): boolean {
    const places = this.#displays.get(displayId(content)) ?? [];
    const { data, metadata } = content;
    for (const place of places) this.items[place] = { ...this.items[place], data, metadata } as OutputItem;
    return places.length > 0;
  }
}

function displayId({ transient }: JsonObject): unknown {
  return (transient as JsonObject | undefined)?.['display_id'];
}
