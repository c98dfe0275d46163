/** The wait really left out: one exchange with and without it, in a process of its own, and what was read. */

import type { LessonChoice, RunOutcome } from '../../../../src/description/handshake/schema.ts';
import { element, setAttribute, setText } from '../dom.ts';
import type { Phrases } from '../phrases.ts';
import type { Channel } from '../view.ts';
import { createSelect } from './choices.ts';

export interface RunPanel {
  readonly element: HTMLElement;
  update(choice: LessonChoice, devices: readonly string[], connected: boolean): void;
  dispose(): void;
}

export function createRunPanel({ __ }: Phrases, channel: Channel | undefined): RunPanel {
  const about = element('p');
  const status = element('span', { class: 'stridelab-status', role: 'status' });
  const button = element('button', {
    class: 'stridelab-button',
    type: 'button',
    'data-lm-suppress-shortcuts': 'true'
  });
  const device = createSelect(__('on'), () => show());
  const body = element('tbody');
  const caption = element('caption');
  const head = [__('element'), __('written'), __('read after the wait'), __('read without it')];
  const table = element(
    'table',
    { class: 'stridelab-table stridelab-facts stridelab-run' },
    caption,
    element('thead', {}, element('tr', {}, ...head.map(text => element('th', { scope: 'col' }, text)))),
    body
  );
  const verdict = element('p', { class: 'stridelab-verdict-line' });
  const report = element('pre', {
    class: 'stridelab-report',
    tabindex: '0',
    'aria-label': __('Hazard report')
  });
  const result = element('div', {}, verdict, table, report);
  result.hidden = true;
  let current: LessonChoice | undefined;
  let why = __('No kernel stands behind this picture: run the cell again to run this.');
  /** The run that is waited for. */
  let run: unknown;
  let pending = false;

  const say = (sentence: string, kind = 'plain'): void => {
    setAttribute(status, 'data-kind', kind);
    setText(status, sentence);
  };
  const show = (): void => {
    const simulated = !device.value.startsWith('cuda');
    setText(button, __('Run it'));
    setAttribute(button, 'aria-disabled', why !== '' || pending ? 'true' : null);
    setText(
      about,
      simulated
        ? __(
            'Runs the exchange of the lesson twice, with the wait and without it, in a short process of its own. Its simulated device works as late as it may (the hazard schedule), so a missing wait shows as wrong data.'
          )
        : __(
            'Runs the exchange of the lesson twice on the GPU, with the wait and without it. The GPU may be done before it is asked: then the values are right by luck. The hazard report does not depend on luck.'
          )
    );
  };
  const end = (outcome: RunOutcome | undefined, error: unknown): void => {
    pending = false;
    show();
    if (outcome === undefined) return say(String(error), 'error');
    say('');
    draw(outcome);
  };
  const draw = ({ ordered, skipped, elements, shown, expected, device: on, skippedBy }: RunOutcome): void => {
    result.hidden = false;
    setText(
      verdict,
      skipped.wrong > 0
        ? __('✕ Without the wait %1 of %2 elements are wrong.', skipped.wrong, elements)
        : skipped.hazards.length > 0
          ? __('All elements are right by luck: nothing ordered the read after the write.')
          : __('✓ All elements are right: these streams are in order without a wait.')
    );
    setAttribute(verdict, 'data-kind', skipped.wrong > 0 || skipped.hazards.length > 0 ? 'bad' : 'good');
    setText(caption, __('Read on %1; the wait was skipped by %2', on, skippedBy));
    const cell = (value: number | undefined, wanted: number | undefined): string =>
      value === wanted ? String(value) : `✕ ${value}`;
    const rows = shown.map((index, row) => [
      String(index),
      String(expected[row]),
      cell(ordered.values[row], expected[row]),
      cell(skipped.values[row], expected[row])
    ]);
    rows.push([__('wrong'), '', String(ordered.wrong), String(skipped.wrong)]);
    body.replaceChildren(
      ...rows.map(([first = '', ...cells]) =>
        element(
          'tr',
          {},
          element('th', { scope: 'row' }, first),
          ...cells.map(text =>
            element('td', { class: `stridelab-value${text.startsWith('✕') ? ' stridelab-wrong' : ''}` }, text)
          )
        )
      )
    );
    setText(report, skipped.hazards.join('\n'));
    report.hidden = skipped.hazards.length === 0;
  };
  const start = async (): Promise<void> => {
    if (channel === undefined || current === undefined) return;
    pending = true;
    show();
    say(__('Running…'), 'pending');
    try {
      const { content } = await channel.request('run', { choice: current, device: device.value });
      run = content['run'];
    } catch (error) {
      end(undefined, error instanceof Error ? error.message : error);
    }
  };
  button.addEventListener('click', () => {
    if (why !== '') say(why);
    else if (!pending) void start();
  });
  const stop = channel?.onPush(({ content }) => {
    if (pending && content['run'] === run)
      end(content['outcome'] as RunOutcome | undefined, content['error']);
  });

  return {
    element: element(
      'div',
      { class: 'stridelab-run-panel' },
      about,
      element('div', { class: 'stridelab-choices' }, button, device.element, status),
      result
    ),
    update(choice, devices, connected) {
      // What was read is of another exchange now.
      if (JSON.stringify(choice) !== JSON.stringify(current)) result.hidden = true;
      current = choice;
      device.offer(
        devices.map(label => [label, label]),
        devices.includes(device.value) ? device.value : (devices[0] ?? '')
      );
      why =
        connected && channel
          ? ''
          : __('No kernel stands behind this picture: run the cell again to run this.');
      if (why !== '') {
        pending = false;
        say(why);
      } else if (
        status.textContent === __('No kernel stands behind this picture: run the cell again to run this.')
      )
        say('');
      show();
    },
    dispose: () => stop?.()
  };
}
