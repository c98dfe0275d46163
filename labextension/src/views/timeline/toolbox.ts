/** Loads the timeline's tools when the first is used. */

import { element } from '../kit/dom.ts';
import type { Frame } from '../kit/framed.ts';
import type { Records } from './records.ts';
import type { createTools } from './tools.ts';
import { __ } from '../kit/phrases.ts';

export type Tools = ReturnType<typeof createTools>;

/** Creates the toolbox. `words` name the kinds, `say` reports the progress of loading, and `refresh` fills new parts. */
export function createToolbox(
  frame: Frame,
  records: Records,
  words: readonly string[],
  say: (sentence: string) => void,
  refresh: () => void
) {
  let tools: Tools | undefined;
  const load = async (run: (tools: Tools) => void): Promise<void> => {
    say(__('Loading…'));
    try {
      const [loaded] = await Promise.all([import('./tools.ts'), import('stridelab-timeline-style')]);
      tools ??= loaded.createTools(frame, records, words);
    } catch {
      say(__('Part of the page could not be loaded: reload the page.'));
      return;
    }
    say('');
    box.panels.append(tools.details.element, tools.measure.element);
    box.over.append(tools.tooltip.element);
    run(tools);
    refresh();
  };
  const box = {
    /** Places of the loaded parts: below the tabs, and over the canvas. */
    panels: element('div'),
    over: element('div'),
    get tools(): Tools | undefined {
      return tools;
    },
    /** Runs a function that needs the tools: immediately if they are loaded. */
    use(run: (tools: Tools) => void): void {
      if (tools === undefined) void load(run);
      else run(tools);
    }
  };
  return box;
}
