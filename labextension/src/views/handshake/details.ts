/** Content of the other tabs, loaded when the first of them is opened: steps in sentences, stream arguments, and a real run. */

import type { RunOutcome } from '../../../../src/pictures/handshake/schema.ts';
import {
  createKeyedList,
  createStatus,
  element,
  part,
  setAttribute,
  setLine,
  setProse,
  setText,
  type Part
} from '../kit/dom.ts';
import { noKernelSentence } from '../kit/no-kernel.ts';
import type { Channel } from '../kit/view.ts';
import { createSelect } from './choices.ts';
import { disable } from '../kit/controls.ts';
import type { Shown } from './shown.ts';
import { __ } from '../kit/phrases.ts';

export type Details = ReturnType<typeof createDetails>;

/** Cells as sentences; the first is the row's heading. */
interface Row {
  readonly cells: readonly string[];
  /** The reader's current step. */
  readonly now?: boolean;
}

function createTable(
  kind: string
): Part<[caption: string, headings: readonly string[], rows: readonly Row[]]> {
  const caption = element('caption');
  const head = element('tr');
  const body = element('tbody');
  const fill = (row: HTMLElement, cells: readonly string[], heads: boolean): void => {
    while (row.children.length < cells.length) {
      const first = row.children.length === 0;
      row.append(
        element(heads || first ? 'th' : 'td', heads || first ? { scope: heads ? 'col' : 'row' } : {})
      );
    }
    for (const [index, content] of cells.entries()) {
      const cell = row.children[index] as HTMLElement;
      setProse(cell, content);
      setAttribute(cell, 'data-wrong', content.startsWith('✕') ? '' : null);
    }
  };
  const list = createKeyedList<readonly [index: number, row: Row]>(
    body,
    ([index]) => String(index),
    () => {
      const row = element('tr');
      return {
        element: row,
        update([, { cells, now }]) {
          setAttribute(row, 'aria-current', now ? 'step' : null);
          fill(row, cells, false);
        }
      };
    }
  );
  return {
    element: part('table', `table ${kind}`, caption, element('thead', {}, head), body),
    update(title, headings, rows) {
      setText(caption, title);
      fill(head, headings, true);
      list(rows.map((row, index) => [index, row]));
    }
  };
}

export function createDetails(channel: Channel | undefined) {
  const steps = createTable('steps steps-in-time');
  const streams = createTable('steps');
  const run = createRun(channel);
  return {
    /** One element per tab: the steps, the stream argument, the run. */
    elements: [steps.element, streams.element, run.element] as readonly HTMLElement[],
    update(shown: Shown): void {
      const { exchange, protocol, picture, step } = shown;
      steps.update(
        exchange?.more ? __('%1 later uses are not listed', exchange.more) : __('The chart as a table'),
        ['', __('Time'), __('What happens'), __('Rules')],
        shown.steps.map(({ time, says, rules }, index) => ({
          cells: [String(index + 1), time, __(...says), rules.join(', ')],
          now: index === step
        }))
      );
      const told = shown.steps.find(
        ({ fact: { kind } }) => kind === 'descriptor' || kind === 'ask-capsule'
      )?.fact;
      const here = told === undefined || !('stream' in told) ? '' : told.stream.replace(/^0x.*/, 'handle');
      const isDlpack = protocol === 'dlpack';
      streams.update(
        isDlpack ? __('The stream argument of __dlpack__') : __('The stream of a descriptor'),
        ['stream', __('Meaning'), __('Pitfall'), __('Rules')],
        picture.streamArguments[isDlpack ? 'dlpack' : 'cai'].map(({ value, meaning, trap, rules }) => ({
          cells: [
            value === here ? __('`%1` ← here', value) : `\`${value}\``,
            __(meaning),
            __(trap),
            rules.join(', ')
          ],
          now: value === here
        }))
      );
      run.update(shown);
    },
    dispose: (): void => run.dispose()
  };
}

/** Runs the lesson's exchange with and without the wait, in a separate process. */
function createRun(channel: Channel | undefined) {
  const about = element('p');
  const { element: status, say } = createStatus();
  const button = element('button', { class: 'button', type: 'button' }, __('Run'));
  const device = createSelect(__('on'), () => show());
  const table = createTable('facts');
  const verdict = element('strong');
  const report = element('pre', { tabindex: '0', 'aria-label': __('Hazard report') });
  const result = part('div', 'result', element('p', {}, verdict), table, report);
  let shown: Shown | undefined;
  let key = '';
  /** The last message shown without a kernel. */
  let noKernel = '';
  /** The pending run; null for none. */
  let run: unknown = null;

  const show = (): void => {
    const connected = channel !== undefined && shown?.connected === true;
    if (!connected) run = null;
    const told = status.textContent === noKernel;
    noKernel = connected ? '' : noKernelSentence(channel);
    if (!connected || told) say(noKernel);
    disable(button, !connected || run !== null);
    setText(about, __(shown?.picture.runs.find(place => place.device === device.value)?.about ?? ''));
  };
  const end = (outcome: RunOutcome | undefined, error: unknown): void => {
    run = null;
    show();
    say(outcome ? '' : String(error), outcome ? 'plain' : 'error');
    if (outcome === undefined) return;
    result.hidden = false;
    setText(verdict, outcome.verdict);
    setAttribute(verdict, 'data-wrong', outcome.wrong ? '' : null);
    table.update(
      outcome.caption,
      outcome.head,
      outcome.rows.map(cells => ({ cells }))
    );
    setLine(report, outcome.report);
  };
  button.addEventListener('click', () => {
    if (button.hasAttribute('aria-disabled') || channel === undefined) return;
    run = '';
    show();
    say(__('Running…'), 'pending');
    channel.request('run', { choice: shown?.choice.lesson, device: device.value }).then(
      ({ content }) => (run = content['run']),
      (error: Error) => end(undefined, error.message)
    );
  });
  const stop = channel?.onPush(({ content }) => {
    if (content['run'] === run) end(content['outcome'] as RunOutcome | undefined, content['error']);
  });
  return {
    element: element('div', {}, about, part('div', 'choices', button, device, status), result),
    update(next: Shown) {
      shown = next;
      const { runs } = next.picture;
      device.offer(
        runs.map(place => [place.device, place.device]),
        device.value || (runs[0]?.device ?? '')
      );
      const lesson = JSON.stringify(next.choice.lesson);
      // The result belongs to another exchange.
      if (lesson !== key) result.hidden = true;
      key = lesson;
      show();
    },
    dispose: () => stop?.()
  };
}
