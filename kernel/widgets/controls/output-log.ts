/** Collects output into the items of an output area, as a notebook does. */

import type { JsonObject } from '../../protocol/messages.ts';
import type { CellOutput } from '../model/host.ts';
import type { OutputItem } from './output-items.ts';

export class OutputLog {
  #items: OutputItem[] = [];
  /** Display id to the indices of its items. */
  readonly #displays = new Map<string, number[]>();
  /** Whether to clear as soon as new output arrives. */
  #clearing = false;
  /** Approximate size in characters: the cost of sending all items. */
  #size = 0;

  get items(): readonly OutputItem[] {
    return this.#items;
  }

  get size(): number {
    return this.#size;
  }

  /** Adds an output; returns false for other messages. */
  take({ type, content }: CellOutput): boolean {
    switch (type) {
      case 'stream':
        this.#stream(String(content['name']), String(content['text']));
        return true;
      case 'display_data':
      case 'execute_result':
        this.#display(content);
        return true;
      case 'update_display_data':
        return this.#update(content);
      case 'error': {
        const { ename, evalue, traceback } = content as {
          ename: string;
          evalue: string;
          traceback: string[];
        };
        this.#add({ output_type: 'error', ename, evalue, traceback }, evalue.length + 100 * traceback.length);
        return true;
      }
      case 'clear_output':
        this.clear(content['wait'] === true);
        return true;
      default:
        return false;
    }
  }

  clear(wait = false): void {
    this.#clearing = wait;
    if (wait) return;
    this.#items = [];
    this.#displays.clear();
    this.#size = 0;
  }

  /** Carries out a pending clear; returns false if there is none. */
  settle(): boolean {
    const waits = this.#clearing;
    if (waits) this.clear();
    return waits;
  }

  #stream(name: string, text: string): void {
    const last = this.#clearing ? undefined : this.#items.at(-1);
    if (last?.output_type !== 'stream' || last.name !== name) {
      this.#add({ output_type: 'stream', name, text }, text.length);
      return;
    }
    this.#items = this.#items.with(-1, { ...last, text: last.text + text });
    this.#size += text.length;
  }

  #display(content: JsonObject): void {
    const { data = {}, metadata = {}, transient } = content as Record<string, JsonObject | undefined>;
    this.#add({ output_type: 'display_data', data, metadata }, JSON.stringify(data).length);
    const id = transient?.['display_id'];
    if (typeof id === 'string')
      this.#displays.set(id, [...(this.#displays.get(id) ?? []), this.#items.length - 1]);
  }

  #update(content: JsonObject): boolean {
    const { data = {}, metadata = {}, transient } = content as Record<string, JsonObject | undefined>;
    const places = this.#displays.get(String(transient?.['display_id']));
    if (places === undefined) return false;
    for (const place of places)
      this.#items = this.#items.with(place, { output_type: 'display_data', data, metadata });
    return true;
  }

  #add(item: OutputItem, size: number): void {
    if (this.#clearing) this.clear();
    this.#items = [...this.#items, item];
    this.#size += size;
  }
}
