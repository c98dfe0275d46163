/** The sidebar in tests of its kernel half: a page that only stores messages, and the panel of that page. */

import { registerArraysTarget } from '../../../kernel/widgets/pictures/arrays/target.ts';
import { comms } from '../../../kernel/widgets/model/comm-manager.ts';
import {
  ARRAYS_TARGET,
  type ArrayEntry,
  type ArraysChange,
  type StreamEntry
} from '../../../src/pictures/arrays/schema.ts';
import { until } from '../../setup/until.ts';
import { Page } from './page.ts';

export const page = new Page();
registerArraysTarget(comms());

/** The panel of one page: the entries that it would list. */
class Panel {
  readonly id: string;
  readonly changes: ArraysChange[] = [];
  readonly entries = new Map<number, ArrayEntry>();
  streams: readonly StreamEntry[] = [];
  #read = 0;
  #lastRequest = 0;

  constructor(id: string) {
    this.id = id;
    page.deliver('comm_open', { comm_id: id, target_name: ARRAYS_TARGET, data: {} });
  }

  async request(method: string, parameters: object = {}): Promise<Record<string, unknown>> {
    this.#lastRequest += 1;
    const id = this.#lastRequest;
    page.deliver('comm_msg', { comm_id: this.id, data: { kind: 'request', id, method, parameters } });
    const isAnswer = ({ data }: { data: Record<string, unknown> }): boolean =>
      data['kind'] === 'response' && data['id'] === id;
    await until(() => page.sent.some(sent => sent.id === this.id && isAnswer(sent)));
    const { content, error } = page.sent.find(sent => sent.id === this.id && isAnswer(sent))!.data;
    if (error !== undefined) throw new Error(error as string);
    return content as Record<string, unknown>;
  }

  async watch(visible = true): Promise<void> {
    await this.request('watch', { visible });
    if (visible) await this.until(() => this.changes.some(({ complete }) => complete));
  }

  /** Applies the changes sent since the last call. */
  read(): void {
    const told = page.sent.filter(({ id, data }) => id === this.id && data['kind'] === 'push');
    for (const { data } of told.slice(this.#read)) {
      const change = data['content'] as ArraysChange;
      this.changes.push(change);
      if (change.first) this.entries.clear();
      for (const entry of change.set) this.entries.set(entry.id, entry);
      for (const id of change.removed) this.entries.delete(id);
      this.streams = change.streams ?? this.streams;
    }
    this.#read = told.length;
  }

  until(test: () => boolean): Promise<void> {
    return until(() => {
      this.read();
      return test();
    });
  }

  named(name: string): ArrayEntry {
    const found = [...this.entries.values()].find(({ names }) => names.includes(name));
    if (found === undefined) throw new Error(`no array named ${name}`);
    return found;
  }

  close(): void {
    page.deliver('comm_close', { comm_id: this.id, data: {} });
  }
}

export let panel: Panel;
let panels = 0;

export function endCell(): void {
  for (const listener of page.cellEnd) listener();
}

/** A panel for each test, `panel`. */
export function inPanel(): void {
  beforeEach(() => {
    panels += 1;
    panel = new Panel(`panel-${panels}`);
  });
  afterEach(() => {
    panel.close();
    page.variables = {};
    page.sent.length = 0;
  });
}
