/** Loads the timeline's tools on demand, and keeps the parts made from them. */

import { element } from '../kit/dom.ts';
import type { Channel } from '../kit/view.ts';
import type { Pick } from './draw.ts';
import type { Records } from './records.ts';
import type * as Loaded from './tools.ts';
import { __ } from '../kit/phrases.ts';

export type Tools = typeof Loaded;

export interface ToolboxOptions {
  readonly channel: Channel | undefined;
  readonly records: Records;
  /** Names of the kinds. */
  readonly words: readonly string[];
  select(bar: Pick): void;
  /** Reports the progress of loading. */
  say(sentence: string): void;
  /** Called when new parts exist, which show nothing yet. */
  refresh(): void;
}

type Parts = ReturnType<typeof createParts>;

export type Toolbox = ReturnType<typeof createToolbox>;

function createParts(
  { createDetails, createList, createMeasure, createSummary, createTooltip }: Tools,
  { channel, records, words, select }: ToolboxOptions
) {
  return {
    details: createDetails(channel, records, words),
    list: createList(records, words, number => select({ number })),
    measure: createMeasure(),
    summary: createSummary(records, words),
    tooltip: createTooltip(records, words)
  };
}

export function createToolbox(options: ToolboxOptions) {
  const { say, refresh } = options;
  let tools: Tools | undefined;
  let parts: Parts | undefined;
  const load = async (run: (tools: Tools, parts: Parts) => void): Promise<void> => {
    say(__('Loading…'));
    let loaded: Tools;
    try {
      [loaded] = await Promise.all([import('./tools.ts'), import('stridelab-timeline-style')]);
    } catch {
      say(__('Part of the page could not be loaded: reload the page.'));
      return;
    }
    say('');
    if (parts === undefined) {
      tools = loaded;
      parts = createParts(loaded, options);
      box.list.append(parts.list.element);
      box.summary.append(parts.summary.element);
      box.panels.append(parts.details.element, parts.measure.element);
      box.over.append(parts.tooltip.element);
    }
    run(loaded, parts);
    refresh();
  };
  const box = {
    /** Containers of the loaded parts: the tabs, the area below them, and the overlay of the canvas. */
    list: element('div'),
    summary: element('div'),
    panels: element('div'),
    over: element('div'),
    get parts(): Parts | undefined {
      return parts;
    },
    /** Runs a function that needs the tools: immediately if they are loaded. */
    use(run: (tools: Tools, parts: Parts) => void): void {
      if (tools !== undefined && parts !== undefined) run(tools, parts);
      else void load(run);
    },
    dispose(): void {
      parts?.details.dispose();
      parts?.tooltip.hide();
    }
  };
  return box;
}
