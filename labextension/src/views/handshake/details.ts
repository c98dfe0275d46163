/** Content of the other tabs, loaded when the first of them is opened: steps in sentences, stream arguments, and a real run. */

import type { RunOutcome } from '../../../../src/pictures/handshake/schema.ts';
import { createButton, createSelect, disable } from '../kit/controls.ts';
import {
  createStatus,
  createTable,
  element,
  part,
  type Part,
  setAttribute,
  setLine,
  setProse,
  setText
} from '../kit/dom.ts';
import { type Frame, noKernelSentence } from '../kit/framed.ts';
import { createItemTable } from '../kit/item-table.ts';
import type { Shown } from './shown.ts';
import { __ } from '../kit/phrases.ts';

/** Sentences of a row, and whether it is the current step. */
interface Row {
  readonly key: string;
  readonly cells: readonly string[];
  readonly isNow: boolean;
}

/** Creates a table with sentences in all cells. */
function createProse(name: string, headings: readonly string[]) {
  const caption = element('caption');
  const table = createItemTable<Row>(
    name,
    caption,
    ({ key }) => key,
    headings.map((head, column) => [head, ({ cells }, cell) => setProse(cell, cells[column] ?? '')]),
    (row, { isNow }) => setAttribute(row, 'aria-current', isNow ? 'step' : null)
  );
  return { caption, table };
}

export function createSteps(): Part<[shown: Shown]> {
  const { caption, table } = createProse('steps steps-in-time', [
    '',
    __('Time'),
    __('What happens'),
    __('Rules')
  ]);
  return {
    element: table.element,
    update({ exchange, steps, step: now }) {
      const title = exchange?.more
        ? __('%1 later uses are not listed', exchange.more)
        : __('The chart as a table');
      setText(caption, title);
      table.update(
        steps.map(({ time, says, rules }, index) => ({
          key: String(index),
          cells: [String(index + 1), time, __(...says), rules.join(', ')],
          isNow: index === now
        }))
      );
    }
  };
}

export function createStreamArguments(): Part<[shown: Shown]> {
  const { caption, table } = createProse('steps', ['stream', __('Meaning'), __('Pitfall'), __('Rules')]);
  return {
    element: table.element,
    update({ protocol, picture, steps }) {
      const told = steps.find(({ fact: { kind } }) => kind === 'descriptor' || kind === 'ask-capsule')?.fact;
      const here = told === undefined || !('stream' in told) ? '' : told.stream.replace(/^0x.*/, 'handle');
      const isDlpack = protocol === 'dlpack';
      setText(caption, isDlpack ? __('The stream argument of __dlpack__') : __('The stream of a descriptor'));
      table.update(
        picture.streamArguments[isDlpack ? 'dlpack' : 'cai'].map(({ value, meaning, trap, rules }) => {
          const isNow = value === here;
          const stream = isNow ? __('`%1` ← here', value) : `\`${value}\``;
          return { key: value, cells: [stream, __(meaning), __(trap), rules.join(', ')], isNow };
        })
      );
    }
  };
}

/** Runs the lesson's exchange with and without the wait, in a separate process. */
export function createRun(frame: Frame): Part<[shown: Shown]> {
  const { channel, signal } = frame;
  const about = element('p');
  const { element: status, say } = createStatus();
  const button = createButton(__('Run'), '', () => start());
  const device = createSelect(() => show());
  const verdict = element('strong');
  const table = element('div');
  const report = element('pre', { tabindex: '0', 'aria-label': __('Hazard report') });
  const result = part('div', 'result', element('p', {}, verdict), table, report);
  let shown: Shown | undefined;
  let key = '';
  /** The last message shown without a kernel. */
  let noKernel = '';
  /** The pending run; null for none. */
  let run: unknown = null;

  const show = (): void => {
    const connected = channel !== undefined && frame.connected;
    if (!connected) run = null;
    const told = status.textContent === noKernel;
    noKernel = connected ? '' : noKernelSentence(frame);
    if (!connected || told) say(noKernel);
    disable(button, !connected || run !== null);
    setText(about, __(shown?.picture.runs.find(place => place.device === device.element.value)?.about ?? ''));
  };
  const end = (outcome: RunOutcome | undefined, error: unknown): void => {
    run = null;
    show();
    say(outcome ? '' : String(error), outcome ? 'plain' : 'error');
    if (outcome === undefined) return;
    result.hidden = false;
    setText(verdict, outcome.verdict);
    setAttribute(verdict, 'data-wrong', outcome.wrong ? '' : null);
    table.replaceChildren(outcomeTable(outcome));
    setLine(report, outcome.report);
  };
  const start = (): void => {
    run = '';
    show();
    say(__('Running…'), 'pending');
    channel?.request('run', { choice: shown?.choice.lesson, device: device.element.value }).then(
      ({ content }) => (run = content['run']),
      (error: Error) => end(undefined, error.message)
    );
  };
  const stop = channel?.onPush(({ content }) => {
    if (content['run'] === run) end(content['outcome'] as RunOutcome | undefined, content['error']);
  });
  signal.addEventListener('abort', () => stop?.());
  const place = element('label', {}, `${__('on')} `, device);
  return {
    element: element('div', {}, about, part('div', 'choices', button, place, status), result),
    update(next: Shown) {
      shown = next;
      const { runs } = next.picture;
      device.offer(
        runs.map(each => [each.device, each.device]),
        device.element.value || (runs[0]?.device ?? '')
      );
      const lesson = JSON.stringify(next.choice.lesson);
      // The result belongs to another exchange.
      if (lesson !== key) result.hidden = true;
      key = lesson;
      show();
    }
  };
}

function outcomeTable({ caption, head, rows }: RunOutcome): HTMLElement {
  const body = rows.map(([first = '', ...cells]) =>
    element(
      'tr',
      {},
      element('th', { scope: 'row' }, first),
      ...cells.map(cell => element('td', cell.startsWith('✕') ? { 'data-wrong': '' } : {}, cell))
    )
  );
  return createTable('facts', caption, head, element('tbody', {}, ...body));
}
