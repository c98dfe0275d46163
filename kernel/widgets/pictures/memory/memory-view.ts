/** The kernel half of the live picture of memory: a limited snapshot as state, and changes of the log on request. */

import type { MemoryPicture } from '../../../../src/pictures/memory/schema.ts';
import type { Parameters } from '../../../../src/pictures/kit/live-messages.ts';
import { describeChanges, describeMemory } from '../../../../src/pictures/memory/picture.ts';
import { renderMemory } from '../../../../src/pictures/memory/render.ts';
import type { MemoryLog } from '../../../../src/recording/memory/memory-log.ts';
import { widgetHost } from '../../model/host.ts';
import { LiveWidget } from '../kit/live-widget.ts';
import type { Reply } from '../kit/requests.ts';

/** Update interval in ms: the state is tens of kilobytes, and the page requests more after each update. */
const PERIOD_MS = 250;

export class MemoryView extends LiveWidget<MemoryPicture> {
  readonly #log: MemoryLog;
  #unsubscribe: (() => void) | undefined;

  constructor(log: MemoryLog) {
    const presentation = { name: 'MemoryView', label: () => 'memoryLog', render: renderMemory };
    super(presentation, describeMemory(log, widgetHost().variables()));
    this.#log = log;
  }

  protected override describe(): MemoryPicture {
    return describeMemory(this.#log, widgetHost().variables());
  }

  /** Subscribes to the log only while the picture is watched. */
  protected override watching(watched: boolean): void {
    this.#unsubscribe?.();
    this.#unsubscribe = watched ? this.#log.onChange(() => this.schedule(PERIOD_MS)) : undefined;
    if (watched) this.refresh();
  }

  protected override answer(method: string, parameters: Parameters): Reply | undefined {
    if (method === 'rows') return this.#rows(parameters);
    if (method === 'start') this.#log.start();
    else if (method === 'stop') this.#log.stop();
    else if (method === 'clear') this.#log.clear();
    else return undefined;
    this.refresh();
    return {};
  }

  #rows({ start, after }: Parameters): Reply {
    const known = {
      start: typeof start === 'number' ? start : -1,
      after: typeof after === 'number' ? after : -1
    };
    const { answer, buffers } = describeChanges(this.#log, widgetHost().variables(), known);
    return { content: { ...answer }, buffers };
  }
}
